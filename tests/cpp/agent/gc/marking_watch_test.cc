#include "gc/marking_watch.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kBehind = 67;  // the collectors' clock, in ms

Collection Ended(const char* collector, int64_t start_ms, int64_t end_ms) {
  return {collector, "end of GC", "a cause", start_ms - kBehind, end_ms - kBehind, 3000, 1000, 9000};
}

class MarkingWatchTest : public ::testing::Test {
 protected:
  void Paused(int64_t start_ms, int64_t end_ms) {
    pauses_.Began(start_ms * kMs);
    pauses_.Ended(end_ms * kMs);
  }

  PauseClock pauses_;
  // A pause that was also told of.
  std::optional<Marking> PausedAndTold(const char* collector, int64_t start_ms, int64_t end_ms) {
    Paused(start_ms, end_ms);
    return watch_.Ended(Ended(collector, start_ms, end_ms));
  }

  MarkingWatch watch_{&pauses_};
};

TEST_F(MarkingWatchTest, AFullCollectionMarksWhatWasThereWhenItBegan) {
  watch_.Begin({"PS Scavenge", "PS MarkSweep"});
  EXPECT_FALSE(PausedAndTold("PS Scavenge", 100, 110));
  const std::optional<Marking> marking = PausedAndTold("PS MarkSweep", 200, 240);
  ASSERT_TRUE(marking);
  EXPECT_EQ(marking->older_than_ns, 220 * kMs);
  EXPECT_EQ(marking->end_ns, 240 * kMs);
  EXPECT_EQ(marking->heap_used_bytes, 1000u);
  EXPECT_EQ(marking->heap_max_bytes, 9000u);
  EXPECT_EQ(marking->collection, "PS MarkSweep (a cause)");
}

TEST_F(MarkingWatchTest, BeforeAnErrorTheLastPauseHasMarkedAll) {
  watch_.Begin({"PS Scavenge", "PS MarkSweep"});
  EXPECT_EQ(watch_.BeforeError().older_than_ns, 0) << "no pause: nothing is known";
  Paused(100, 110);
  Paused(200, 240);
  EXPECT_EQ(watch_.BeforeError().older_than_ns, 200 * kMs);
  EXPECT_EQ(watch_.BeforeError().large_older_than_ns, 200 * kMs);
  EXPECT_EQ(watch_.BeforeError().end_ns, 240 * kMs);
}

TEST_F(MarkingWatchTest, BeforeAnErrorTheLastTwoMarkingsBesideTheApplicationAreLeftOut) {
  watch_.Begin({"ZGC Cycles", "ZGC Pauses"});
  for (int i = 1; i <= 8; ++i) Paused(100 * i, 100 * i + 1);
  EXPECT_EQ(watch_.BeforeError().older_than_ns, 0);
  Paused(900, 901);
  EXPECT_EQ(watch_.BeforeError().older_than_ns, 100 * kMs);
}

TEST_F(MarkingWatchTest, ACycleKnowsOnlyWhatIsOlderThanItsBegin) {
  watch_.Begin({"ZGC Cycles", "ZGC Pauses"});
  EXPECT_FALSE(PausedAndTold("ZGC Pauses", 200, 200));
  EXPECT_FALSE(PausedAndTold("ZGC Pauses", 250, 250));
  EXPECT_EQ(watch_.Ended(Ended("ZGC Cycles", 200, 300))->older_than_ns, 200 * kMs);
}

// What is young stays while a weak reference points at it.
TEST_F(MarkingWatchTest, AMajorCycleKnowsOnlyWhatIsOlderThanTheOneBefore) {
  watch_.Begin({"ZGC Minor Cycles", "ZGC Major Cycles", "ZGC Major Pauses"});
  EXPECT_FALSE(watch_.Ended(Ended("ZGC Minor Cycles", 100, 190)));
  EXPECT_FALSE(PausedAndTold("ZGC Major Pauses", 200, 200));
  EXPECT_FALSE(PausedAndTold("ZGC Major Pauses", 250, 250));
  EXPECT_FALSE(watch_.Ended(Ended("ZGC Major Cycles", 200, 300)));
  EXPECT_EQ(watch_.Ended(Ended("ZGC Major Cycles", 400, 500))->older_than_ns, 200 * kMs);
  Collection asked_for = Ended("ZGC Major Cycles", 600, 700);
  asked_for.cause = "System.gc()";
  EXPECT_EQ(watch_.Ended(asked_for)->older_than_ns, 600 * kMs) << "it makes all that is young old";
}

