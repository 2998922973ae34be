// WorkQueue: pieces of work that one native thread does in the order in which they came. Messages and events have a bound each, in
// bytes: a flood of messages drops messages, and no event. Nobody waits who adds. After a piece the thread looks again by itself, so
// that of pieces that follow one another only the first costs a system call to wake it; each is begun within kLooksAgain, if no other is
// being done. Thread-safe, except that Start and Close must not run at the same time.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>

#include "base/background_thread.h"
#include "base/status.h"

namespace memprof {

class WorkQueue {
 public:
  enum class Kind : uint8_t { kMessage, kEvent };
  static constexpr size_t kMostBytes = size_t{32} << 20;  // of each kind
  static constexpr size_t kEntryBytes = 400;              // about what an entry takes beside its payload
  static constexpr std::chrono::milliseconds kLooksAgain{20};

  ~WorkQueue() { Close(); }

  // `name` of the thread: at most 15 characters. kExhausted when the system gives no thread.
  Status Start(const char* name);
  // Dropped, and counted, when its kind has no room. Throws std::bad_alloc; an exception of `work` ends only that.
  void Add(Kind kind, size_t payload_bytes, std::function<void()> work);
  void CountDropped(Kind kind);  // one that could not even be made

  bool Idle();  // everything that was added is done; if not, it is begun at once, because somebody waits for it
  // Waits until all that was added before the call is done; false after `timeout`.
  bool WaitUntilDone(std::chrono::milliseconds timeout);
  uint64_t dropped(Kind kind) const;

  void Close();  // takes nothing more, forgets what waits, and ends after the piece that is being done

 private:
  struct Entry {
    Kind kind = Kind::kEvent;
    size_t bytes = 0;
    std::function<void()> work;
  };
  struct Share {
    size_t bytes = 0;  // waiting, or being done
    uint64_t dropped = 0;
  };
  enum class End : uint8_t { kDone, kForgotten };
  std::chrono::milliseconds Round();
  bool EndNext(End how);  // false: nothing waits
  Share& ShareOf(Kind kind) { return shares_[static_cast<size_t>(kind)]; }

  mutable std::mutex mutex_;
  std::condition_variable ended_;  // a piece
  std::deque<Entry> entries_;
  std::array<Share, 2> shares_;
  uint64_t added_ = 0, ended_pieces_ = 0;
  bool open_ = false;
  bool awake_ = false;  // the thread will look by itself

  BackgroundThread thread_;  // last: it ends before what it uses
};

}  // namespace memprof
