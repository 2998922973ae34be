// For LD_PRELOAD: a JVM whose "VM Thread", which walks over the heap, has used three seconds more of its processor each time that it asks.
#include <dlfcn.h>
#include <sys/prctl.h>
#include <time.h>

#include <atomic>
#include <cstring>

extern "C" __attribute__((visibility("default"))) int clock_gettime(clockid_t clock, timespec* now) noexcept {
  using ClockGettime = int (*)(clockid_t, timespec*);
  static const auto original = reinterpret_cast<ClockGettime>(dlsym(RTLD_NEXT, "clock_gettime"));
  static std::atomic<time_t> ahead{0};
  const int outcome = original(clock, now);
  char thread[16] = "";
  if (outcome != 0 || clock != CLOCK_THREAD_CPUTIME_ID || prctl(PR_GET_NAME, thread) != 0) return outcome;
  if (std::strcmp(thread, "VM Thread") == 0) now->tv_sec += ahead += 3;
  return outcome;
}
