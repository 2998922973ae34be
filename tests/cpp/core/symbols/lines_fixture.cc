// Calls that debug_lines_test.cc looks for by the addresses they return to. The numbers of these lines are in the test.
namespace {

void* Here() { return __builtin_return_address(0); }
void* (*volatile here)() = Here;

}  // namespace

namespace stall {

template <int kStep>
__attribute__((always_inline)) inline void* Innermost() {
  return here();
}

__attribute__((always_inline)) inline void* Middle() {
  void* found = Innermost<3>();
  asm volatile("" : "+r"(found));
  return found;
}

__attribute__((noinline, visibility("default"))) void* Outermost() {
  void* found = Middle();
  asm volatile("" : "+r"(found));  // keeps the call from becoming a jump
  return found;
}

}  // namespace stall

extern "C" __attribute__((visibility("default"))) void* lines_plain() {
  void* found = here();
  asm volatile("" : "+r"(found));
  return found;
}
extern "C" __attribute__((visibility("default"))) void* lines_inlined() {
  void* found = stall::Outermost();
  asm volatile("" : "+r"(found));
  return found;
}
