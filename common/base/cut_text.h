// Texts cut to a bound. Pure, thread-safe.
#pragma once

#include <cstddef>
#include <string_view>

namespace memprof {

// The first `limit` bytes, not cutting a UTF-8 sequence. Refers to `text`.
inline std::string_view CutText(std::string_view text, size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xc0) == 0x80) --limit;
  return text.substr(0, limit);
}

}  // namespace memprof
