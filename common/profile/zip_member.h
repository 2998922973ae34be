// A file inside a zip archive, by minizip's reader. Thread-safe (no state).
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace memprof {

// `path` as Python names code from an archive: the archive's own path, "/", the member's path. Nothing where no part of the path
// is a regular file, or the archive has no such member, or the member has more than `most_bytes`, is encrypted or damaged.
std::optional<std::string> ReadZipMember(const std::string& path, size_t most_bytes);

}  // namespace memprof
