// How a large model lies in an HTML file: gzip (RFC 1952) in Base64 (RFC 4648), which any browser unpacks. Pure function.
#pragma once

#include <string>
#include <string_view>

namespace memprof {

std::string PackText(std::string_view text);  // throws std::bad_alloc

}  // namespace memprof
