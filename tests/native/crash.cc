// Ways in which a native library ends its process.
#include <cstdlib>

extern "C" {

__attribute__((visibility("default"), noinline)) void crash_here(volatile int* nowhere) { *nowhere = 4711; }

__attribute__((visibility("default"), noinline)) void abort_here() { abort(); }

// Deeper than any stack.
__attribute__((visibility("default"), noinline)) int overflow_here(int depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(depth);
  return depth < 0 ? 0 : overflow_here(depth + 1) + frame[0];
}
}
