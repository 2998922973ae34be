// zstd: frames of RFC 8878, as Spark writes them. A log that is being written has no end of its frame yet: what zstd has flushed is read.
#include <zstd.h>

#include <algorithm>
#include <new>
#include <string>
#include <vector>

#include "eventlog/files/decoder.h"

namespace memprof {
namespace {

constexpr int kLargestWindowLog = 27;  // 128 MiB; Spark's levels stay below
constexpr size_t kBlockHeaderBytes = 3;

class Zstd final : public Decoder {
 public:
  explicit Zstd(Sink sink) : sink_(std::move(sink)), stream_(ZSTD_createDStream()), text_(ZSTD_DStreamOutSize()) {
    if (stream_ == nullptr || ZSTD_isError(ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, kLargestWindowLog))) throw std::bad_alloc();
  }
  ~Zstd() override { ZSTD_freeDStream(stream_); }
  Zstd(const Zstd&) = delete;
  Zstd& operator=(const Zstd&) = delete;

  Status Add(std::string_view bytes) override {
    while (!bytes.empty()) {
      const size_t step = std::min(Step(), ZSTD_DStreamInSize());
      const std::string_view piece = bytes.substr(0, step - begun_.size());
      bytes.remove_prefix(piece.size());
      begun_ += piece;
      if (begun_.size() < step) return {};
      const bool ok = DecodeStep();
      begun_.clear();
      if (!ok) return Status::Error(ErrorCode::kCorrupt, "has a damaged frame of zstd");
    }
    return {};
  }
  bool AtEnd() const override { return wanted_ == 0 && begun_.empty(); }

 private:
  // Decodes at most one block at a time: when a call of zstd fails, its output is lost, and with several blocks that would include
  // undamaged ones. zstd asks for the rest of a block and the header of the next; for more than any block only in a frame that is skipped.
  // It hands on parts of a block that is not compressed, so it gets the same pieces however they come.
  size_t Step() const { return wanted_ > kBlockHeaderBytes ? wanted_ - kBlockHeaderBytes : std::max<size_t>(wanted_, 1); }

  bool DecodeStep() {
    ZSTD_inBuffer in{begun_.data(), begun_.size(), 0};
    while (in.pos < in.size) {
      ZSTD_outBuffer out{text_.data(), text_.size(), 0};
      wanted_ = ZSTD_decompressStream(stream_, &out, &in);
      sink_({text_.data(), out.pos});
      if (ZSTD_isError(wanted_)) return false;  // also where it takes nothing of its input
    }
    return true;
  }

  Sink sink_;
  ZSTD_DStream* stream_;
  std::vector<char> text_;  // has room for any block
  std::string begun_;       // of the next step, while the rest of it is not there
  size_t wanted_ = 0;       // bytes that zstd asks for next; 0: a frame has ended
};

}  // namespace

std::unique_ptr<Decoder> ZstdDecoder(Decoder::Sink sink) { return std::make_unique<Zstd>(std::move(sink)); }

}  // namespace memprof
