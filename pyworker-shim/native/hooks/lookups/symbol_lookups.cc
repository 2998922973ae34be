#include "lookups/symbol_lookups.h"

#include <dlfcn.h>

#include <cerrno>

#include "allocators/hook_state.h"

extern "C" {

void* (*memprof_real_dlsym)(void* library, const char* name) = nullptr;

// What the look-up gives; null: dlsym's own answer.
__attribute__((visibility("hidden"))) void* memprof_before_lookup(void* library, const char* name) {
  using namespace memprof;
  if (hook_thread.guard != 0 || hook_state.recorder.load(std::memory_order_acquire) == nullptr) return nullptr;
  void* replacement = nullptr;
  const int saved = errno;
  {
    const ReentryGuard guard(hook_thread);
    hook_state.loader.Refresh();
    const GotPatcher& hooks = hook_state.loader.patcher();
    if (library != RTLD_NEXT && name != nullptr && hooks.IsHooked(name))
      replacement = hooks.ReplacementOf(memprof_real_dlsym(library, name));
  }
  errno = saved;
  return replacement;
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
  testq %rax, %rax
  jne 1f
  jmpq *memprof_real_dlsym(%rip)
1:
  ret
  .cfi_endproc
  .size memprof_hook_dlsym, . - memprof_hook_dlsym
)");
#else
void* memprof_hook_dlsym(void* library, const char* name) { return memprof_real_dlsym(library, name); }
#endif
