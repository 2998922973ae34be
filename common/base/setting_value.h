// Values of settings, read as Spark reads them, and what other text needs of that. Cold: never called from hooks.
#pragma once

#include <algorithm>
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

// Of a letter of ASCII; other characters stay.
inline char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Capitals or not, with blanks around it or not, as Spark's settings. Nothing: it is neither "true" nor "false".
inline std::optional<bool> ParseBoolean(std::string_view text) {
  const std::string_view word = Trimmed(text);
  const auto is = [&](std::string_view lower) {
    return std::equal(word.begin(), word.end(), lower.begin(), lower.end(), [](char a, char b) { return Lower(a) == b; });
  };
  if (is("true")) return true;
  return is("false") ? std::optional(false) : std::nullopt;
}

}  // namespace memprof
