// How a large model lies in an HTML file, and a large part of one in an event log: gzip (RFC 1952) in Base64 (RFC 4648), which any
// browser unpacks. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace memprof {

std::string PackText(std::string_view text);  // throws std::bad_alloc

// Null for what isn't packed so, is damaged, or comes to more than `most` bytes: the text may be anybody's.
std::optional<std::string> UnpackText(std::string_view packed, size_t most);

}  // namespace memprof
