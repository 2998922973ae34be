// compress-lzf's LZFOutputStream: a chunk is "ZV", a byte (0 uncompressed, 1 lzf), its length, for lzf also the unpacked length (2 bytes
// each, big-endian), and the bytes.
extern "C" {
#include <lzf.h>
}

#include "eventlog/files/chunks.h"

namespace memprof {
namespace {

constexpr size_t kHeaderBytes = 5, kPackedHeaderBytes = 7;
constexpr char kAsItIs = 0, kLzf = 1;

class Lzf final : public ChunkDecoder {
 public:
  using ChunkDecoder::ChunkDecoder;

 private:
  Result<size_t> Chunk(std::string_view bytes) override {
    if (bytes.size() < kHeaderBytes) return size_t{0};
    const char type = bytes[kLzfMagic.size()];
    if (!bytes.starts_with(kLzfMagic) || (type != kAsItIs && type != kLzf)) return Damaged();
    const size_t header = type == kLzf ? kPackedHeaderBytes : kHeaderBytes, packed = BigEndian(bytes, 3, 2);
    if (bytes.size() < header + packed) return size_t{0};
    const std::string_view body = bytes.substr(header, packed);
    if (type == kAsItIs) {
      HandOn(body);
    } else {
      const size_t length = BigEndian(bytes, 5, 2);
      const unsigned made = lzf_decompress(body.data(), static_cast<unsigned>(packed), Room(length), static_cast<unsigned>(length));
      if (made != length || length == 0) return Damaged();
      HandOn(length);
    }
    return header + packed;
  }

  static Status Damaged() { return Status::Error(ErrorCode::kCorrupt, "has a damaged block of lzf"); }
};

}  // namespace

std::unique_ptr<Decoder> LzfDecoder(Decoder::Sink sink) { return std::make_unique<Lzf>(std::move(sink)); }

}  // namespace memprof
