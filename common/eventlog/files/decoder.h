// Decoder: the text of a compressed event log, piece by piece. There is one class and one file for each codec; the first bytes of
// the log show which one it is.
//
//   zstd     plain frames (RFC 8878)
//   lz4      blocks of lz4-java's LZ4BlockOutputStream
//   snappy   chunks of snappy-java's SnappyOutputStream
//   lzf      chunks of compress-lzf's LZFOutputStream
//
// The bytes are not trusted. All complete blocks before a damaged place or the end are passed on. Not thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "base/status.h"

namespace memprof {

class Decoder {
 public:
  using Sink = std::function<void(std::string_view)>;

  virtual ~Decoder() = default;

  // Takes the next bytes of the file. kCorrupt: nothing after this place can be read; don't call it again.
  virtual Status Add(std::string_view bytes) = 0;

  // True where the file may end; false in the middle of a block.
  virtual bool AtEnd() const = 0;
};

// For a file with these first bytes (at least eight, or all it has); text that isn't compressed is passed on unchanged.
std::unique_ptr<Decoder> DecoderOf(std::string_view first_bytes, Decoder::Sink sink);

std::unique_ptr<Decoder> ZstdDecoder(Decoder::Sink sink);
std::unique_ptr<Decoder> Lz4Decoder(Decoder::Sink sink);
std::unique_ptr<Decoder> SnappyDecoder(Decoder::Sink sink);
std::unique_ptr<Decoder> LzfDecoder(Decoder::Sink sink);

inline constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd", kLz4Magic = "LZ4Block", kLzfMagic = "ZV";
inline constexpr std::string_view kSnappyMagic{"\x82SNAPPY\0", 8};

}  // namespace memprof
