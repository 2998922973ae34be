// The source position of one return address. Plain values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace memprof {

struct SourceCall {
  std::string function, file;  // "" = unknown
  uint32_t line = 0;           // of the call that this function makes; 0 = unknown
  bool operator==(const SourceCall&) const = default;
};

// Outermost first. The first is the function that the linker knows; each further one was inlined into the one before it. Never
// empty after a look-up: without any name it is one entry without a function.
using SourceCalls = std::vector<SourceCall>;

}  // namespace memprof
