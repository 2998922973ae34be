#include "frames/renamed_codes.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace memprof {
namespace {

StringRef Ref(std::string_view text) { return {text.data(), static_cast<uint32_t>(text.size())}; }

std::string NameIn(const RenamedCodes& codes, const void* code) {
  char buffer[RenamedCodes::kNameBytes];
  const StringRef name = codes.NameOf(code, buffer);
  return {name.data, name.size};
}

class RenamedCodesTest : public testing::Test {
 protected:
  RenamedCodes codes_;
  char code_[2 * RenamedCodes::kMost] = {};
};

TEST_F(RenamedCodesTest, EachCodeHasItsNameUntilTheSessionEnds) {
  EXPECT_EQ(codes_.WordOf(&code_[0]), 0u);
  codes_.Add(&code_[0], Ref("price_0"));
  codes_.Add(&code_[1], Ref("price_1"));
  EXPECT_EQ(NameIn(codes_, &code_[0]), "price_0");
  EXPECT_EQ(NameIn(codes_, &code_[1]), "price_1");
  EXPECT_EQ(NameIn(codes_, &code_[2]), "");
  EXPECT_EQ(codes_.WordOf(&code_[2]), 0u);
  EXPECT_NE(codes_.WordOf(&code_[0]), codes_.WordOf(&code_[1]));

  const uint64_t before = codes_.WordOf(&code_[0]);
  codes_.Add(&code_[0], Ref("price_0, price_7"));
  EXPECT_EQ(NameIn(codes_, &code_[0]), "price_0, price_7");
  EXPECT_NE(codes_.WordOf(&code_[0]), before);

  codes_.Clear();
  EXPECT_EQ(NameIn(codes_, &code_[0]), "");
  codes_.Add(&code_[1], Ref("price_0"));
  EXPECT_EQ(codes_.WordOf(&code_[1]), before) << "the same name has the same word, in any session";
}

TEST_F(RenamedCodesTest, WhatFindsNoRoomKeepsItsCodesName) {
  const std::string longest(RenamedCodes::kNameBytes, 'x');
  codes_.Add(&code_[0], Ref(longest));
  codes_.Add(&code_[1], Ref(longest + "x"));
  codes_.Add(&code_[2], Ref(""));
  EXPECT_EQ(NameIn(codes_, &code_[0]), longest);
  EXPECT_EQ(NameIn(codes_, &code_[1]), "");
  EXPECT_EQ(NameIn(codes_, &code_[2]), "");
  for (char& code : code_) codes_.Add(&code, Ref("each"));
  EXPECT_EQ(NameIn(codes_, &code_[RenamedCodes::kMost - 1]), "each");
  EXPECT_EQ(NameIn(codes_, &code_[RenamedCodes::kMost]), "");
}

TEST_F(RenamedCodesTest, AReaderKnowsThatNamesHaveChanged) {
  uint32_t generation = codes_.generation();
  EXPECT_TRUE(codes_.IsStill(generation));
  codes_.Add(&code_[0], Ref("price_0"));
  EXPECT_FALSE(codes_.IsStill(generation));
  generation = codes_.generation();
  codes_.Clear();
  EXPECT_FALSE(codes_.IsStill(generation));
  generation = codes_.generation();
  codes_.Clear();
  EXPECT_TRUE(codes_.IsStill(generation)) << "there were none";
}

// Each task gives another code object the same name, at the same address.
TEST_F(RenamedCodesTest, ANameIsReadWholeOrNotAtAll) {
  std::atomic<bool> done{false};
  std::atomic<int> wrong{0}, read{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      while (!done) {
        const std::string name = NameIn(codes_, &code_[0]);
        if (name.empty()) continue;
        ++read;
        if (name != std::string(name.size(), name[0]) || name.size() != static_cast<size_t>(name[0] - 'a' + 1)) ++wrong;
      }
    });
  }
  for (int task = 0; task < 20'000 || read < 100; ++task) {
    codes_.Add(&code_[0], Ref(std::string(static_cast<size_t>(task % 26 + 1), static_cast<char>('a' + task % 26))));
    if (task % 3 == 0) codes_.Clear();
  }
  done = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace memprof
