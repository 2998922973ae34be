#include "watch/kernel_kills.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace memprof {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const KernelKills::Clock::time_point kBegin = KernelKills::Clock::time_point(seconds(1000));

std::optional<uint64_t> Taken(KernelKills& kills, std::optional<KernelKills::Clock::time_point> gone = std::nullopt) {
  const std::optional<KernelKills::Explained> by = kills.Take(gone);
  return by ? std::optional(by->kills) : std::nullopt;
}

TEST(KernelKills, OneRiseExplainsOneProcess) {
  KernelKills kills;
  kills.Reset(7);
  kills.Read(7, kBegin);
  EXPECT_EQ(Taken(kills), 0u) << "what was killed before us is none of ours";
  kills.Read(9, kBegin);
  EXPECT_EQ(Taken(kills), 1u);
  EXPECT_EQ(Taken(kills), 1u);
  EXPECT_EQ(Taken(kills), 0u);
}

TEST(KernelKills, ARiseThatNobodyExplainsIsForgotten) {
  KernelKills kills;
  kills.Reset(0);
  kills.Read(1, kBegin);
  kills.Read(1, kBegin + KernelKills::kKept);
  EXPECT_EQ(Taken(kills), 1u) << "its victim went slowly";
  kills.Read(2, kBegin + seconds(100));
  kills.Read(2, kBegin + seconds(101) + KernelKills::kKept);
  EXPECT_EQ(Taken(kills), 0u);
}

TEST(KernelKills, AKillExplainsNobodyWhoWasGoneBefore) {
  KernelKills kills;
  kills.Reset(0);
  kills.Read(1, kBegin);
  EXPECT_EQ(Taken(kills, kBegin - seconds(1)), 0u);
  EXPECT_EQ(Taken(kills, kBegin - KernelKills::kLate), 1u) << "the counter was read a tick later";
  EXPECT_EQ(Taken(kills), 0u);
}

// The kernel's victim goes at once. Whoever is still there at the next looks has mostly died of something else.
TEST(KernelKills, HowLongAProcessOutlivedTheKillThatExplainsIt) {
  for (const int looks : {1, 2, 4}) {
    KernelKills kills;
    kills.Reset(0);
    kills.Read(1, kBegin);
    for (int look = 1; look <= looks; ++look) kills.Read(1, kBegin + look * milliseconds(900));
    const std::optional<KernelKills::Explained> by = kills.Take();
    ASSERT_TRUE(by && by->kills == 1);
    EXPECT_EQ(by->outlived, (looks - 1) * milliseconds(900)) << "at the last look it was gone, at the one before it lived";
  }
}

// It is found gone by its box, up to a second late.
TEST(KernelKills, WhoWasNeverSeenOutlivedAnOldKill) {
  for (const int late : {0, 1, 4}) {
    KernelKills kills;
    kills.Reset(0);
    kills.Read(1, kBegin);
    const std::optional<KernelKills::Explained> by = kills.Take(kBegin + seconds(late));
    ASSERT_TRUE(by && by->kills == 1);
    EXPECT_EQ(by->outlived, seconds(std::max(0, late - 1)));
  }
}

// A cgroup that is left behind is looked at outside the ticks.
TEST(KernelKills, ACounterThatMovesIsNoLookAtProcesses) {
  KernelKills kills;
  kills.Reset(0);
  kills.Read(1, kBegin);
  kills.Move(1, 7, kBegin + seconds(3));
  kills.Read(7, kBegin + seconds(3));
  EXPECT_EQ(kills.Take()->outlived, milliseconds(0)) << "nobody saw it alive after the kill";
}

TEST(KernelKills, TheYoungestKillExplainsWhoHasJustGone) {
  KernelKills kills;
  kills.Reset(0);
  kills.Read(1, kBegin);  // of a stranger
  kills.Read(1, kBegin + seconds(2));
  kills.Read(2, kBegin + seconds(3));
  EXPECT_EQ(kills.Take()->outlived, milliseconds(0));
  EXPECT_EQ(kills.Take()->outlived, milliseconds(2000));
}

TEST(KernelKills, WhoMayHaveEndedByItselfIsExplainedByAFreshKillAlone) {
  KernelKills kills;
  kills.Reset(0);
  kills.Read(1, kBegin);
  kills.Read(2, kBegin + seconds(2));
  EXPECT_FALSE(kills.TakeSince(kBegin + seconds(3)));
  EXPECT_TRUE(kills.TakeSince(kBegin + seconds(2)));
  EXPECT_FALSE(kills.TakeSince(kBegin + seconds(2)));
  EXPECT_EQ(Taken(kills), 1u) << "the older one is another's";
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
  EXPECT_EQ(Taken(kills), std::nullopt);
  kills.Read(7, kBegin);
  EXPECT_FALSE(kills.MayHaveKilled());
  EXPECT_EQ(Taken(kills), 0u);
}

// The limit is set on another level, and the kernel kills at once.
TEST(KernelKills, AnotherCounterTakesNoKillBack) {
  KernelKills kills;
  kills.Reset(0);
  kills.Read(1, kBegin);
  kills.Move(1, 5, kBegin);
  kills.Read(5, kBegin);
  EXPECT_EQ(Taken(kills), 1u);
  EXPECT_EQ(Taken(kills), 0u) << "the other four were before";
  kills.Read(6, kBegin);
  EXPECT_EQ(Taken(kills), 1u);
}

TEST(KernelKills, WhatIsKilledInACgroupOfSeveralExecutorsExplainsNobody) {
  KernelKills kills;
  kills.Reset(0);
  kills.Read(1, kBegin);
  kills.SetShared();
  EXPECT_EQ(Taken(kills), std::nullopt) << "it may have been the neighbour's";
  EXPECT_FALSE(kills.TakeSince(kBegin - KernelKills::kLate));
  kills.Reset(1);
  kills.Read(2, kBegin);
  EXPECT_EQ(Taken(kills), 1u) << "of another application, alone there";
}

TEST(KernelKills, WithoutACounterNothingIsKnown) {
  KernelKills kills;
  EXPECT_TRUE(kills.MayHaveKilled());
  kills.Reset(std::nullopt);
  kills.Read(std::nullopt, kBegin);
  EXPECT_EQ(Taken(kills), std::nullopt);
}

}  // namespace
}  // namespace memprof
