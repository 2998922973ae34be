#include "watch/peak_moment.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace memprof {
namespace {

constexpr uint64_t kRss = 5'000'000'007, kOfCgroup = 3'000'000'019;

class PeakMomentTest : public ::testing::Test {
 protected:
  // As the watcher does at every tick.
  bool Tick(uint64_t used, const std::string& measured) {
    const bool is_other = peak_.Follow(measured);
    if (peak_.IsBelow(used)) peak_.Raise(used, processes_, {});
    return is_other;
  }

  ProcessWatch processes_{ProcFiles(), getpid(), false};
  PeakMoment peak_;
};

TEST_F(PeakMomentTest, DoesNotFall) {
  EXPECT_FALSE(Tick(kOfCgroup, "/a"));
  EXPECT_FALSE(Tick(kOfCgroup / 2, "/a"));
  EXPECT_EQ(peak_.used_bytes(), kOfCgroup);
  EXPECT_EQ(peak_.message().used_bytes(), kOfCgroup);
  EXPECT_EQ(peak_.message().measure(), 0u);
}

// A limit that comes late makes use a cgroup's, which has shared pages once.
TEST_F(PeakMomentTest, IsOfOneMeasure) {
  EXPECT_FALSE(Tick(kRss, ""));
  EXPECT_TRUE(Tick(kOfCgroup, "/a"));
  EXPECT_EQ(peak_.used_bytes(), kOfCgroup);
  EXPECT_EQ(peak_.message().used_bytes(), kOfCgroup);
  EXPECT_EQ(peak_.message().measure(), 1u);
  EXPECT_FALSE(Tick(kOfCgroup + 1, "/a")) << "a change too small to read the processes for";
  EXPECT_EQ(peak_.message().used_bytes(), kOfCgroup + 1);
  EXPECT_EQ(peak_.message().measure(), 1u);
}

TEST_F(PeakMomentTest, OfAnotherCgroupIsAnotherMeasure) {
  Tick(kRss, "/a");
  EXPECT_TRUE(Tick(kOfCgroup, "/a/b"));
  EXPECT_EQ(peak_.message().used_bytes(), kOfCgroup);
  EXPECT_TRUE(Tick(kRss, "/a"));
  EXPECT_EQ(peak_.message().measure(), 2u);
}

// The cgroup can't be read for a while: the sum of RSS is no measure of its peak.
TEST_F(PeakMomentTest, TheSumOfRssDoesNotReplaceACgroups) {
  Tick(kOfCgroup, "/a");
  EXPECT_FALSE(Tick(kRss, ""));
  EXPECT_EQ(peak_.message().used_bytes(), kOfCgroup);
  EXPECT_FALSE(Tick(kOfCgroup + kOfCgroup / 10, "/a"));
  EXPECT_EQ(peak_.message().used_bytes(), kOfCgroup + kOfCgroup / 10);
  EXPECT_EQ(peak_.message().measure(), 0u);
  for (int look = 0; look < PeakMoment::kMostUnfit; ++look) EXPECT_FALSE(Tick(kRss, ""));
  EXPECT_TRUE(Tick(kRss, "")) << "it is gone for good";
  EXPECT_EQ(peak_.message().used_bytes(), kRss);
}

}  // namespace
}  // namespace memprof
