// Last words of a JVM that can't wait for a message to arrive. Its envelopes are in one file beside the black boxes, for the next
// executor on the same host, which sends them, or for the process that started the driver. Private (0600), written completely or
// not at all. The functions are thread-safe (no state).
//
//   "MPWORDS2", then the application's id and each envelope: size (4 bytes) and checksum (8 bytes), both little-endian, then its bytes
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace memprof {

inline constexpr size_t kMaxWordsBytes = 1u << 20;  // of a file
inline constexpr size_t kMaxEnvelopes = 256;

struct Words {
  std::string application_id;
  std::vector<std::string> envelopes;
};

// The path of a JVM's words.
std::string WordsPath(const std::string& directory, int32_t pid);

// Envelopes that don't fit are left out, the last ones first. Replaces what this process has written before.
Status WriteWords(const std::string& directory, int32_t pid, const Words& words);

bool IsGone(int32_t pid);  // no process has that number

// The pid of the JVM that wrote a file of this name; nothing for other names.
std::optional<int32_t> PidOfWords(std::string_view name);

// The file is not trusted until it has been checked. kIo: it can't be read; kCorrupt: it is another user's, torn, or not such a file.
Result<Words> ReadWords(const std::string& path);

struct FoundWords {
  struct Refused {
    std::string path, why;
  };
  std::vector<std::string> envelopes;
  std::vector<Refused> refused;  // files that were not refused before
};

// Looks for words of processes of an application that are gone. Not thread-safe.
class WordsOfTheDead {
 public:
  // Returns the envelopes of one process, the most valuable first, and removes its file. At most kMostFiles are read at a time. A file that
  // is torn or not ours is refused once. It is not read again, nor is one of another application; both are removed when they are a day old.
  static constexpr size_t kMostFiles = 64;
  FoundWords Take(const std::string& directory, const std::string& application_id);

 private:
  // Distinguishes a file from a later one of the same name.
  struct Version {
    uint64_t inode;
    int64_t bytes, seconds, nanoseconds;
    bool operator==(const Version&) const = default;
  };
  std::map<std::string, Version> left_;  // by path: files that stay where they are
};

}  // namespace memprof
