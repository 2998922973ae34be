// A black box's file name says whose it is:
//
//   memprof+<application>+<executor>+<boot id>+<pid>+<start ticks>+<random>.box
//
// Characters outside of [A-Za-z0-9._-] become '_', long ids are cut; the whole ids stand inside the box. Cold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace memprof::box {

inline constexpr size_t kMaxNameBytes = 256;  // with the NUL; every part is bounded, so names always fit
inline constexpr size_t kNamedApplicationBytes = 96, kNamedExecutorBytes = 40, kNamedBootIdBytes = 36;

// Writes the name, NUL-terminated.
void MakeName(char (&name)[kMaxNameBytes], std::string_view application_id, std::string_view executor_id, std::string_view boot_id,
              int32_t pid, uint64_t start_ticks, uint64_t random);

// True for the name of a box of any application.
bool IsName(std::string_view name);

// True for a box of this application, of any executor.
bool NameBelongsTo(std::string_view name, std::string_view application_id);

}  // namespace memprof::box
