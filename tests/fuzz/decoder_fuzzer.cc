// libFuzzer: any bytes as a compressed event log. The first byte chooses the codec, the second where the file is cut in two: what a
// decoder says, and what it hands on, must not depend on the pieces in which it gets them.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "eventlog/files/decoder.h"

namespace {

constexpr size_t kMost = 8u << 20;  // of what is handed on: enough is seen

struct Outcome {
  std::string text;
  bool failed = false, at_end = false;
};

Outcome Decode(std::string_view magic, std::string_view bytes, size_t cut) {
  Outcome outcome;
  const std::unique_ptr<memprof::Decoder> decoder = memprof::DecoderOf(magic, [&](std::string_view text) {
    if (outcome.text.size() < kMost) outcome.text += text;
  });
  for (const std::string_view piece : {bytes.substr(0, cut), bytes.substr(cut)}) {
    if (outcome.failed) break;
    outcome.failed = !decoder->Add(piece).ok();
  }
  outcome.at_end = !outcome.failed && decoder->AtEnd();
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  constexpr std::string_view kMagics[] = {memprof::kZstdMagic, memprof::kLz4Magic, memprof::kSnappyMagic, memprof::kLzfMagic};
  const std::string_view magic = kMagics[data[0] % 4];
  std::string bytes(magic);
  bytes.append(reinterpret_cast<const char*>(data) + 2, size - 2);
  const Outcome whole = Decode(magic, bytes, 0), parts = Decode(magic, bytes, data[1] % (bytes.size() + 1));
  if (whole.text != parts.text || whole.failed != parts.failed || whole.at_end != parts.at_end) abort();
  return 0;
}
