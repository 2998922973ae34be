#include "report/packed_text.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <new>

namespace memprof {
namespace {

constexpr int kGzip = 15 + 16;   // the largest window, and gzip's frame around the data
constexpr int kMemoryLevel = 8;  // zlib's default
constexpr size_t kPiece = 64 << 10;

constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string Base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t three = 0;
    for (size_t j = 0; j < 3; ++j) three = three << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0);
    for (size_t j = 0; j < 4; ++j) text += i + j <= bytes.size() ? kLetters[three >> (18 - 6 * j) & 63] : '=';
  }
  return text;
}

// Null if a letter is not one of Base64's.
std::optional<std::string> FromBase64(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 3);
  uint32_t bits = 0;
  int known = 0;
  for (char letter : text) {
    const size_t value = kLetters.find(letter);
    if (value == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<uint32_t>(value);
    known += 6;
    if (known < 8) continue;
    known -= 8;
    bytes += static_cast<char>(bits >> known & 0xff);
  }
  return bytes;
}

}  // namespace

struct TextPacker::Impl {
  explicit Impl(TextSink& sink) : to(sink) {
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
  }
  ~Impl() { deflateEnd(&stream); }

  // Base64 goes by three bytes; up to two of them wait in `packed` for the next piece.
  void Deflate(std::string_view text, int flush) {
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // zlib doesn't write there
    stream.avail_in = static_cast<uInt>(text.size());
    do {
      stream.next_out = reinterpret_cast<Bytef*>(packed.data() + waiting);
      stream.avail_out = static_cast<uInt>(packed.size() - waiting);
      if (deflate(&stream, flush) == Z_STREAM_ERROR) throw std::bad_alloc();
      const size_t bytes = packed.size() - stream.avail_out, whole = bytes - bytes % 3;
      to.Write(Base64({packed.data(), whole}));
      waiting = bytes - whole;
      std::copy_n(packed.data() + whole, waiting, packed.data());
    } while (stream.avail_out == 0);
  }

  TextSink& to;
  z_stream stream = {};
  std::array<char, kPiece> packed;
  size_t waiting = 0;
};

TextPacker::TextPacker(TextSink& to) : impl_(std::make_unique<Impl>(to)) {}

TextPacker::~TextPacker() = default;

void TextPacker::Write(std::string_view piece) {
  constexpr size_t kMost = std::numeric_limits<uInt>::max();
  for (; !piece.empty(); piece.remove_prefix(std::min(piece.size(), kMost))) impl_->Deflate(piece.substr(0, kMost), Z_NO_FLUSH);
}

void TextPacker::End() {
  impl_->Deflate({}, Z_FINISH);
  impl_->to.Write(Base64({impl_->packed.data(), impl_->waiting}));
}

std::string PackText(std::string_view text) {
  StringSink packed;
  TextPacker packer(packed);
  packer.Write(text);
  packer.End();
  return std::move(packed.text);
}

std::optional<std::string> UnpackText(std::string_view packed, size_t most) {
  std::optional<std::string> bytes = FromBase64(packed);
  if (!bytes) return std::nullopt;
  z_stream stream = {};
  if (inflateInit2(&stream, kGzip) != Z_OK) throw std::bad_alloc();
  stream.next_in = reinterpret_cast<Bytef*>(bytes->data());
  stream.avail_in = static_cast<uInt>(bytes->size());
  std::string text;
  int end = Z_OK;
  while (end == Z_OK && text.size() < most) {
    const size_t had = text.size();
    text.resize(std::min(most, had + kPiece));
    stream.next_out = reinterpret_cast<Bytef*>(text.data() + had);
    stream.avail_out = static_cast<uInt>(text.size() - had);
    end = inflate(&stream, Z_NO_FLUSH);
    text.erase(text.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (end != Z_STREAM_END) return std::nullopt;
  return text;
}

}  // namespace memprof
