// Last words of a JVM that can't wait for a message to arrive. Its envelopes are in one file beside the black boxes, for the next
// executor on the same host, which sends them, or for the process that started the driver. Private (0600), written completely or
// not at all. Thread-safe (no state).
//
//   "MPWORDS1", then for each envelope: size (4 bytes) and checksum (8 bytes), both little-endian, then its bytes
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace memprof {

inline constexpr size_t kMaxWordsBytes = 1u << 20;  // of a file
inline constexpr size_t kMaxEnvelopes = 256;

// Envelopes that don't fit are left out, the last ones first. Replaces what this process has written before.
Status WriteWords(const std::string& directory, int32_t pid, const std::vector<std::string>& envelopes);

bool IsGone(int32_t pid);  // no process has that number

// The pid of the JVM that wrote a file of this name; nothing for other names.
std::optional<int32_t> PidOfWords(std::string_view name);

// Envelopes of a file, which is not trusted until it has been checked. kIo: it can't be read; kCorrupt: it is another user's,
// torn, or not such a file.
Result<std::vector<std::string>> ReadWords(const std::string& path);

// Envelopes of processes that are gone, whose files are removed; files that are torn or not ours are left and counted.
struct FoundWords {
  std::vector<std::string> envelopes;
  uint64_t refused = 0;
};
FoundWords TakeWordsOfTheDead(const std::string& directory);

}  // namespace memprof
