// A library that was loaded late is patched before anyone can call into it: who loads one by dlopen must look its functions up
// (CPython a module's PyInit, ctypes every function), and that is when the loader's counters are compared. Waiting for the
// next sample would miss what the library allocates until then, however much that is.
//
// The hook leaves by a jump: dlsym(RTLD_NEXT) goes by its return address, which must stay the caller's. Calls to dlopen
// itself are left alone; it goes by its caller, too (RUNPATH), but the work is to be done after it.
#pragma once

namespace memprof {

#if defined(__x86_64__)
inline constexpr bool kHooksLookups = true;
#else
inline constexpr bool kHooksLookups = false;  // there a sample notices
#endif

}  // namespace memprof

extern "C" {
// HOOK. dlsym, after a look at what is loaded.
__attribute__((visibility("hidden"))) void* memprof_hook_dlsym(void* library, const char* name);
// dlsym's own, as the GOT patcher found it.
extern __attribute__((visibility("hidden"))) void* (*memprof_real_dlsym)(void* library, const char* name);
}
