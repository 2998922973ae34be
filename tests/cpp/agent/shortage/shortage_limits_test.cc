#include "shortage/shortage_limits.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

using Worth = ShortageLimits::Worth;
constexpr int64_t kBegin = 1'000'000'007;

TEST(ShortageLimits, TheHeapIsLookedAtNowAndThenAndEachTaskToldOfOnce) {
  ShortageLimits limits;
  EXPECT_EQ(limits.Met(1, kBegin), Worth::kLooking);
  EXPECT_EQ(limits.Met(1, kBegin + 1), Worth::kCounting);
  EXPECT_EQ(limits.Met(2, kBegin + 2), Worth::kTelling);
  EXPECT_EQ(limits.Met(2, kBegin + 3), Worth::kCounting);
  EXPECT_EQ(limits.Met(-1, kBegin + 4), Worth::kTelling);
  EXPECT_EQ(limits.Met(1, kBegin + ShortageLimits::kBetweenLooksNs - 1), Worth::kCounting);
  EXPECT_EQ(limits.Met(1, kBegin + ShortageLimits::kBetweenLooksNs), Worth::kLooking);
  EXPECT_EQ(limits.errors(), 7u);
}

TEST(ShortageLimits, ThreadsWithoutATaskAreToldOfAgainAfterAWhile) {
  ShortageLimits limits;
  EXPECT_EQ(limits.Met(-1, kBegin), Worth::kLooking);
  EXPECT_EQ(limits.Met(-1, kBegin + ShortageLimits::kBetweenOthersNs - 1), Worth::kCounting);
  EXPECT_EQ(limits.Met(-1, kBegin + ShortageLimits::kBetweenOthersNs), Worth::kTelling);
}

TEST(ShortageLimits, NoMoreAreToldThanItsBound) {
  ShortageLimits limits;
  size_t told = 0;
  for (int64_t task = 0; task < 500; ++task) told += limits.Met(task, kBegin + task * ShortageLimits::kBetweenLooksNs) != Worth::kCounting;
  EXPECT_EQ(told, ShortageLimits::kMostTold);
  EXPECT_EQ(limits.errors(), 500u);
  limits.Reset();
  EXPECT_EQ(limits.errors(), 0u);
  EXPECT_EQ(limits.Met(3, kBegin), Worth::kLooking);
}

TEST(PoolErrorLimits, OneIsToldNowAndThenAndTheFirstOfATask) {
  PoolErrorLimits limits;
  constexpr int64_t kBetween = PoolErrorLimits::kBetweenNs;
  EXPECT_TRUE(limits.Met(-1, kBegin));
  EXPECT_FALSE(limits.Met(-1, kBegin + 1));
  EXPECT_TRUE(limits.Met(7, kBegin + 2));
  EXPECT_FALSE(limits.Met(8, kBegin + 3));
  EXPECT_FALSE(limits.Met(-1, kBegin + kBetween - 1));
  EXPECT_TRUE(limits.Met(-1, kBegin + kBetween));
  EXPECT_TRUE(limits.Met(8, kBegin + kBetween + 1));
  EXPECT_FALSE(limits.Met(9, kBegin + 2 * kBetween - 1));
  EXPECT_TRUE(limits.Met(9, kBegin + 2 * kBetween));
  EXPECT_EQ(limits.errors(), 9u);
  limits.Reset();
  EXPECT_EQ(limits.errors(), 0u);
  EXPECT_TRUE(limits.Met(-1, kBegin + 1));
}

}  // namespace
}  // namespace memprof
