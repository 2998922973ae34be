#include "heap/large_objects.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

constexpr uint64_t kHeap = 1u << 30, kMaker = 7;

class LargeObjectsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    large_.Begin();
    large_.SetThinning(true);
  }
  void Judge(double gone, double living) {
    if (gone > 0) large_.Gone(kMaker, gone);
    large_.Judge({{kMaker, living}}, kHeap);
  }

  LargeObjects large_;
};

TEST_F(LargeObjectsTest, AMakerIsJudgedByWhatAMarkingFound) {
  EXPECT_FALSE(large_.IsThinned(kMaker));
  Judge(31, 10);
  EXPECT_TRUE(large_.IsThinned(kMaker));
  Judge(0, 0);
  EXPECT_TRUE(large_.IsThinned(kMaker)) << "nothing new is known";
  Judge(30, 10);
  EXPECT_FALSE(large_.IsThinned(kMaker)) << "one in four was still there";
  Judge(31, 10);
  large_.Reached(kMaker, 10);
  Judge(30, 0);
  EXPECT_FALSE(large_.IsThinned(kMaker)) << "a marking found them reachable";
  Judge(1, 100);
  EXPECT_FALSE(large_.IsThinned(kMaker));
  EXPECT_FALSE(large_.IsThinned(kMaker + 1));
}

TEST_F(LargeObjectsTest, WithoutTheHeapsMaximumNothingIsThinned) {
  large_.Gone(kMaker, 100);
  large_.Judge({}, 0);
  EXPECT_FALSE(large_.IsThinned(kMaker));
  large_.Judge({}, kHeap);
  EXPECT_TRUE(large_.IsThinned(kMaker));
  large_.Judge({}, kHeap / 2);
  EXPECT_EQ(large_.IntervalOf(1), kHeap / LargeObjects::kFirstInterval) << "weights don't change afterwards";
}

TEST_F(LargeObjectsTest, TheIntervalHasABoundAndBeginsAnewAfterAMarking) {
  Judge(1, 0);
  EXPECT_EQ(large_.IntervalOf(0), 0u);
  while (large_.budget() != UINT64_MAX) {
    EXPECT_EQ(large_.budget(), kHeap / LargeObjects::kBudget);
    large_.Double();
  }
  EXPECT_EQ(large_.IntervalOf(large_.thinning()), kHeap / LargeObjects::kLastInterval);
  Judge(1, 0);
  EXPECT_EQ(large_.IntervalOf(large_.thinning()), kHeap / LargeObjects::kFirstInterval);
}

TEST_F(LargeObjectsTest, WhenThereAreTooManyThoseThatAreSilentAreForgotten) {
  for (uint64_t maker = 0; maker <= LargeObjects::kMaxMakers; ++maker) large_.Gone(maker, 1);
  large_.Judge({}, kHeap);
  EXPECT_TRUE(large_.IsThinned(0));
  EXPECT_FALSE(large_.IsThinned(LargeObjects::kMaxMakers)) << "no room for it";
  large_.Gone(0, 1);
  large_.Judge({}, kHeap);
  EXPECT_TRUE(large_.IsThinned(0));
  EXPECT_FALSE(large_.IsThinned(1));
}

}  // namespace
}  // namespace memprof
