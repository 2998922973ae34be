// A library with debug information whose allocation stands in an inlined function. test_native_frames.py reads this file
// for the lines that are marked.
#include <stddef.h>
#include <stdlib.h>

namespace shelf {

__attribute__((always_inline)) inline void* Fill(size_t size) {
  void* block = malloc(size);  // innermost
  asm volatile("" : "+r"(block) : : "memory");
  return block;
}

template <int kBoards>
__attribute__((noinline)) void* Build(size_t size) {
  void* block = Fill(size * kBoards);  // outer
  asm volatile("" : "+r"(block) : : "memory");
  return block;
}

}  // namespace shelf

extern "C" __attribute__((visibility("default"))) void* inlines_take(size_t size) {
  void* block = shelf::Build<1>(size);  // entry
  asm volatile("" : "+r"(block) : : "memory");
  return block;
}
