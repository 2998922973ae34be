// The form of a large model in an HTML file, and of a large part of it in an event log: gzip (RFC 1952) in Base64 (RFC 4648),
// which any browser unpacks. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace memprof {

std::string PackText(std::string_view text);  // throws std::bad_alloc

// Null for text that isn't packed this way, is damaged, or unpacks to more than `most` bytes: the text is not trusted.
std::optional<std::string> UnpackText(std::string_view packed, size_t most);

}  // namespace memprof
