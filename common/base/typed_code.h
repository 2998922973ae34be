// Names of code that was typed at Python's own prompt. Pure function, thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace memprof {

// From CPython 3.13 on each input has a name of its own: <python-input-3>, or without a capable terminal <stdin-3> (<stdin>-3 in the
// first 3.13). The interpreter keeps its text. Before, all are <stdin>, without a text.
inline bool IsTypedAtPrompt(std::string_view file) {
  constexpr std::array<std::string_view, 3> kBegins = {"<python-input-", "<stdin-", "<stdin>-"};
  return std::any_of(kBegins.begin(), kBegins.end(), [&](std::string_view begin) { return file.starts_with(begin); });
}

}  // namespace memprof
