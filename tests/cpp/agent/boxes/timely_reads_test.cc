#include "boxes/timely_reads.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace memprof {
namespace {

using std::chrono::milliseconds;

const BoxPlace kPlace{"/nonexistent", "app", "1"};

TEST(TimelyReads, WhileAReadHangsNobodyElseWaits) {
  std::vector<std::function<void()>> hanging;
  bool hangs = false;
  TimelyReads reads(
      [&](milliseconds most, std::function<void()> work) {
        EXPECT_EQ(most, milliseconds(5000));
        if (hangs) {
          hanging.push_back(std::move(work));
          return false;
        }
        work();
        return true;
      },
      milliseconds(5000));
  EXPECT_TRUE(reads.Find(kPlace, 1, Leftovers::kRead));
  hangs = true;
  EXPECT_FALSE(reads.Find(kPlace, 2, Leftovers::kRead));
  EXPECT_FALSE(reads.Find(kPlace, 3, Leftovers::kRead));
  EXPECT_EQ(hanging.size(), 1u) << "the third wasn't tried";
  hanging[0]();
  hanging.clear();  // the thread ends
  hangs = false;
  EXPECT_TRUE(reads.Find(kPlace, 4, Leftovers::kRead)) << "it answers again";
  hangs = true;
  EXPECT_FALSE(reads.Find(kPlace, 5, Leftovers::kRead));
  EXPECT_EQ(hanging.size(), 1u);
}

TEST(TimelyReads, LatenessIsToldOnceAndKeptInMind) {
  bool hangs = false;
  TimelyReads reads([&](milliseconds, const std::function<void()>& work) { return hangs ? false : (work(), true); }, milliseconds(1));
  reads.Find(kPlace, 1, Leftovers::kRead);
  EXPECT_FALSE(reads.ever_late());
  EXPECT_FALSE(reads.TakeFirstLate());
  hangs = true;
  reads.Acknowledge({{"/nonexistent/a.box", 1}});
  EXPECT_TRUE(reads.TakeFirstLate());
  EXPECT_FALSE(reads.TakeFirstLate());
  hangs = false;
  EXPECT_TRUE(reads.Find(kPlace, 2, Leftovers::kRead)) << "nothing is under way any more";
  EXPECT_TRUE(reads.ever_late());
}

TEST(TimelyReads, WithoutADirectoryNothingIsAsked) {
  TimelyReads reads([](milliseconds, const std::function<void()>&) { return false; }, milliseconds(1));
  EXPECT_TRUE(reads.Find({}, 1, Leftovers::kRead));
}

}  // namespace
}  // namespace memprof
