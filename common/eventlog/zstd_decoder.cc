// zstd: frames of RFC 8878, as Spark writes them. A log that is being written has no end of its frame yet: what zstd has flushed is read.
#include <zstd.h>

#include <new>
#include <vector>

#include "eventlog/decoder.h"

namespace memprof {
namespace {

constexpr int kLargestWindowLog = 27;  // 128 MiB; Spark's levels stay below

class Zstd final : public Decoder {
 public:
  explicit Zstd(Sink sink) : sink_(std::move(sink)), stream_(ZSTD_createDStream()), text_(ZSTD_DStreamOutSize()) {
    if (stream_ == nullptr || ZSTD_isError(ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, kLargestWindowLog))) throw std::bad_alloc();
  }
  ~Zstd() override { ZSTD_freeDStream(stream_); }
  Zstd(const Zstd&) = delete;
  Zstd& operator=(const Zstd&) = delete;

  Status Add(std::string_view bytes) override {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    bool more = true;  // text that didn't fit is still inside
    while (in.pos < in.size || more) {
      ZSTD_outBuffer out{text_.data(), text_.size(), 0};
      const size_t wanted = ZSTD_decompressStream(stream_, &out, &in);
      sink_({text_.data(), out.pos});
      if (ZSTD_isError(wanted)) return Status::Error(ErrorCode::kCorrupt, "has a damaged frame of zstd");
      at_end_ = wanted == 0;
      more = out.pos == out.size;
    }
    return {};
  }
  bool AtEnd() const override { return at_end_; }

 private:
  Sink sink_;
  ZSTD_DStream* stream_;
  std::vector<char> text_;
  bool at_end_ = true;
};

}  // namespace

std::unique_ptr<Decoder> ZstdDecoder(Decoder::Sink sink) { return std::make_unique<Zstd>(std::move(sink)); }

}  // namespace memprof