TEST_F(MarkingWatchTest, G1sRemarkKnowsWhatIsOlderThanTheLastYoungCollection) {
  watch_.Begin({"G1 Young Generation", "G1 Concurrent GC", "G1 Old Generation"});
  EXPECT_FALSE(PausedAndTold("G1 Concurrent GC", 50, 51));
  Paused(100, 110);
  EXPECT_FALSE(watch_.Ended(Ended("G1 Young Generation", 100, 110)));
  Paused(150, 153);
  EXPECT_EQ(watch_.Ended(Ended("G1 Concurrent GC", 150, 153))->older_than_ns, 100 * kMs);
}

// While G1 marks, large objects count as alive: of two cycles, only what is older than the second is known.
TEST_F(MarkingWatchTest, OfLargeObjectsG1KnowsThoseOlderThanItsMarking) {
  watch_.Begin({"G1 Young Generation", "G1 Concurrent GC", "G1 Old Generation"});
  EXPECT_FALSE(PausedAndTold("G1 Young Generation", 100, 110));
  EXPECT_EQ(PausedAndTold("G1 Concurrent GC", 150, 153)->large_older_than_ns, 0);
  EXPECT_EQ(PausedAndTold("G1 Concurrent GC", 170, 171)->large_older_than_ns, 0);
  EXPECT_FALSE(PausedAndTold("G1 Young Generation", 200, 210));  // the second marking begins
  EXPECT_FALSE(PausedAndTold("G1 Young Generation", 230, 237));
  EXPECT_EQ(PausedAndTold("G1 Concurrent GC", 250, 253)->large_older_than_ns, 150 * kMs);
  EXPECT_FALSE(PausedAndTold("G1 Young Generation", 260, 268));
  EXPECT_EQ(PausedAndTold("G1 Concurrent GC", 270, 271)->large_older_than_ns, 170 * kMs);
  EXPECT_EQ(PausedAndTold("G1 Old Generation", 300, 320)->large_older_than_ns, 310 * kMs);
  EXPECT_FALSE(PausedAndTold("G1 Young Generation", 340, 345));
  EXPECT_EQ(PausedAndTold("G1 Concurrent GC", 350, 353)->large_older_than_ns, 310 * kMs);
}

TEST_F(MarkingWatchTest, BeforeJdk20APauseOfG1ThatNobodyExplainsIsARemark) {
  watch_.Begin({"G1 Young Generation", "G1 Old Generation"});
  Paused(100, 110);
  EXPECT_FALSE(watch_.Ended(Ended("G1 Young Generation", 101, 110)));
  Paused(150, 153);  // remark
  Paused(170, 171);  // cleanup
  Paused(200, 210);
  const std::optional<Marking> marking = watch_.Ended(Ended("G1 Young Generation", 199, 209));
  ASSERT_TRUE(marking);
  EXPECT_EQ(marking->older_than_ns, 100 * kMs);
  EXPECT_EQ(marking->end_ns, 171 * kMs);
  EXPECT_EQ(marking->collection, "G1 concurrent marking");
  EXPECT_FALSE(PausedAndTold("G1 Young Generation", 300, 310));
}

// Two young collections, the second over before the first is told of: neither is a remark.
TEST_F(MarkingWatchTest, NearTheEndOfTheHeapAPauseMayHaveLostItsNotification) {
  watch_.Begin({"G1 Young Generation", "G1 Old Generation"});
  EXPECT_FALSE(PausedAndTold("G1 Young Generation", 100, 110));
  EXPECT_FALSE(PausedAndTold("G1 Young Generation", 140, 150));
  Paused(200, 203);
  Paused(300, 310);
  Collection full = Ended("G1 Young Generation", 300, 310);
  full.after_bytes = 8101;  // of 9000
  EXPECT_FALSE(watch_.Ended(full));
}

