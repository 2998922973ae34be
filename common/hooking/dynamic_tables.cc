#include "hooking/dynamic_tables.h"

#include <elf.h>

#include <cstring>

namespace memprof {

DynamicTables::DynamicTables(const LoadedModule& module) : bias_(module.bias), begin_(module.begin), end_(module.end) {
  if (module.dynamic == nullptr) return;
  uintptr_t rela = 0, plt = 0;
  size_t rela_bytes = 0, plt_bytes = 0;
  bool plt_is_rela = false;
  // glibc relocates the section's addresses in place, unless the section is read-only.
  const auto absolute = [&](const ElfW(Dyn) & entry) { return entry.d_un.d_ptr < bias_ ? entry.d_un.d_ptr + bias_ : entry.d_un.d_ptr; };
  for (const ElfW(Dyn)* entry = module.dynamic; entry->d_tag != DT_NULL; ++entry) {
    switch (entry->d_tag) {
      case DT_SYMTAB:
        symbols_ = reinterpret_cast<const ElfW(Sym)*>(absolute(*entry));
        break;
      case DT_STRTAB:
        strings_ = reinterpret_cast<const char*>(absolute(*entry));
        break;
      case DT_STRSZ:
        strings_size_ = entry->d_un.d_val;
        break;
      case DT_GNU_HASH:
        gnu_hash_ = reinterpret_cast<const uint32_t*>(absolute(*entry));
        break;
      case DT_HASH:
        sysv_hash_ = reinterpret_cast<const uint32_t*>(absolute(*entry));
        break;
      case DT_RELA:
        rela = absolute(*entry);
        break;
      case DT_RELASZ:
        rela_bytes = entry->d_un.d_val;
        break;
      case DT_JMPREL:
        plt = absolute(*entry);
        break;
      case DT_PLTRELSZ:
        plt_bytes = entry->d_un.d_val;
        break;
      case DT_PLTREL:
        plt_is_rela = entry->d_un.d_val == DT_RELA;
        break;
      default:
        break;
    }
  }
  if (symbols_ == nullptr || strings_ == nullptr) return;
  if (rela != 0) relocations_[0] = {reinterpret_cast<const ElfW(Rela)*>(rela), rela_bytes / sizeof(ElfW(Rela))};
  if (plt != 0 && plt_is_rela) relocations_[1] = {reinterpret_cast<const ElfW(Rela)*>(plt), plt_bytes / sizeof(ElfW(Rela))};
}

const char* DynamicTables::SymbolName(uint32_t symbol) const {
  const uint32_t name = symbols_[symbol].st_name;
  return name < strings_size_ ? strings_ + name : "";
}

uintptr_t DynamicTables::FunctionAddress(const char* name) const {
  if (symbols_ == nullptr) return 0;
  const uint32_t symbol = gnu_hash_ != nullptr ? FindByGnuHash(name) : FindBySysvHash(name);
  return symbol == STN_UNDEF ? 0 : bias_ + symbols_[symbol].st_value;
}

bool DynamicTables::IsFunction(uint32_t symbol, const char* name) const {
  const ElfW(Sym)& entry = symbols_[symbol];
  return entry.st_shndx != SHN_UNDEF && ELF64_ST_TYPE(entry.st_info) == STT_FUNC && strcmp(SymbolName(symbol), name) == 0;
}

uint32_t DynamicTables::FindBySysvHash(const char* name) const {
  if (sysv_hash_ == nullptr) return STN_UNDEF;
  uint32_t hash = 0;
  for (const char* c = name; *c != '\0'; ++c) {
    hash = (hash << 4) + static_cast<uint8_t>(*c);
    hash = (hash ^ ((hash >> 24) & 0xf0)) & 0x0fffffff;
  }
  const uint32_t bucket_count = sysv_hash_[0];
  if (bucket_count == 0) return STN_UNDEF;
  const uint32_t* chains = sysv_hash_ + 2 + bucket_count;
  uint32_t symbol = sysv_hash_[2 + hash % bucket_count];
  while (symbol != STN_UNDEF && !IsFunction(symbol, name)) symbol = chains[symbol];
  return symbol;
}

uint32_t DynamicTables::FindByGnuHash(const char* name) const {
  uint32_t hash = 5381;
  for (const char* c = name; *c != '\0'; ++c) hash = hash * 33 + static_cast<uint8_t>(*c);

  const uint32_t bucket_count = gnu_hash_[0], first_symbol = gnu_hash_[1], bloom_words = gnu_hash_[2];
  if (bucket_count == 0) return STN_UNDEF;
  const uint32_t* buckets = gnu_hash_ + 4 + bloom_words * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
  const uint32_t* chains = buckets + bucket_count;
  uint32_t symbol = buckets[hash % bucket_count];
  if (symbol < first_symbol) return STN_UNDEF;
  for (;; ++symbol) {
    const uint32_t chained = chains[symbol - first_symbol];
    if ((chained | 1) == (hash | 1) && IsFunction(symbol, name)) return symbol;
    if ((chained & 1) != 0) return STN_UNDEF;
  }
}

}  // namespace memprof
