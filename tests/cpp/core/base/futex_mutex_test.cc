#include "base/futex_mutex.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <thread>
#include <vector>

namespace memprof {
namespace {

TEST(FutexMutex, OneThreadAtATime) {
  FutexMutex mutex;
  uint64_t count = 0;  // plain: a lost update or a data race shows
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20'000; ++i) {
        FutexLock lock(mutex);
        ++count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, 160'000u);
}

TEST(FutexMutex, AThreadThatSleptIsWokenAndErrnoKept) {
  FutexMutex mutex;
  mutex.lock();
  std::atomic<bool> waiting{false};
  int seen_errno = 0;
  std::thread other([&] {
    errno = EDOM;
    waiting = true;
    FutexLock lock(mutex);
    seen_errno = errno;
  });
  while (!waiting) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // long enough to leave the spinning
  mutex.unlock();
  other.join();
  EXPECT_EQ(seen_errno, EDOM);
}

TEST(FutexMutex, AChildForkedWhileItWasHeldStartsFree) {
  FutexMutex mutex;
  mutex.lock();
  pid_t child = fork();
  if (child == 0) {
    mutex.ResetInChild();
    _exit(mutex.try_lock() && !mutex.try_lock() ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(mutex.try_lock());
  mutex.unlock();
}

}  // namespace
}  // namespace memprof
