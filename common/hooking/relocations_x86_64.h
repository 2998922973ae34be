// Relocations that leave a function's address in memory, on x86-64: PLT slots (bound lazily or not), GOT entries (Rust's
// cdylibs, libc itself, everything built with -fno-plt) and words in data (tables of function pointers).
#pragma once

#include <elf.h>

#include <cstdint>

namespace memprof {

inline constexpr uint32_t kJumpSlotRelocation = R_X86_64_JUMP_SLOT;
inline constexpr uint32_t kGotRelocation = R_X86_64_GLOB_DAT;
inline constexpr uint32_t kDataRelocation = R_X86_64_64;

}  // namespace memprof
