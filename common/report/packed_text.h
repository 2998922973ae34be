// The form of a large model in an HTML file, and of a large part of it in an event log: gzip (RFC 1952) in Base64 (RFC 4648),
// which any browser unpacks. The functions are pure; a TextPacker is not thread-safe.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/text_sink.h"

namespace memprof {

// Packs a text piece by piece. Throws std::bad_alloc, and what `to` throws.
class TextPacker : public TextSink {
 public:
  explicit TextPacker(TextSink& to);
  ~TextPacker() override;
  void Write(std::string_view piece) override;
  void End();  // once, after the last piece

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

std::string PackText(std::string_view text);  // throws std::bad_alloc

// Null for text that isn't packed this way, is damaged, or unpacks to more than `most` bytes: the text is not trusted.
std::optional<std::string> UnpackText(std::string_view packed, size_t most);

}  // namespace memprof
