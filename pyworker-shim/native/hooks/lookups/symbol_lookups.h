// Patches a library that was loaded late before anyone can call into it. After dlopen, a program must look up the library's
// functions (CPython a module's PyInit, ctypes every function); the loader's counters are compared then. Waiting for the next
// sample would miss what the library allocates until then, however much that is.
//
// Who looks up a hooked function of libc's (ctypes, cffi, a compiler's generated code) gets the hook: a block that is given back by such a
// `free` would count as live until its address is given out again.
//
// Otherwise the hook ends with a jump: dlsym(RTLD_NEXT) depends on its return address, which must stay the caller's. Calls to dlopen itself
// are not hooked: it depends on its caller too (RUNPATH), but our work would have to be done after it.
#pragma once

namespace memprof {

#if defined(__x86_64__)
inline constexpr bool kHooksLookups = true;
#else
inline constexpr bool kHooksLookups = false;  // there the next sample notices the library, and functions are as they are looked up
#endif

}  // namespace memprof

extern "C" {
// HOOK. dlsym, after a check for new libraries; for functions that are hooked, the hook.
__attribute__((visibility("hidden"))) void* memprof_hook_dlsym(void* library, const char* name);
// dlsym's own, as the GOT patcher found it.
extern __attribute__((visibility("hidden"))) void* (*memprof_real_dlsym)(void* library, const char* name);
}
