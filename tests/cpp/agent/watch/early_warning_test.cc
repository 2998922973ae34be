#include "watch/early_warning.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr uint64_t kLimit = 1'000'000;
const EarlyWarning::Clock::time_point kBegin = EarlyWarning::Clock::time_point(seconds(1000));

TEST(EarlyWarning, AtEightyFivePercentAndThenAtEachTwoMore) {
  EarlyWarning warning;
  EXPECT_FALSE(warning.Passes(849'999, kLimit, kBegin));
  EXPECT_TRUE(warning.Passes(850'000, kLimit, kBegin));
  EXPECT_FALSE(warning.Passes(850'000, kLimit, kBegin + seconds(9))) << "no new maximum";
  EXPECT_FALSE(warning.Passes(869'999, kLimit, kBegin + seconds(10)));
  EXPECT_TRUE(warning.Passes(870'000, kLimit, kBegin + seconds(11)));
}

TEST(EarlyWarning, HoveringAroundTheThresholdIsOneWarning) {
  EarlyWarning warning;
  int sent = 0;
  for (int i = 0; i < 100; ++i) {
    sent += warning.Passes(851'000, kLimit, kBegin + seconds(2 * i));
    sent += warning.Passes(822'000, kLimit, kBegin + seconds(2 * i + 1));
  }
  EXPECT_EQ(sent, 1);
  EXPECT_FALSE(warning.Passes(821'000, kLimit, kBegin + seconds(500)));
  EXPECT_TRUE(warning.Passes(850'000, kLimit, kBegin + seconds(501))) << "it had fallen by 3 %";
}

TEST(EarlyWarning, WhoHasSurvivedOneTouchOfTheLimitIsWarnedOfTheNext) {
  EarlyWarning warning;
  EXPECT_TRUE(warning.Passes(990'000, kLimit, kBegin));
  EXPECT_FALSE(warning.Passes(961'000, kLimit, kBegin + seconds(10))) << "too small a fall";
  EXPECT_FALSE(warning.Passes(985'000, kLimit, kBegin + seconds(11)));
  EXPECT_FALSE(warning.Passes(930'000, kLimit, kBegin + seconds(20))) << "it falls";
  EXPECT_FALSE(warning.Passes(900'000, kLimit, kBegin + seconds(21))) << "and falls";
  EXPECT_FALSE(warning.Passes(919'999, kLimit, kBegin + seconds(22)));
  EXPECT_TRUE(warning.Passes(920'000, kLimit, kBegin + seconds(23)));
  EXPECT_TRUE(warning.Passes(980'000, kLimit, kBegin + seconds(24)));
}

TEST(EarlyWarning, AFastClimbIsToldToItsEnd) {
  EarlyWarning warning;
  uint64_t last_sent = 0;
  for (int tick = 0; tick < 50; ++tick) {  // 1 GB/s against 1.1 GB, a tick of 20 ms
    uint64_t used = 10'000 + static_cast<uint64_t>(tick) * 19'800;
    if (warning.Passes(used, kLimit, kBegin + milliseconds(20 * tick))) last_sent = used;
  }
  EXPECT_GT(last_sent, kLimit / 100 * 95);
}

TEST(EarlyWarning, OneASecondInTheLongRun) {
  EarlyWarning warning;
  int sent = 0;
  for (int tick = 0; tick < 60 * 50; ++tick) {  // up and down, as fast as it goes, for a minute
    sent += warning.Passes(tick % 2 == 0 ? 990'000 : 100'000, kLimit, kBegin + milliseconds(20 * tick));
  }
  EXPECT_GE(sent, 60);
  EXPECT_LE(sent, 60 + EarlyWarning::kAtOnce);
}

}  // namespace
}  // namespace memprof
