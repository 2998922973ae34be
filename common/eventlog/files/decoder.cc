#include "eventlog/files/decoder.h"

#include <utility>

namespace memprof {
namespace {

class PlainText final : public Decoder {
 public:
  explicit PlainText(Sink sink) : sink_(std::move(sink)) {}

  Status Add(std::string_view bytes) override {
    sink_(bytes);
    return {};
  }
  bool AtEnd() const override { return true; }

 private:
  Sink sink_;
};

}  // namespace

std::unique_ptr<Decoder> DecoderOf(std::string_view first_bytes, Decoder::Sink sink) {
  if (first_bytes.starts_with(kZstdMagic)) return ZstdDecoder(std::move(sink));
  if (first_bytes.starts_with(kLz4Magic)) return Lz4Decoder(std::move(sink));
  if (first_bytes.starts_with(kSnappyMagic)) return SnappyDecoder(std::move(sink));
  if (first_bytes.starts_with(kLzfMagic)) return LzfDecoder(std::move(sink));
  return std::make_unique<PlainText>(std::move(sink));
}

}  // namespace memprof
