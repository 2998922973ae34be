#include "facts/remote_clock.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

constexpr int64_t kNow = 1'700'000'000'000, kHour = 3'600'000;

// What the executor's clocks show `at_ms` after the driver's are at kNow and 50 s.
Instant There(int64_t at_ms, int64_t ahead_ms) { return {kNow + at_ms + ahead_ms, 900'000 + at_ms}; }
Instant Here(int64_t at_ms) { return {kNow + at_ms, 50'000 + at_ms}; }

TEST(RemoteClock, ShowsWhatTheDriversDoes) {
  for (const int64_t ahead : {-2 * kHour, -4'000L, 4'000L, kHour}) {
    RemoteClock clock;
    EXPECT_EQ(clock.ToDriver(kNow), kNow) << "nothing is known yet";
    clock.Arrived(There(0, ahead), Here(5));
    EXPECT_NEAR(clock.ToDriver(kNow + ahead), kNow, 5);
  }
}

TEST(RemoteClock, ASmallDifferenceMayBeTheWayHere) {
  for (const int64_t ahead : {-2'900L, 2'900L}) {
    RemoteClock clock;
    clock.Arrived(There(0, ahead), Here(5));
    EXPECT_EQ(clock.ToDriver(kNow), kNow);
  }
}

TEST(RemoteClock, AMessageThatTookLongerSaysTheSame) {
  for (const int64_t ahead : {int64_t{0}, -kHour}) {
    RemoteClock clock;
    clock.Arrived(There(0, ahead), Here(2));
    clock.Arrived(There(1'000, ahead), Here(91'000));
    EXPECT_NEAR(clock.ToDriver(kNow + ahead), kNow, 2);
    clock.Arrived(There(500, ahead), Here(99'000));  // older, and late
    EXPECT_NEAR(clock.ToDriver(kNow + ahead), kNow, 2);
  }
}

TEST(RemoteClock, EitherMayBeSetMeanwhile) {
  RemoteClock clock;
  clock.Arrived(There(0, 0), Here(2));
  clock.Arrived(There(1'000, -kHour), Here(1'002));
  EXPECT_NEAR(clock.ToDriver(kNow - kHour), kNow, 2);
  Instant here = Here(2'002);
  here.time_ms += 2 * kHour;  // the driver's, forward
  clock.Arrived(There(2'000, -kHour), here);
  EXPECT_NEAR(clock.ToDriver(kNow - kHour), kNow + 2 * kHour, 2);
}

// A virtual machine that is moved: its clocks stand still, and the one for people is set right.
TEST(RemoteClock, APauseIsNotTakenForADelayForEver) {
  constexpr int64_t kPauseMs = 60'000;
  RemoteClock clock;
  for (int64_t at = 0; at < 10'000; at += 1'000) clock.Arrived(There(at, 0), Here(at + 2));
  for (int64_t at = 70'000; at < 70'000 + 2 * RemoteClock::kRecentMs; at += 10'000) {
    Instant there = There(at, 0);
    there.clock_ms -= kPauseMs;
    clock.Arrived(there, Here(at + 2));
  }
  EXPECT_NEAR(clock.ToDriver(kNow), kNow, 2);
}

TEST(RemoteClock, BothWays) {
  RemoteClock clock;
  clock.Arrived(There(0, kHour), Here(0));
  EXPECT_EQ(clock.ToDriver(kNow + kHour), kNow);
  EXPECT_EQ(clock.FromDriver(kNow), kNow + kHour);
}

TEST(RemoteClock, WhatCantBeAnInstantIsIgnored) {
  for (const Instant& strange : {Instant{0, 900'000}, Instant{kNow - kHour, 0}, Instant{INT64_MIN, 900'000}, Instant{kNow, INT64_MIN},
                                 Instant{INT64_MAX, 900'000}, Instant{kNow, INT64_MAX}}) {
    RemoteClock clock;
    clock.Arrived(strange, Here(0));
    EXPECT_EQ(clock.ToDriver(kNow), kNow);
    clock.Arrived(There(0, kHour), Here(0));
    EXPECT_LT(clock.ToDriver(INT64_MIN), 0);
    EXPECT_GT(clock.FromDriver(INT64_MAX), kNow);
  }
}

}  // namespace
}  // namespace memprof
