#include "blackbox/two_copies.h"

#include <gtest/gtest.h>

#include <cstring>

namespace memprof::box {
namespace {

struct Value {
  uint64_t a, b;
};

TwoCopies<Value> Written(int times) {
  TwoCopies<Value> record = {};
  for (int i = 1; i <= times; ++i) {
    record.Begin() = {static_cast<uint64_t>(i), static_cast<uint64_t>(i) * 10};
    record.Commit(99);
  }
  return record;
}

TEST(TwoCopies, TheNewestWholeCopyIsRead) {
  TwoCopies<Value> record = {};
  EXPECT_TRUE(record.NeverWritten());
  EXPECT_EQ(record.Newest(99), nullptr);
  for (int times : {1, 2, 3, 100}) {
    record = Written(times);
    EXPECT_FALSE(record.NeverWritten());
    ASSERT_NE(record.Newest(99), nullptr);
    EXPECT_EQ(record.Newest(99)->value.b, static_cast<uint64_t>(times) * 10);
    EXPECT_EQ(record.Current().a, static_cast<uint64_t>(times));
  }
  EXPECT_EQ(record.Newest(98), nullptr) << "a record of another place";
}

// Whichever byte of the newer copy is damaged, the older one is read; of both, none.
TEST(TwoCopies, ADamagedCopyFallsBackToTheLastGood) {
  const TwoCopies<Value> whole = Written(7);
  const size_t newer = whole.copies[0].sequence > whole.copies[1].sequence ? 0 : 1;
  for (size_t byte = 0; byte < sizeof whole.copies[0]; ++byte) {
    TwoCopies<Value> damaged = whole;
    reinterpret_cast<char*>(&damaged.copies[newer])[byte] ^= 0x20;
    ASSERT_NE(damaged.Newest(99), nullptr) << byte;
    EXPECT_EQ(damaged.Newest(99)->value.a, 6u) << byte;
    reinterpret_cast<char*>(&damaged.copies[1 - newer])[byte] ^= 0x20;
    EXPECT_EQ(damaged.Newest(99), nullptr) << byte;
    EXPECT_FALSE(damaged.NeverWritten());
  }
}

// An update that stops after any number of its bytes were stored, in whatever order, leaves the copy before it.
TEST(TwoCopies, AnUpdateCutAnywhereLeavesTheLastGood) {
  TwoCopies<Value> before = Written(7);
  TwoCopies<Value> after = before;
  after.Begin() = {8, 80};
  after.Commit(99);
  for (size_t stored = 0; stored <= sizeof before; ++stored) {
    for (bool from_the_end : {false, true}) {
      TwoCopies<Value> torn = before;
      size_t at = from_the_end ? sizeof before - stored : 0;
      memcpy(reinterpret_cast<char*>(&torn) + at, reinterpret_cast<const char*>(&after) + at, stored);
      const auto* found = torn.Newest(99);
      ASSERT_NE(found, nullptr);
      EXPECT_TRUE((found->value.a == 7 && found->value.b == 70) || (found->value.a == 8 && found->value.b == 80)) << stored;
    }
  }
}

}  // namespace
}  // namespace memprof::box
