// Files that nobody else may read (0600), written completely or not at all. Thread-safe (no state).
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace memprof {

// Replaces what is there. Links are not followed. kIo.
Status WritePrivateFile(const std::string& path, std::string_view bytes);

}  // namespace memprof
