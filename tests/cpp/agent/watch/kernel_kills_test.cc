#include "watch/kernel_kills.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

using std::chrono::seconds;

const KernelKills::Clock::time_point kBegin = KernelKills::Clock::time_point(seconds(1000));

TEST(KernelKills, OneRiseExplainsOneProcess) {
  KernelKills kills;
  kills.Reset(7);
  kills.Read(7, kBegin);
  EXPECT_EQ(kills.Take(), 0u) << "what was killed before us is none of ours";
  kills.Read(9, kBegin);
  EXPECT_EQ(kills.Take(), 1u);
  EXPECT_EQ(kills.Take(), 1u);
  EXPECT_EQ(kills.Take(), 0u);
}

TEST(KernelKills, ARiseThatNobodyExplainsIsForgotten) {
  KernelKills kills;
  kills.Reset(0);
  kills.Read(1, kBegin);
  kills.Read(1, kBegin + KernelKills::kKept);
  EXPECT_EQ(kills.Take(), 1u) << "its victim went slowly";
  kills.Read(2, kBegin + seconds(100));
  kills.Read(2, kBegin + seconds(101) + KernelKills::kKept);
  EXPECT_EQ(kills.Take(), 0u);
}

TEST(KernelKills, AKillExplainsNobodyWhoWasGoneBefore) {
  KernelKills kills;
  kills.Reset(0);
  kills.Read(1, kBegin);
  EXPECT_EQ(kills.Take(kBegin - seconds(1)), 0u);
  EXPECT_EQ(kills.Take(kBegin - KernelKills::kLate), 1u) << "the counter was read a tick later";
  EXPECT_EQ(kills.Take(), 0u);
}

TEST(KernelKills, WhoMayHaveEndedByItselfIsExplainedByAFreshKillAlone) {
  KernelKills kills;
  kills.Reset(0);
  kills.Read(1, kBegin);
  kills.Read(2, kBegin + seconds(2));
  EXPECT_FALSE(kills.TakeSince(kBegin + seconds(3)));
  EXPECT_TRUE(kills.TakeSince(kBegin + seconds(2)));
  EXPECT_FALSE(kills.TakeSince(kBegin + seconds(2)));
  EXPECT_EQ(kills.Take(), 1u) << "the older one is another's";
}

TEST(KernelKills, WithoutARiseTheKernelHasKilledNothing) {
  KernelKills kills;
  kills.Reset(7);
  kills.Read(7, kBegin);
  EXPECT_FALSE(kills.MayHaveKilled());
  kills.Read(8, kBegin);
  EXPECT_TRUE(kills.MayHaveKilled());
  kills.Read(8, kBegin + seconds(1) + KernelKills::kKept);
  EXPECT_FALSE(kills.MayHaveKilled());
}

TEST(KernelKills, AReadingThatFailsSaysNothing) {
  KernelKills kills;
  kills.Reset(7);
  kills.Read(std::nullopt, kBegin);
  EXPECT_TRUE(kills.MayHaveKilled());
  EXPECT_EQ(kills.Take(), std::nullopt);
  kills.Read(7, kBegin);
  EXPECT_FALSE(kills.MayHaveKilled());
  EXPECT_EQ(kills.Take(), 0u);
}

// The limit is set on another level, and the kernel kills at once.
TEST(KernelKills, AnotherCounterTakesNoKillBack) {
  KernelKills kills;
  kills.Reset(0);
  kills.Read(1, kBegin);
  kills.Move(5);
  kills.Read(5, kBegin);
  EXPECT_EQ(kills.Take(), 1u);
  EXPECT_EQ(kills.Take(), 0u) << "the other four were before";
  kills.Read(6, kBegin);
  EXPECT_EQ(kills.Take(), 1u);
}

TEST(KernelKills, WhatIsKilledInACgroupOfSeveralExecutorsExplainsNobody) {
  KernelKills kills;
  kills.Reset(0);
  kills.Read(1, kBegin);
  kills.SetShared();
  EXPECT_EQ(kills.Take(), std::nullopt) << "it may have been the neighbour's";
  EXPECT_FALSE(kills.TakeSince(kBegin - KernelKills::kLate));
  kills.Reset(1);
  kills.Read(2, kBegin);
  EXPECT_EQ(kills.Take(), 1u) << "of another application, alone there";
}

TEST(KernelKills, WithoutACounterNothingIsKnown) {
  KernelKills kills;
  EXPECT_TRUE(kills.MayHaveKilled());
  kills.Reset(std::nullopt);
  kills.Read(std::nullopt, kBegin);
  EXPECT_EQ(kills.Take(), std::nullopt);
}

}  // namespace
}  // namespace memprof