TEST_F(MarkingWatchTest, AfterALostNotificationItBeginsAnew) {
  const std::vector<std::string> collectors{"G1 Young Generation", "G1 Old Generation"};
  watch_.Begin(collectors);
  EXPECT_FALSE(PausedAndTold("G1 Young Generation", 100, 110));
  EXPECT_FALSE(PausedAndTold("G1 Young Generation", 140, 150));
  Paused(200, 203);  // a young one whose notification nobody could make
  watch_.Begin(collectors);
  EXPECT_FALSE(PausedAndTold("G1 Young Generation", 300, 310));
  EXPECT_FALSE(PausedAndTold("G1 Young Generation", 340, 350));
}

TEST_F(MarkingWatchTest, APauseWhoseNotificationIsStillToComeIsNotARemark) {
  watch_.Begin({"G1 Young Generation", "G1 Old Generation"});
  EXPECT_FALSE(PausedAndTold("G1 Young Generation", 20, 25));
  Paused(100, 110);
  Paused(112, 118);
  EXPECT_FALSE(watch_.Ended(Ended("G1 Young Generation", 100, 110)));
  EXPECT_FALSE(watch_.Ended(Ended("G1 Young Generation", 112, 118)));
  Paused(120, 130);
  EXPECT_FALSE(watch_.Ended(Ended("G1 Young Generation", 120, 130)));
}

TEST_F(MarkingWatchTest, WhereTheClocksDisagreeNothingIsConcluded) {
  watch_.Begin({"G1 Young Generation", "G1 Old Generation"});
  Paused(100, 110);
  EXPECT_FALSE(watch_.Ended(Ended("G1 Young Generation", 100, 110)));
  Paused(150, 153);
  EXPECT_FALSE(watch_.Ended(Ended("G1 Young Generation", 7000, 7010)));
}

TEST_F(MarkingWatchTest, SaysWhenNoCollectorIsKnown) {
  watch_.Begin({"Epsilon Heap"});
  EXPECT_NE(watch_.WhyNever().find("Epsilon Heap"), std::string::npos);
  watch_.Begin({"Copy", "MarkSweepCompact"});
  EXPECT_EQ(watch_.WhyNever(), "");
}

TEST(CollectorClock, TheTrueOffsetGetsAVoteOfEveryPause) {
  CollectorClock clock;
  EXPECT_FALSE(clock.OffsetNs());
  std::vector<Pause> pauses;
  const int64_t starts[] = {400, 423, 431, 507, 590};  // all of a length: each could be each
  for (const int64_t start : starts) pauses.push_back({pauses.size() + 1, start * kMs + kMs / 2, (start + 3) * kMs});
  clock.Add(starts[0] - kBehind, starts[0] + 3 - kBehind, pauses);
  EXPECT_FALSE(clock.OffsetNs());
  clock.Add(starts[1] - kBehind, starts[1] + 3 - kBehind, pauses);
  ASSERT_TRUE(clock.OffsetNs());
  EXPECT_NEAR(static_cast<double>(*clock.OffsetNs()), static_cast<double>(kBehind * kMs), 2.0 * kMs);
  for (const int64_t start : starts) clock.Add(start - kBehind, start + 3 - kBehind, pauses);
  EXPECT_NEAR(static_cast<double>(*clock.OffsetNs()), static_cast<double>(kBehind * kMs), 2.0 * kMs);
}

TEST(PauseClock, KeepsTheLastPauses) {
  PauseClock clock;
  for (int64_t i = 1; i <= 1000; ++i) {
    clock.Began(i * 10 * kMs);
    clock.Ended(i * 10 * kMs + 3 * kMs);
  }
  EXPECT_EQ(clock.count(), 1000u);
  EXPECT_EQ(clock.total_ns(), 3000 * kMs);
  const std::vector<Pause> last = clock.Since(990);
  ASSERT_EQ(last.size(), 10u);
  EXPECT_EQ(last[0].number, 991u);
  EXPECT_EQ(last[9].end_ns, 10'003 * kMs);
  EXPECT_GE(clock.Since(0).size(), PauseClock::kKept - 2);
  EXPECT_LE(clock.Since(0).size(), PauseClock::kKept);
}

}  // namespace
}  // namespace memprof
