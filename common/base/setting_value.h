// Values of settings, read as Spark reads them. Cold: never called from hooks.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace memprof {

// Without the blanks around it, as Java's String.trim.
inline std::string_view Trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// Capitals or not, with blanks around it or not, as Spark's settings. Nothing: it is neither "true" nor "false".
inline std::optional<bool> ParseBoolean(std::string_view text) {
  const std::string_view word = Trimmed(text);
  const auto is = [&](std::string_view other) {
    if (word.size() != other.size()) return false;
    for (size_t i = 0; i < word.size(); ++i) {
      const char lower = word[i] >= 'A' && word[i] <= 'Z' ? static_cast<char>(word[i] - 'A' + 'a') : word[i];
      if (lower != other[i]) return false;
    }
    return true;
  };
  if (is("true")) return true;
  return is("false") ? std::optional(false) : std::nullopt;
}

}  // namespace memprof
