// FutexMutex: a mutex for code that runs inside malloc. It knows nothing of pthread (whose objects other people's hooks
// may wrap), allocates nothing and is one word. Not recursive: the caller holds the re-entry guard.
//
// 0: free; 1: held; 2: held and a thread sleeps. Spins briefly first, because the guarded sections take well under a microsecond.
// A forked child inherits whatever state another thread left: it calls ResetInChild() before anything else, or drops the object.
// errno is kept.
#pragma once

#include <atomic>
#include <cstdint>

namespace memprof {

class FutexMutex {
 public:
  void lock() {
    uint32_t expected = 0;
    if (!state_.compare_exchange_strong(expected, 1, std::memory_order_acquire, std::memory_order_relaxed)) LockSlow();
  }

  bool try_lock() {
    uint32_t expected = 0;
    return state_.compare_exchange_strong(expected, 1, std::memory_order_acquire, std::memory_order_relaxed);
  }

  void unlock() {
    if (state_.exchange(0, std::memory_order_release) == 2) WakeOne();
  }

  void ResetInChild() { state_.store(0, std::memory_order_relaxed); }

 private:
  void LockSlow();
  void WakeOne();

  std::atomic<uint32_t> state_{0};
};

class FutexLock {
 public:
  explicit FutexLock(FutexMutex& mutex) : mutex_(mutex) { mutex_.lock(); }
  ~FutexLock() { mutex_.unlock(); }
  FutexLock(const FutexLock&) = delete;
  FutexLock& operator=(const FutexLock&) = delete;

 private:
  FutexMutex& mutex_;
};

}  // namespace memprof
