#include "eventlog/files/decoder.h"

#include <gtest/gtest.h>

#include <array>
#include <charconv>
#include <random>
#include <string>

namespace memprof {
namespace {

// What Spark 4.3's own codecs made of Text(), in hex (integration/tests/codecs/Recompress.java); 3.5's bytes are the same.
constexpr const char* kZstd =
    "28b52ffd0048140200d4027b224576656e74223a226c696e652030222c22616761696e223a22616e6420616761696e20227d0a31323334"
    "3507006094407481880522094497aa3edaa23c01010000";
constexpr const char* kLz4 =
    "4c5a34426c6f636b254c00000026010000948f3c0ff1107b224576656e74223a226c696e652030222c22616761696e223a22616e64200c"
    "0015200a003b227d0a31001f3131001d1f3231001d1f3331001d1f3431001d1f3531000950696e227d0a4c5a34426c6f636b1500000000"
    "0000000000000000";
constexpr const char* kSnappy =
    "82534e4150505900000000010000000100000048a602787b224576656e74223a226c696e652030222c22616761696e223a22616e642005"
    "0c0020150a08227d0a3a31000031be31000032be31000033be31000034be31000035823100";
constexpr const char* kLzf =
    "5a5601004a0126177b224576656e74223a226c696e652030222c22616761696e201003616e6420600b0020e0000902227d0ae006300031"
    "e027300032e027300033e027300034e027300035e01630017d0a";

std::string Text() {
  std::string text;
  for (char i = '0'; i < '6'; ++i) text += std::string("{\"Event\":\"line ") + i + "\",\"again\":\"and again and again\"}\n";
  return text;
}

std::string Bytes(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2) {
    unsigned char byte = 0;
    std::from_chars(hex.data() + i, hex.data() + i + 2, byte, 16);
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

struct Decoded {
  std::string text;
  bool damaged = false, at_end = true;
};

Decoded Decode(std::string_view bytes, size_t piece = SIZE_MAX) {
  Decoded decoded;
  auto decoder = DecoderOf(bytes, [&](std::string_view text) { decoded.text += text; });
  for (size_t at = 0; at < bytes.size() && !decoded.damaged; at += std::min(piece, bytes.size() - at)) {
    decoded.damaged = !decoder->Add(bytes.substr(at, piece)).ok();
  }
  decoded.at_end = decoder->AtEnd();
  return decoded;
}

class Codec : public ::testing::TestWithParam<const char*> {};

TEST_P(Codec, SaysWhatSparkWrote) {
  const std::string bytes = Bytes(GetParam());
  for (size_t piece : {SIZE_MAX, size_t{1}, size_t{7}}) {
    const Decoded decoded = Decode(bytes, piece);
    EXPECT_EQ(decoded.text, Text()) << piece;
    EXPECT_FALSE(decoded.damaged);
    EXPECT_TRUE(decoded.at_end);
  }
}

TEST_P(Codec, TwoStreamsFollowOneAnother) { EXPECT_EQ(Decode(Bytes(GetParam()) + Bytes(GetParam())).text, Text() + Text()); }

TEST_P(Codec, CutAnywhereItKeepsWhatIsWhole) {
  const std::string one = Bytes(GetParam()), two = one + one;
  bool any_cut = false;
  for (size_t end = one.size(); end < two.size(); ++end) {
    const Decoded decoded = Decode(std::string_view(two).substr(0, end), 11);
    EXPECT_TRUE(decoded.text.starts_with(Text())) << end;
    EXPECT_TRUE((Text() + Text()).starts_with(decoded.text)) << end;
    EXPECT_FALSE(decoded.damaged) << end;
    any_cut |= !decoded.at_end;
  }
  EXPECT_TRUE(any_cut);
}

TEST_P(Codec, BytesMayBeAnything) {
  std::mt19937 random(30'011);
  const std::string good = Bytes(GetParam());
  size_t damaged = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = good;
    for (int change = 0; change < 3; ++change) bytes[8 + random() % (bytes.size() - 8)] = static_cast<char>(random());
    damaged += Decode(bytes, 1 + random() % 40).damaged;
  }
  EXPECT_GT(damaged, 300u);
}

INSTANTIATE_TEST_SUITE_P(Of, Codec, ::testing::Values(kZstd, kLz4, kSnappy, kLzf), [](const auto& codec) {
  return std::string(std::array{"Zstd", "Lz4", "Snappy", "Lzf"}[codec.index]);
});

TEST(Decoder, HandsOnTextAsItIs) { EXPECT_EQ(Decode(Text(), 5).text, Text()); }

TEST(Decoder, TakesBlocksThatWereNotWorthPacking) {
  EXPECT_EQ(Decode(Bytes("4c5a34426c6f636b150300000003000000000000007b7d0a")).text, "{}\n");
  EXPECT_EQ(Decode(Bytes("5a560000037b7d0a")).text, "{}\n");
}

TEST(Decoder, KeepsTheBlockOfZstdBeforeADamagedOne) {
  const std::string bytes = Bytes("28b52ffd002b5a9c0078060000");  // a frame: 5003 times 'x'; a block of no known type
  for (size_t piece : {SIZE_MAX, size_t{1}, size_t{7}, size_t{10}}) {
    const Decoded decoded = Decode(bytes, piece);
    EXPECT_EQ(decoded.text, std::string(5003, 'x')) << piece;
    EXPECT_TRUE(decoded.damaged);
  }
}

TEST(Decoder, WhatItSaysOfADamagedFrameOfZstdDoesNotDependOnPieces) {
  // A last block of 12 bytes that are not packed, in a frame that says it holds 19.
  const std::string bytes = Bytes("28b52ffd201361000061206c6f6e676572206c696e");
  const Decoded at_once = Decode(bytes);
  EXPECT_TRUE(at_once.damaged);
  for (size_t piece = 1; piece < bytes.size(); ++piece) {
    EXPECT_EQ(Decode(bytes, piece).text, at_once.text) << piece;
    EXPECT_TRUE(Decode(bytes, piece).damaged) << piece;
  }
}

TEST(Decoder, AFrameOfZstdThatIsToBeSkippedIsSkipped) {
  const std::string skipped = Bytes("502a4d1800001000") + std::string(1 << 20, 's');
  for (size_t piece : {SIZE_MAX, size_t{1'000}}) EXPECT_EQ(Decode(Bytes(kZstd) + skipped + Bytes(kZstd), piece).text, Text() + Text());
}

TEST(Decoder, RefusesLengthsThatNobodyWrites) {
  EXPECT_TRUE(Decode(Bytes("4c5a34426c6f636b25ffffff7f0300000000000000")).damaged);
  EXPECT_TRUE(Decode(Bytes("4c5a34426c6f636b2503000000ffffff7f00000000")).damaged);
  EXPECT_TRUE(Decode(Bytes("82534e4150505900000000010000000105000000")).damaged);
  EXPECT_TRUE(Decode(Bytes("82534e4150505900000000010000000100000006ffffffff0f00")).damaged) << "4 GiB of five bytes";
}

}  // namespace
}  // namespace memprof
