// UTF-8 and UTF-16. What a schema calls a string is valid UTF-8, or the other side refuses the whole message: names from
// JVMTI (modified UTF-8), boxes and command lines pass through Utf8Repaired() first. Pure functions, thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace memprof {

std::string Utf16ToUtf8(std::u16string_view text);  // a lone surrogate becomes U+FFFD
std::u16string Utf8ToUtf16(std::string_view text);  // a malformed byte becomes U+FFFD
std::string Utf8Repaired(std::string_view text);    // itself when it is valid

}  // namespace memprof
