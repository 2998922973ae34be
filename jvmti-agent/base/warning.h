// The only output of this library for people: one line on stderr, written at once, so that lines of several threads and processes
// don't mix. Thread-safe.
#pragma once

#include <string_view>

namespace memprof {

void Warn(std::string_view message);  // prints "sparkmemprof: MESSAGE"

}  // namespace memprof
