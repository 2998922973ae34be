// snappy-java's SnappyOutputStream: "\x82SNAPPY\0", two versions of 4 bytes; then chunks, each its length (4 bytes, big-endian) and
// snappy's own bytes. Streams may follow one another, header and all.
#include <snappy-c.h>

#include "eventlog/files/chunks.h"

namespace memprof {
namespace {

constexpr size_t kHeaderBytes = 16, kLengthBytes = 4;

class Snappy final : public ChunkDecoder {
 public:
  using ChunkDecoder::ChunkDecoder;

 private:
  Result<size_t> Chunk(std::string_view bytes) override {
    if (bytes[0] == kSnappyMagic[0]) return Header(bytes);
    if (bytes.size() < kLengthBytes) return size_t{0};
    const size_t packed = BigEndian(bytes, 0, kLengthBytes);
    if (packed > kMostChunkBytes) return Damaged();
    if (bytes.size() < kLengthBytes + packed) return size_t{0};
    const char* body = bytes.data() + kLengthBytes;
    size_t length = 0;
    if (snappy_uncompressed_length(body, packed, &length) != SNAPPY_OK || length > kMostChunkBytes) return Damaged();
    if (snappy_uncompress(body, packed, Room(length), &length) != SNAPPY_OK) return Damaged();
    HandOn(length);
    return kLengthBytes + packed;
  }

  static Result<size_t> Header(std::string_view bytes) {
    if (bytes.size() < kHeaderBytes) return size_t{0};
    if (!bytes.starts_with(kSnappyMagic)) return Damaged();
    return kHeaderBytes;
  }

  static Status Damaged() { return Status::Error(ErrorCode::kCorrupt, "has a damaged block of snappy"); }
};

}  // namespace

std::unique_ptr<Decoder> SnappyDecoder(Decoder::Sink sink) { return std::make_unique<Snappy>(std::move(sink)); }

}  // namespace memprof
