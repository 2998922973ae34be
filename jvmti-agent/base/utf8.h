// UTF-8 and UTF-16. Pure functions, thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace memprof {

std::string Utf16ToUtf8(std::u16string_view text);  // a lone surrogate becomes U+FFFD
std::u16string Utf8ToUtf16(std::string_view text);  // a malformed byte becomes U+FFFD

}  // namespace memprof
