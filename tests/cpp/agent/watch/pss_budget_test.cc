#include "watch/pss_budget.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace memprof {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const PssBudget::Clock::time_point kBegin = PssBudget::Clock::time_point(seconds(1000));

// How long readings took within an hour in which each tick would like one. How many there were in the first ten seconds.
struct Hour {
  PssBudget::Clock::duration spent{};
  int early = 0;
};
Hour AnHour(bool notable, milliseconds cost) {
  PssBudget budget;
  Hour hour;
  for (milliseconds at{0}; at < seconds(3600); at += milliseconds(100)) {
    if (!budget.Allows(notable, kBegin + at)) continue;
    budget.Read(kBegin + at, kBegin + at + cost);
    hour.spent += cost;
    if (at < seconds(10)) ++hour.early;
  }
  return hour;
}

TEST(PssBudget, TakesTwoThousandthsOfTheTimeAndALittleAtTheStart) {
  for (const int cost : {1, 7, 40, 320}) {
    EXPECT_LE(AnHour(true, milliseconds(cost)).spent, PssBudget::kAtStart + milliseconds(3'600'000) / 500 + milliseconds(cost)) << cost;
    EXPECT_LE(AnHour(false, milliseconds(cost)).spent, milliseconds(3'600'000) / 1000 + milliseconds(cost)) << cost;
    EXPECT_GE(AnHour(true, milliseconds(cost)).spent, std::min<PssBudget::Clock::duration>(seconds(3), 3590 * milliseconds(cost))) << cost;
  }
}

TEST(PssBudget, AnExecutorThatBeginsIsReadSooner) {
  EXPECT_EQ(AnHour(true, milliseconds(20)).early, 5) << "100 ms";
  EXPECT_EQ(AnHour(false, milliseconds(20)).early, 1) << "a maximum that is hardly higher is not worth it";
  EXPECT_EQ(AnHour(true, milliseconds(320)).early, 1) << "many large processes";
}

TEST(PssBudget, AtMostOnceASecond) {
  PssBudget budget;
  budget.Read(kBegin, kBegin);
  EXPECT_FALSE(budget.Allows(true, kBegin + milliseconds(999)));
  EXPECT_TRUE(budget.Allows(true, kBegin + seconds(1)));
}

}  // namespace
}  // namespace memprof
