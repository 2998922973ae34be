// The current thread's native frames between an allocation and the Java method, or the thread's start, that led to it.
//
// May be called wherever malloc may: it allocates nothing, and waits for no lock but the loader's (hooking/native_stack.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "hooking/loader_watch.h"

namespace memprof {

inline constexpr size_t kMaxNativeCalls = 64;  // innermost; callers beyond them are left out

// A return address within a module.
struct NativeCall {
  const ModuleTable::Identity* module;
  uint64_t offset;  // in the file's terms
};

// What made the outermost of the native calls. kUnknown: there are too many of them, or not all could be found.
enum class NativeCaller : uint8_t { kUnknown, kJava, kJvm, kThreadStart };

struct NativeCalls {
  NativeCall calls[kMaxNativeCalls];
  size_t depth = 0;   // innermost first
  uint64_t hash = 0;  // of the calls
  NativeCaller caller = NativeCaller::kUnknown;
  bool by_marked = false;  // a frame among them, also one that was left out, is marked
};

// Without this library's own frames, up to libjvm's or those of Java code. `marks`: whether an address is to be told.
__attribute__((noinline)) void CaptureNativeCalls(LoaderWatch* loader, bool (*marks)(uintptr_t address), NativeCalls* native);

}  // namespace memprof
