// Files that nobody else may read (0600), written completely or not at all, and directories that nobody else may enter (0700).
// java-glue has the same rule for directories (PrivateDirectories.java). Thread-safe (no state).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace memprof {

// Replaces what is there. Links are not followed. kIo.
Status WritePrivateFile(const std::string& path, std::string_view bytes);

// All of a file of this user, which may come from anybody else: links are not followed, and nothing waits for a pipe's other end. kIo:
// it can't be read. kCorrupt: it isn't a file of this user, or is larger than `most_bytes`.
Result<std::string> ReadPrivateFile(const std::string& path, uint64_t most_bytes);

// Makes a private directory, and its missing parents (with the umask's mode). If it exists already, anybody may have made it. So it must
// be a real directory (no link), ours, and closed to others. kIo: the message names the directory, and its owner if that is another user.
Status MakePrivateDirectory(const std::string& path);

}  // namespace memprof
