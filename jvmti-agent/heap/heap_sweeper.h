// HeapSweeper: the agent's own thread that walks over live objects: after a marking of the whole heap to learn what is retained,
// and after other collections to free references to dead objects. It is attached to the JVM, as a daemon, from its first round
// on. Attaching makes a Java object; a full heap may have no room for it, and then the walks are most important.
//
// The results are passed on at most once in kPause (once in kPauseNearFull when the heap is near its maximum), and the last one
// at Stop(). Thread-safe, except that Start and Stop must not run at the same time.
#pragma once

#include <jni.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>

#include "base/background_thread.h"
#include "gc/marking_watch.h"
#include "gc/pause_clock.h"
#include "heap/live_objects.h"
#include "heap/retained_message.h"

namespace memprof {

struct HeapSweeperOptions {
  JavaVM* vm = nullptr;
  std::function<std::shared_ptr<JvmStacks>()> current_stacks;
  std::function<std::string(uint32_t)> thread_name;
  std::function<void(proto::RetainedHeap)> send;
  // Told that the heap stays nearly full, and what was retained last. False: there is nothing to tell yet, so it is told after the next
  // marking again.
  std::function<bool(JNIEnv*, const std::optional<proto::RetainedHeap>&)> look;
};

class HeapSweeper {
 public:
  // A collector may mark without a break, and all executors share the driver's budget for such messages.
  static constexpr std::chrono::seconds kPause{30}, kPauseNearFull{1};

  HeapSweeper(LiveObjects* live, const PauseClock* pauses) : live_(live), pauses_(pauses) {}

  Status Start(HeapSweeperOptions options);
  void Stop();  // passes on the last results
  void Marked(const Marking& marking);
  void WantLook();  // options.look, soon, on this thread
  // What is retained after a marking, on the calling thread, a Java thread in native code; between Start and Stop. It is not
  // passed on.
  std::optional<proto::RetainedHeap> Look(JNIEnv* jni, const Marking& marking) const;

 private:
  using Clock = std::chrono::steady_clock;

  std::chrono::milliseconds Round();
  void Walk(const std::optional<Marking>& marking, JNIEnv* jni);
  void SendIfDue(std::chrono::milliseconds pause);

  LiveObjects* live_;
  const PauseClock* pauses_;

  std::mutex mutex_;  // guards the next
  std::optional<Marking> marking_;
  bool look_wanted_ = false;

  // Used by the thread, or by the caller of Start and Stop while the thread doesn't run.
  HeapSweeperOptions options_;
  std::optional<proto::RetainedHeap> unsent_, latest_;
  bool look_again_ = false;  // after the next marking: there was nothing to tell
  Clock::time_point sent_at_;
  uint64_t purged_after_ = 0;  // pauses

  BackgroundThread thread_;  // last: it ends before what it uses
};

}  // namespace memprof
