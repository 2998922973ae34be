// ChunkDecoder: for codecs whose file is a sequence of chunks, each preceded by its length. Keeps the incomplete rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "eventlog/files/decoder.h"

namespace memprof {

inline constexpr size_t kMostChunkBytes = 64u << 20;  // of a chunk, packed or not; the codecs' own bounds are lower

class ChunkDecoder : public Decoder {
 public:
  explicit ChunkDecoder(Sink sink) : sink_(std::move(sink)) {}

  Status Add(std::string_view bytes) final {
    waiting_ += bytes;
    std::string_view rest = waiting_;
    while (!rest.empty()) {
      Result<size_t> taken = Chunk(rest);
      if (!taken.ok()) return taken.status();
      if (*taken == 0) break;
      rest.remove_prefix(*taken);
    }
    waiting_.erase(0, waiting_.size() - rest.size());
    return {};
  }
  bool AtEnd() const final { return waiting_.empty(); }

 protected:
  // Passes on the contents of the first chunk of `bytes` and returns the chunk's length; 0: it is not complete yet.
  virtual Result<size_t> Chunk(std::string_view bytes) = 0;

  static uint32_t BigEndian(std::string_view bytes, size_t at, size_t count) {
    uint32_t value = 0;
    for (size_t i = 0; i < count; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
  }
  static uint32_t LittleEndian(std::string_view bytes, size_t at) {
    uint32_t value = 0;
    for (size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
  }

  // A buffer of so many bytes; the same memory each time.
  char* Room(size_t bytes) {
    if (text_.size() < bytes) text_.resize(bytes);
    return text_.data();
  }
  void HandOn(size_t bytes) { sink_({text_.data(), bytes}); }
  void HandOn(std::string_view bytes) { sink_(bytes); }

 private:
  Sink sink_;
  std::string waiting_, text_;
};

}  // namespace memprof
