// lz4-java's LZ4BlockOutputStream: a block is
//   "LZ4Block", a byte (high nibble: 1 uncompressed, 2 lz4), packed length, length, checksum (4 bytes each, little-endian), the bytes
// An empty block ends a stream; another may follow. The checksum isn't checked: damaged text is not valid JSON.
#include <lz4.h>

#include "eventlog/files/chunks.h"

namespace memprof {
namespace {

constexpr size_t kHeaderBytes = 21;
constexpr int kAsItIs = 0x10, kLz4 = 0x20;

class Lz4 final : public ChunkDecoder {
 public:
  using ChunkDecoder::ChunkDecoder;

 private:
  Result<size_t> Chunk(std::string_view bytes) override {
    if (bytes.size() < kHeaderBytes) return size_t{0};
    const int method = bytes[kLz4Magic.size()] & 0xf0;
    const size_t packed = LittleEndian(bytes, 9), length = LittleEndian(bytes, 13);
    const bool known = method == kLz4 || (method == kAsItIs && packed == length);
    if (!bytes.starts_with(kLz4Magic) || !known || packed > kMostChunkBytes || length > kMostChunkBytes) return Damaged();
    if (bytes.size() < kHeaderBytes + packed) return size_t{0};
    const std::string_view body = bytes.substr(kHeaderBytes, packed);
    if (method == kAsItIs) {
      HandOn(body);
    } else if (length != 0) {
      const int made = LZ4_decompress_safe(body.data(), Room(length), static_cast<int>(packed), static_cast<int>(length));
      if (made < 0 || static_cast<size_t>(made) != length) return Damaged();
      HandOn(length);
    }
    return kHeaderBytes + packed;
  }

  static Status Damaged() { return Status::Error(ErrorCode::kCorrupt, "has a damaged block of lz4"); }
};

}  // namespace

std::unique_ptr<Decoder> Lz4Decoder(Decoder::Sink sink) { return std::make_unique<Lz4>(std::move(sink)); }

}  // namespace memprof
