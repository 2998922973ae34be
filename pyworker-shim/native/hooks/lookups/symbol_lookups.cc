#include "lookups/symbol_lookups.h"

#include <cerrno>

#include "allocators/hook_state.h"

extern "C" {

void* (*memprof_real_dlsym)(void* library, const char* name) = nullptr;

__attribute__((visibility("hidden"))) void memprof_before_lookup() {
  using namespace memprof;
  if (hook_thread.guard != 0 || hook_state.recorder.load(std::memory_order_acquire) == nullptr) return;
  const int saved = errno;
  {
    const ReentryGuard guard(hook_thread);
    hook_state.loader.Refresh();
  }
  errno = saved;
}

}  // extern "C"

#if defined(__x86_64__)
// On entry the stack pointer is 8 bytes off a multiple of 16; two pushed registers and a gap align it for the call.
__asm__(R"(
  .text
  .hidden memprof_hook_dlsym
  .globl memprof_hook_dlsym
  .type memprof_hook_dlsym, @function
memprof_hook_dlsym:
  .cfi_startproc
  endbr64
  pushq %rdi
  .cfi_adjust_cfa_offset 8
  pushq %rsi
  .cfi_adjust_cfa_offset 8
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  call memprof_before_lookup
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  popq %rsi
  .cfi_adjust_cfa_offset -8
  popq %rdi
  .cfi_adjust_cfa_offset -8
  jmpq *memprof_real_dlsym(%rip)
  .cfi_endproc
  .size memprof_hook_dlsym, . - memprof_hook_dlsym
)");
#else
void* memprof_hook_dlsym(void* library, const char* name) { return memprof_real_dlsym(library, name); }
#endif
