#include "facts/held_use.h"

#include <gtest/gtest.h>

#include <vector>

namespace memprof {
namespace {

uint64_t Held(const std::vector<uint64_t>& uses, int64_t apart_ms = 1'000) {
  HeldUse held;
  int64_t time_ms = 5'000;
  for (const uint64_t bytes : uses) held.Add(time_ms += apart_ms, bytes);
  return held.bytes();
}

TEST(HeldUse, ForTenSecondsOnEnd) {
  EXPECT_EQ(Held({}), 0u);
  EXPECT_EQ(Held(std::vector<uint64_t>(11, 104)), 104u);
  EXPECT_EQ(Held(std::vector<uint64_t>(10, 104)), 0u) << "nine seconds";
  EXPECT_EQ(Held({104, 104, 104, 104, 104, 104, 90, 104, 104, 104, 104, 104, 104}), 90u) << "not on end";
  EXPECT_EQ(Held(std::vector<uint64_t>(20, 104), 3'000), 0u) << "nobody looked in between";
}

TEST(HeldUse, OfAllStretchesTheHighest) {
  std::vector<uint64_t> uses(15, 50);
  uses.insert(uses.end(), 20, 104);
  uses.insert(uses.end(), 2'000, 70);
  EXPECT_EQ(Held(uses), 104u);
}

TEST(HeldUse, AClockThatIsSetBackBeginsAnew) {
  HeldUse held;
  for (int64_t second = 0; second < 8; ++second) held.Add(second * 1'000, 104);
  for (int64_t second = 0; second < 8; ++second) held.Add(second * 1'000, 104);
  EXPECT_EQ(held.bytes(), 0u);
}

}  // namespace
}  // namespace memprof
