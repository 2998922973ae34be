// GotPatcher: redirects the calls that other modules make to chosen functions, by rewriting the pointers the loader left
// in them (PLT slots, GOT entries, words in data). The hooked function itself is untouched, and so is the patcher's own
// module. A replacement calls the original through the address that Init() finds for it, never by name: in a program that
// isn't position-independent (Debian's python3) a name may lead through the program's own PLT, which is patched.
//
// The original is the definition in the first module, in the loader's order, that has one: libc's, or that of a preloaded
// allocator. A pointer is rewritten only if it is known to lead there. It may hold that address (or the program's PLT entry for
// it), or be a still unbound PLT slot of a module that doesn't define the function itself. A module bound to another allocator is
// thus left alone, as it must be: a block has to be freed by the allocator that made it.
//
// A module that another thread is loading right now appears before the loader has relocated it. It is recognised by the loader's
// last step: pages under RELRO become read-only. While they are still writable (the kernel is asked with an atomic addition of 0,
// which changes nothing), those pointers are left for a later visit and `incomplete()` says so. Other pointers on pages that may not be
// written are left alone for good: a library whose code isn't position-independent (DT_TEXTREL) has some among its constants.
//
// After Restore() replacements may still be called, through copies of pointers that can't be found. So their code must stay
// loaded and pass calls on.
//
// Not thread-safe: the caller serialises Patch() and Restore(). They allocate nothing and take no lock.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.h"
#include "hooking/dynamic_tables.h"
#include "hooking/loaded_module.h"

namespace memprof {

struct GotHook {
  const char* symbol;
  void* replacement;
  void** original;              // set by Init(), before anything is patched
  bool may_be_missing = false;  // where no module defines it, nothing is patched for it
};

inline constexpr size_t kMaxGotHooks = 24;

class GotPatcher {
 public:
  // `hooks` stay where they are for as long as the patcher is used; at most kMaxGotHooks. kNotFound names a function that no
  // module defines and that may not be missing; then nothing may be patched.
  Status Init(const GotHook* hooks, size_t count);

  // Both are called from a visit of the loaded modules. Patching a module twice changes nothing.
  void Patch(const LoadedModule& module);
  void Restore(const LoadedModule& module);

  // HOOK. For who looks a function up by its name, after Init(): whether it is one of the hooked ones, and what to give instead of the
  // function that was found; null: that is none of the originals.
  bool IsHooked(const char* symbol) const { return HookOfName(symbol) != kNone; }
  void* ReplacementOf(const void* found) const;

  // True when the last round of visits met a module that wasn't relocated yet. BeginRound() resets it.
  bool incomplete() const { return incomplete_; }
  void BeginRound() { incomplete_ = false; }

  size_t patched() const { return patched_; }  // pointers rewritten so far

 private:
  static constexpr size_t kNone = SIZE_MAX;

  size_t HookOfAddress(uintptr_t address) const;
  size_t HookOfName(const char* symbol) const;
  size_t HookOfReplacement(uintptr_t address) const;

  const GotHook* hooks_ = nullptr;
  size_t count_ = 0;
  // What a pointer to each original may look like.
  struct Addresses {
    uintptr_t definition = 0;
    uintptr_t by_name = 0;  // the same, or the main program's PLT entry for it
  };
  Addresses addresses_[kMaxGotHooks] = {};
  uintptr_t lowest_ = 0, highest_ = 0;
  size_t patched_ = 0;
  bool incomplete_ = false;
};

}  // namespace memprof
