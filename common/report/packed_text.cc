#include "report/packed_text.h"

#include <zlib.h>

#include <cstdint>
#include <limits>
#include <new>

namespace memprof {
namespace {

constexpr int kGzip = 15 + 16;   // the largest window, and gzip's frame around the data
constexpr int kMemoryLevel = 8;  // zlib's default

std::string Gzip(std::string_view text) {
  z_stream stream = {};
  if (text.size() > std::numeric_limits<uInt>::max() ||
      deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // zlib doesn't write there
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int end = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (end != Z_STREAM_END) throw std::bad_alloc();
  return packed;
}

std::string Base64(std::string_view bytes) {
  constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t three = 0;
    for (size_t j = 0; j < 3; ++j) three = three << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0);
    for (size_t j = 0; j < 4; ++j) text += i + j <= bytes.size() ? kLetters[three >> (18 - 6 * j) & 63] : '=';
  }
  return text;
}

}  // namespace

std::string PackText(std::string_view text) { return Base64(Gzip(text)); }

}  // namespace memprof
