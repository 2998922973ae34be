// Text of unknown origin (names from JVMTI, which are modified UTF-8, boxes, symbols, command lines), made fit for protobuf
// strings and JSON, whose readers refuse a whole message for one bad byte. Pure function, thread-safe. Cold: allocates.
#pragma once

#include <string>
#include <string_view>

namespace memprof {

std::string ValidUtf8(std::string_view data);  // itself when it is UTF-8; each byte that isn't becomes U+FFFD

}  // namespace memprof
