// HeapShortages: reports an OutOfMemoryError of the heap, on the thread that ran out of memory, and a heap that is nearly full; likewise
// the JVM's errors of other pools, without a look at the heap. Nothing here allocates in the heap. Thread-safe.
#pragma once

#include <jni.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>

#include "agent/ground.h"
#include "agent/jvm_heap.h"
#include "agent/running_tasks.h"
#include "base/calls_in_flight.h"
#include "shortage/heap_in_use.h"
#include "shortage/shortage_limits.h"
#include "shortage/shortage_message.h"

namespace memprof {

class HeapShortages {
 public:
  HeapShortages(Ground* ground, const JvmHeap* heap, RunningTasks* tasks) : ground_(ground), heap_(heap), tasks_(tasks) {}

  void Reset() {
    limits_.Reset();
    pool_limits_.Reset();
  }
  // Waits for reports that have begun, before what they use is stopped: an error often ends the JVM while another thread, which met one
  // before, still looks at the heap.
  void AwaitReports(int patience) { reports_.WaitForEnd(kMostWaiting * patience); }
  void Stop(const Application& application);       // nothing stays of a JVM that lives on
  void Exhausted(JNIEnv* jni, const char* error);  // `error`: the JVM's words; may be null
  // Space for classes, or threads; `error` as above. Direct buffers' errors are Java code's own: JVMTI doesn't tell of them. Only a message
  // is made of it, no file: this thread may hold locks of the JVM's, and without threads nothing bounds the time of writing.
  void PoolExhausted(JNIEnv* jni, const char* error);
  void ExhaustedExit(JNIEnv* jni);  // the JVM exits when it returns
  // After collections that left most of the heap in use; on the sweeper's thread. False: there was nothing to tell.
  bool NearlyFull(JNIEnv* jni, const Application& application, const std::optional<proto::RetainedHeap>& retained);

 private:
  // Most take a tenth of it. The whole end has ten seconds before Spark kills.
  static constexpr std::chrono::seconds kMostWaiting{2};

  int64_t TimeOfError();  // epoch, in ms; another one each time
  ShortageInputs OnThisThread(JNIEnv* jni);
  int64_t TaskOfThisThread();  // -1: none
  // Walks the whole heap. If another thread is doing so, waits for it for at most `patience`.
  void LookAtHeap(JNIEnv* jni, const Application& application, std::chrono::milliseconds patience, ShortageInputs* inputs);
  // `used`: when the error occurred, as UsedAtError says.
  void Look(JNIEnv* jni, const Application& application, std::optional<uint64_t> used, bool whole_heap, ShortageInputs* inputs);
  // Nothing: the heap was not collected just before.
  std::optional<uint64_t> UsedAtError() const;
  bool IsFull(std::optional<uint64_t> used) const;
  // Sends it, and leaves it in the file.
  void Tell(const Application& application, const ShortageInputs& inputs);
  std::string EnvelopeWith(const Application& application, const ShortageInputs& inputs);

  Ground* ground_;
  const JvmHeap* heap_;
  RunningTasks* tasks_;
  ShortageLimits limits_;
  PoolErrorLimits pool_limits_;
  HeapInUse in_use_;
  CallsInFlight reports_;
  std::atomic<int64_t> last_error_ms_{0};
  std::timed_mutex look_;  // one walk of the whole heap at a time
};

}  // namespace memprof
