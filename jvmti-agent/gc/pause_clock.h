// PauseClock: when a collector stopped the JVM, by JVMTI's GarbageCollectionStart and Finish, which come for every pause of every
// collector. Began() and Ended() run inside the pause, where neither JNI nor JVMTI nor a lock that a Java thread might hold is
// allowed: they read the clock and store to atomics. One pause at a time, always on a thread of the JVM that runs nothing else.
//
// The last kKept pauses can be read back. Readers are thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

namespace memprof {

struct Pause {
  uint64_t number = 0;               // from 1
  int64_t start_ns = 0, end_ns = 0;  // monotonic
};

class PauseClock {
 public:
  static constexpr size_t kKept = 256;

  void Began(int64_t now_ns) { began_ns_.store(now_ns, std::memory_order_relaxed); }
  void Ended(int64_t now_ns) {
    const int64_t began = began_ns_.exchange(0, std::memory_order_relaxed);
    if (began == 0) return;
    const uint64_t number = count_.load(std::memory_order_relaxed) + 1;
    Slot& slot = slots_[number % kKept];
    slot.number.store(0, std::memory_order_release);
    slot.start_ns.store(began, std::memory_order_release);
    slot.end_ns.store(now_ns, std::memory_order_release);
    slot.number.store(number, std::memory_order_release);
    total_ns_.fetch_add(now_ns - began, std::memory_order_relaxed);
    count_.store(number, std::memory_order_release);
  }

  uint64_t count() const { return count_.load(std::memory_order_acquire); }
  int64_t total_ns() const { return total_ns_.load(std::memory_order_relaxed); }

  // Those with a larger number than `after`, oldest first; older ones than kKept are gone.
  std::vector<Pause> Since(uint64_t after) const;

 private:
  struct Slot {
    std::atomic<uint64_t> number{0};  // 0 while it is written
    std::atomic<int64_t> start_ns{0}, end_ns{0};
  };

  std::atomic<int64_t> began_ns_{0}, total_ns_{0};
  std::atomic<uint64_t> count_{0};
  std::array<Slot, kKept> slots_;
};

}  // namespace memprof
