#include "base/futex_mutex.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace memprof {
namespace {

constexpr int kSpins = 100;

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

void FutexMutex::LockSlow() {
  for (int i = 0; i < kSpins; ++i) {
    if (state_.load(std::memory_order_relaxed) == 0 && try_lock()) return;
    Pause();
  }
  int saved_errno = errno;
  while (state_.exchange(2, std::memory_order_acquire) != 0) {
    syscall(SYS_futex, &state_, FUTEX_WAIT_PRIVATE, 2, nullptr, nullptr, 0);
  }
  errno = saved_errno;
}

void FutexMutex::WakeOne() {
  int saved_errno = errno;
  syscall(SYS_futex, &state_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  errno = saved_errno;
}

}  // namespace memprof
