// Small kernel files as text. Cold: allocates. Thread-safe (no state).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace memprof {

// The whole file, at most `most` bytes of it (a file of /proc has no size). kIo names path and reason.
Result<std::string> ReadTextFile(const std::string& path, size_t most = 1u << 20);

std::vector<std::string_view> SplitLines(std::string_view text);
// Separated by any number of spaces and tabs.
std::vector<std::string_view> SplitWords(std::string_view text);
std::optional<uint64_t> ParseNumber(std::string_view text);  // decimal digits only

// The number that is the first line. What follows that line isn't looked at.
std::optional<uint64_t> NumberInFirstLine(std::string_view text);
// The same of a file.
std::optional<uint64_t> ReadNumberFile(const std::string& path);

// The number behind `key` in lines like "key 123" or "key:   123 kB" (then times 1024).
std::optional<uint64_t> NumberOf(std::string_view text, std::string_view key);

}  // namespace memprof
