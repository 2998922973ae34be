// For LD_PRELOAD: a process in which rename() returns a fifth of a second after it has renamed a file.
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>

extern "C" __attribute__((visibility("default"))) int rename(const char* from, const char* to) noexcept {
  using Rename = int (*)(const char*, const char*);
  static const auto original = reinterpret_cast<Rename>(dlsym(RTLD_NEXT, "rename"));
  const int outcome = original(from, to);
  const timespec fifth_of_a_second{0, 200'000'000};
  nanosleep(&fifth_of_a_second, nullptr);
  return outcome;
}
