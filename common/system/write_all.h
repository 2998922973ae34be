// Thread-safe (no state).
#pragma once

#include <string_view>

namespace memprof {

// Writes all of it to an open file, also in several pieces. False: it could not; errno says why.
bool WriteAll(int fd, std::string_view bytes);

}  // namespace memprof
