// For LD_PRELOAD: a process in which rename() returns half a second after it has renamed a file.
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>

extern "C" __attribute__((visibility("default"))) int rename(const char* from, const char* to) noexcept {
  using Rename = int (*)(const char*, const char*);
  static const auto original = reinterpret_cast<Rename>(dlsym(RTLD_NEXT, "rename"));
  const int outcome = original(from, to);
  const timespec half_a_second{0, 500'000'000};
  nanosleep(&half_a_second, nullptr);
  return outcome;
}
