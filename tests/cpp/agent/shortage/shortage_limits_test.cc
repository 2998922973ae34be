#include "shortage/shortage_limits.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

constexpr int64_t kBegin = 1'000'000'007;
constexpr int64_t kLooks = ShortageLimits::kBetweenLooksNs, kOthers = ShortageLimits::kBetweenOthersNs;

TEST(ShortageLimits, EachTaskIsToldOfOnceAndWhenALookIsDue) {
  ShortageLimits limits;
  EXPECT_TRUE(limits.Met(1, kBegin));
  EXPECT_TRUE(limits.Looks(true, kBegin));
  EXPECT_FALSE(limits.Met(1, kBegin + 1));
  EXPECT_TRUE(limits.Met(2, kBegin + 2));
  EXPECT_FALSE(limits.Looks(true, kBegin + 2));
  EXPECT_FALSE(limits.Met(2, kBegin + 3));
  EXPECT_FALSE(limits.Met(1, kBegin + kLooks - 1));
  EXPECT_TRUE(limits.Met(1, kBegin + kLooks));
  EXPECT_TRUE(limits.Looks(true, kBegin + kLooks));
  EXPECT_EQ(limits.errors(), 6u);
}

TEST(ShortageLimits, ALookAtAHeapThatIsNotFullLeavesTheOneAtAFullHeap) {
  ShortageLimits limits;
  EXPECT_TRUE(limits.Looks(false, kBegin));
  EXPECT_FALSE(limits.Looks(false, kBegin + 1));
  EXPECT_TRUE(limits.Looks(true, kBegin + 2));
  EXPECT_FALSE(limits.Looks(true, kBegin + 3));
  EXPECT_TRUE(limits.Looks(false, kBegin + kLooks));
  EXPECT_FALSE(limits.Looks(true, kBegin + kLooks + 1));
  EXPECT_TRUE(limits.Looks(true, kBegin + kLooks + 2));
}

TEST(ShortageLimits, OfErrorsThatFollowEachOtherFewAreToldAlsoWithoutALook) {
  ShortageLimits limits;
  size_t told = 0;
  for (int64_t i = 0; i < 10'000; ++i) told += limits.Met(7, kBegin + i * kLooks / 10) ? 1 : 0;  // for arrays that are too large
  EXPECT_LE(told, ShortageLimits::kMostTold + 10'000 / 10 / 20);
}

TEST(ShortageLimits, OfThreadsWithoutATaskAFewAreToldAtOnce) {
  ShortageLimits limits;
  limits.Looks(true, kBegin);
  size_t told = 0;
  for (int64_t i = 0; i < 9; ++i) told += limits.Met(-1, kBegin + i) ? 1 : 0;
  EXPECT_EQ(told, ShortageLimits::kMostOthers) << "the thread that filled the heap need not be the first to fail";
  EXPECT_FALSE(limits.Met(-1, kBegin + kOthers - 1));
  EXPECT_TRUE(limits.Met(-1, kBegin + kOthers));
}

TEST(ShortageLimits, NoMoreAreToldThanItsBound) {
  ShortageLimits limits;
  size_t told = 0, late = 0;
  const auto is_told = [&](int64_t task) { return limits.Met(task, kBegin + task * kLooks); };
  for (int64_t task = 0; task < 100; ++task) told += is_told(task) ? 1 : 0;
  EXPECT_EQ(told, ShortageLimits::kMostTold + 1) << "the first of the late ones, at 83";
  for (int64_t task = 100; task < 500; ++task) late += is_told(task) ? 1 : 0;
  EXPECT_EQ(late, 20u) << "103, 123 …: the last error of all may be worth much";
  EXPECT_EQ(limits.errors(), 500u);
  limits.Reset();
  EXPECT_EQ(limits.errors(), 0u);
  EXPECT_TRUE(limits.Met(3, kBegin));
  EXPECT_TRUE(limits.Looks(true, kBegin));
}

TEST(ShortageLimits, TheJvmsOwnThreadsHaveABoundOfTheirOwn) {
  ShortageLimits limits;
  EXPECT_TRUE(limits.MetByJvm(kBegin));
  EXPECT_FALSE(limits.MetByJvm(kBegin + 1)) << "counted";
  EXPECT_TRUE(limits.MetByJvm(kBegin + kOthers));
  EXPECT_EQ(limits.errors(), 3u);
  size_t told = 2;
  for (int64_t i = 2; i < 500; ++i) told += limits.MetByJvm(kBegin + i * kOthers) ? 1 : 0;
  EXPECT_EQ(told, ShortageLimits::kMostOwnTold);
  EXPECT_TRUE(limits.Met(-1, kBegin + 4));
  EXPECT_TRUE(limits.Looks(true, kBegin + 4));
  limits.Reset();
  EXPECT_TRUE(limits.MetByJvm(kBegin));
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
