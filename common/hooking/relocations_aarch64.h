// Relocations that leave a function's address in memory, on aarch64: PLT slots, GOT entries and words in data.
#pragma once

#include <elf.h>

#include <cstdint>

namespace memprof {

inline constexpr uint32_t kJumpSlotRelocation = R_AARCH64_JUMP_SLOT;
inline constexpr uint32_t kGotRelocation = R_AARCH64_GLOB_DAT;
inline constexpr uint32_t kDataRelocation = R_AARCH64_ABS64;

}  // namespace memprof
