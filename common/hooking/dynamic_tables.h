// DynamicTables: what a loaded module's dynamic section says about the pointers that the loader has filled in, and about the
// symbols that the module defines. Made during a visit (see loaded_module.h) and only valid within it.
//
// A relocation that points outside its module is skipped. Allocates nothing; may be used from hooks.
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>

#include "hooking/loaded_module.h"

#if defined(__x86_64__)
#include "hooking/relocations_x86_64.h"
#elif defined(__aarch64__)
#include "hooking/relocations_aarch64.h"
#else
#error "no relocations_<arch>.h for this processor"
#endif

namespace memprof {

class DynamicTables {
 public:
  explicit DynamicTables(const LoadedModule& module);

  // Calls visit(uintptr_t* slot, bool is_jump_slot, uint32_t symbol) for every word that holds a symbol's bare address.
  template <typename Visitor>
  void ForEachPointer(Visitor&& visit) const {
    for (const Relocations& table : relocations_) {
      for (size_t i = 0; i < table.count; ++i) {
        const ElfW(Rela)& relocation = table.begin[i];
        const uint32_t type = ELF64_R_TYPE(relocation.r_info);
        if (type != kJumpSlotRelocation && type != kGotRelocation && type != kDataRelocation) continue;
        if (type == kDataRelocation && relocation.r_addend != 0) continue;
        const uintptr_t slot = bias_ + relocation.r_offset;
        if (slot < begin_ || slot + sizeof(uintptr_t) > end_ || slot % sizeof(uintptr_t) != 0) continue;
        visit(reinterpret_cast<uintptr_t*>(slot), type == kJumpSlotRelocation, static_cast<uint32_t>(ELF64_R_SYM(relocation.r_info)));
      }
    }
  }

  const char* SymbolName(uint32_t symbol) const;  // "" when unknown

  // Where the module itself defines a function of that name; 0 if it doesn't.
  uintptr_t FunctionAddress(const char* name) const;

 private:
  struct Relocations {
    const ElfW(Rela) * begin = nullptr;
    size_t count = 0;
  };

  bool IsFunction(uint32_t symbol, const char* name) const;
  uint32_t FindByGnuHash(const char* name) const;  // a symbol's index, or STN_UNDEF
  uint32_t FindBySysvHash(const char* name) const;

  uintptr_t bias_, begin_, end_;
  const ElfW(Sym) * symbols_ = nullptr;
  const char* strings_ = nullptr;
  size_t strings_size_ = 0;
  const uint32_t* gnu_hash_ = nullptr;
  const uint32_t* sysv_hash_ = nullptr;
  Relocations relocations_[2];  // DT_RELA, DT_JMPREL
};

}  // namespace memprof
