// For LD_PRELOAD: a process in which exit() stands still for a while, after it has destroyed the objects of all other libraries.
#include <time.h>

namespace {

struct SlowLeaver {
  ~SlowLeaver() {
    const timespec half_a_second{0, 500'000'000};
    nanosleep(&half_a_second, nullptr);
  }
} slow_leaver;

}  // namespace
