// Files that nobody else may read (0600), written completely or not at all, and directories that nobody else may enter (0700).
// java-glue has the same rule for directories (PrivateDirectories.java). Thread-safe (no state).
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace memprof {

// Replaces what is there. Links are not followed. kIo.
Status WritePrivateFile(const std::string& path, std::string_view bytes);

// Makes a private directory, and those of its parents that are missing, which are as the umask says. One that is there already has to be a
// directory and no link, ours, and closed to others: anybody may have made it before. kIo; the message names it, and a foreign owner.
Status MakePrivateDirectory(const std::string& path);

}  // namespace memprof
