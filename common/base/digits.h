// Text that is a number without a sign. Pure function, thread-safe.
#pragma once

#include <algorithm>
#include <string_view>

namespace memprof {

inline bool AllDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace memprof
