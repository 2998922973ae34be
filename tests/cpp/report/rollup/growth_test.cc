#include "rollup/growth.h"

#include <gtest/gtest.h>

#include <functional>

#include "report/json.h"
#include "report/profile_builder.h"
#include "report/views/views.h"
#include "store/profile_store.h"

namespace memprof {
namespace {

using testing::ProfileBuilder;
using testing::Python;
using testing::TestFrame;

const std::vector<TestFrame> kRemembers = {Python("keep", "job.py", 10), Python("remember", "job.py", 4)};
constexpr uint64_t kOdd = 1'000'003;

// One worker that serves tasks of the function `keep` one after another; `left` says what it holds on one line after each.
class GrowthTest : public ::testing::Test {
 protected:
  ProfileBuilder Task(int64_t task, const std::string& udf = "keep") {
    ProfileBuilder message(task, 1, static_cast<int>(task));
    message.Udf(udf, "job.py", 9, "MAP_PANDAS_ITER_UDF");
    proto::Site& site = message.Site(proto::ORIGIN_PYTHON, kRemembers, kOdd, 1);
    site.set_udf(1);
    site.set_live_at_peak_bytes(kOdd);
    return message;
  }

  void Serve(int pid, int tasks, const std::function<uint64_t(int)>& left) {
    for (int i = 1; i <= tasks; ++i) {
      ProfileBuilder message = Task(1000 * pid + i);
      proto::Leftovers& leftovers = message.Leftovers(pid, static_cast<uint64_t>(2 * i));  // other sessions lie between
      if (left(i) != 0) AddTo(leftovers, message.Stack(kRemembers), left(i));
      ASSERT_TRUE(store_.Ingest(message.Bytes()).ok());
    }
  }

  static void AddTo(proto::Leftovers& leftovers, uint32_t stack, uint64_t bytes) {
    proto::Leftover& site = *leftovers.add_sites();
    site.set_stack(stack);
    site.set_live_bytes(bytes);
  }

  std::vector<ReportLeak> Leaks() { return store_.Model(false).leaks; }

  ProfileStore store_;
};

TEST_F(GrowthTest, ALineThatGrowsByTheSameWithEveryTask) {
  Serve(41, 8, [](int i) { return i * kOdd; });
  ASSERT_EQ(Leaks().size(), 1u);
  const ReportLeak leak = Leaks()[0];
  EXPECT_EQ(leak.file, "job.py");
  EXPECT_EQ(leak.line, 4u);
  EXPECT_EQ(leak.function, "remember");
  ASSERT_TRUE(leak.udf);
  EXPECT_EQ(leak.udf->name, "keep");
  EXPECT_EQ(leak.workers, 1u);
  EXPECT_EQ(leak.live_bytes, 8 * kOdd);
  EXPECT_EQ(leak.largest.pid, 41);
  EXPECT_EQ(leak.largest.tasks, 8u);
  EXPECT_EQ(leak.largest.tasks_with_bytes, 8u);
  EXPECT_EQ(leak.largest.per_task_bytes, kOdd);
  EXPECT_EQ(leak.largest.per_task_low_bytes, kOdd);
  EXPECT_EQ(leak.largest.per_task_high_bytes, kOdd);
}

// The tasks before it have told it already: an eighth point of their series it is not.
TEST_F(GrowthTest, WhatWasLeftBesideAnOpenSessionIsNoPoint) {
  Serve(41, 7, [](int i) { return i * kOdd; });
  ProfileBuilder died = Task(41'008);
  proto::Leftovers& leftovers = died.Leftovers(41, 16);
  leftovers.set_open(true);
  AddTo(leftovers, died.Stack(kRemembers), 8 * kOdd);
  ASSERT_TRUE(store_.Ingest(died.Bytes()).ok());
  EXPECT_TRUE(Leaks().empty());
}

TEST_F(GrowthTest, SevenTasksAreTooFew) {
  Serve(41, 7, [](int i) { return i * kOdd; });
  EXPECT_TRUE(Leaks().empty());
}

TEST_F(GrowthTest, ACacheThatFillsAndStopsIsNone) {
  for (const int fills : {1, 2, 3, 4, 5}) {
    Serve(40 + fills, 8, [&](int i) { return std::min(i, fills) * kOdd; });
    EXPECT_TRUE(Leaks().empty()) << fills;
  }
  Serve(50, 8, [](int i) { return i >= 3 ? kOdd : 0; });  // a single step, where a least-squares line sees a slope
  EXPECT_TRUE(Leaks().empty());
}

TEST_F(GrowthTest, ACacheThatEveryTaskReplacesIsNone) {
  Serve(41, 20, [](int) { return kOdd; });
  EXPECT_TRUE(Leaks().empty());
}

TEST_F(GrowthTest, WhatWasGivenBackIsNone) {
  Serve(41, 12, [](int i) { return i * kOdd; });
  ASSERT_EQ(Leaks().size(), 1u);
  ProfileBuilder clears(9001, 2, 0);
  clears.Udf("clear", "job.py", 30, "MAP_PANDAS_ITER_UDF");
  clears.Leftovers(41, 99);
  ASSERT_TRUE(store_.Ingest(clears.Bytes()).ok());
  EXPECT_TRUE(Leaks().empty());
}

TEST_F(GrowthTest, TasksOfOtherFunctionsDoNotDiluteIt) {
  for (int i = 1; i <= 8; ++i) {
    for (int other = 0; other < 3; ++other) {
      ProfileBuilder message = Task(100 * i + other, "innocent");
      message.profile().mutable_sites(0)->set_stack(message.Stack({Python("innocent", "job.py", 50)}));
      AddTo(message.Leftovers(41, static_cast<uint64_t>(10 * i + other)), message.Stack(kRemembers), (i - 1) * kOdd);
      ASSERT_TRUE(store_.Ingest(message.Bytes()).ok());
    }
    ProfileBuilder message = Task(100 * i + 9);
    AddTo(message.Leftovers(41, static_cast<uint64_t>(10 * i + 9)), message.Stack(kRemembers), i * kOdd);
    ASSERT_TRUE(store_.Ingest(message.Bytes()).ok());
  }
  ASSERT_EQ(Leaks().size(), 1u);
  EXPECT_EQ(Leaks()[0].largest.per_task_bytes, kOdd);
  EXPECT_EQ(Leaks()[0].largest.tasks, 8u);
}

TEST_F(GrowthTest, AWorkerReadLateTellsOfLaterSessionsToo) {
  for (int i = 1; i <= 10; ++i) {
    // Every other task ends only when its worker has served the next one.
    const int through = i % 2 == 1 ? i + 1 : i;
    ProfileBuilder message = Task(i);
    proto::Leftovers& leftovers = message.Leftovers(41, static_cast<uint64_t>(i));
    leftovers.set_through(static_cast<uint64_t>(through));
    AddTo(leftovers, message.Stack(kRemembers), through * kOdd);
    ASSERT_TRUE(store_.Ingest(message.Bytes()).ok());
  }
  ASSERT_EQ(Leaks().size(), 1u);
  EXPECT_EQ(Leaks()[0].largest.per_task_bytes, kOdd);
  EXPECT_EQ(Leaks()[0].largest.per_task_low_bytes, kOdd);
}

TEST_F(GrowthTest, WorkersAreLookedAtOneByOne) {
  // Each holds a cache of its own size; in the order of their tasks the figures go up.
  for (int worker = 1; worker <= 10; ++worker) Serve(worker, 1, [&](int) { return worker * kOdd; });
  EXPECT_TRUE(Leaks().empty());
  for (const int worker : {21, 22, 23}) Serve(worker, 8 + worker % 20, [](int i) { return i * kOdd; });
  ASSERT_EQ(Leaks().size(), 1u);
  EXPECT_EQ(Leaks()[0].workers, 3u);
  EXPECT_EQ(Leaks()[0].live_bytes, (9 + 10 + 11) * kOdd);
  EXPECT_EQ(Leaks()[0].largest.pid, 23);
}

TEST_F(GrowthTest, AnUntoldLineIsNotAnEmptyOne) {
  Serve(41, 10, [](int i) { return i * kOdd; });
  ProfileBuilder cut = Task(9002);  // no room for any site
  cut.Leftovers(41, 99).set_complete(false);
  ASSERT_TRUE(store_.Ingest(cut.Bytes()).ok());
  ASSERT_EQ(Leaks().size(), 1u);
  EXPECT_EQ(Leaks()[0].largest.tasks, 10u);
  EXPECT_EQ(Leaks()[0].largest.live_bytes, 10 * kOdd);
}

TEST_F(GrowthTest, LittleIsNotTold) {
  Serve(41, 12, [](int i) { return i * 20'011u; });
  EXPECT_TRUE(Leaks().empty());
  Serve(42, 40, [](int i) { return i * 20'011u; });
  EXPECT_EQ(Leaks().size(), 1u);
}

TEST_F(GrowthTest, OnlyTheLastTasksCount) {
  Serve(41, 200, [](int i) { return std::min(i, 100) * kOdd; });  // full since 100 tasks
  EXPECT_TRUE(Leaks().empty());
  Serve(42, 200, [](int i) { return i * kOdd; });
  ASSERT_EQ(Leaks().size(), 1u);
  EXPECT_EQ(Leaks()[0].largest.tasks, Growth::kMostTasks);
  EXPECT_EQ(Leaks()[0].largest.per_task_bytes, kOdd);
}

TEST_F(GrowthTest, SurvivesAStoreThatIsFull) {
  ProfileStore small(400'000);
  for (int i = 1; i <= 300; ++i) {
    ProfileBuilder message = Task(i);
    for (int line = 0; line < 40; ++line) {
      const std::string file = "a/very/long/path/to/file" + std::to_string(i % 50) + ".py";
      message.Site(proto::ORIGIN_PYTHON, {Python("f", file, static_cast<uint32_t>(line + 1))}, 1000, 1);
    }
    AddTo(message.Leftovers(41, static_cast<uint64_t>(i)), message.Stack(kRemembers), i * kOdd);
    ASSERT_TRUE(small.Ingest(message.Bytes()).ok());
    small.TaskEnded({i, 1, 0, i, 0, "1", TaskOutcome::kSucceeded, "", i});
  }
  const std::vector<ReportLeak> leaks = small.Model(false).leaks;
  ASSERT_EQ(leaks.size(), 1u);
  EXPECT_EQ(leaks[0].file, "job.py");
  EXPECT_EQ(leaks[0].line, 4u);
  EXPECT_EQ(leaks[0].udf->name, "keep");
  EXPECT_EQ(leaks[0].largest.per_task_bytes, kOdd);
}

TEST_F(GrowthTest, IsInTheText) {
  Serve(41, 8, [](int i) { return i * kOdd; });
  const std::string json = store_.ReportJson(false);
  const Result<Report> read = ReadReportJson(json);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(WriteReportJson(*read), json);
  const Result<std::string> text = RenderText(json, {});
  ASSERT_TRUE(text.ok());
  EXPECT_NE(text->find("leave more behind with every task"), std::string::npos);
  EXPECT_NE(text->find("+ 976.6 KiB a task (95 %: 976.6 KiB to 976.6 KiB) over 8 tasks of pid 41"), std::string::npos) << *text;
  EXPECT_NE(text->find("job.py:4"), std::string::npos);
}

TEST_F(GrowthTest, HostileLeftoversAreRefused) {
  for (const int which : {0, 1, 2}) {
    ProfileBuilder message = Task(7);
    proto::Leftovers& leftovers = message.Leftovers(41, 1);
    AddTo(leftovers, which == 0 ? 999 : 1, which == 1 ? uint64_t{1} << 60 : 1);
    if (which == 2) leftovers.add_udfs(17);
    EXPECT_FALSE(store_.Ingest(message.Bytes()).ok()) << which;
  }
}

// Slopes and intervals worked out by hand: of 5 points and 10 pairs, S deviates by sqrt(5 * 4 * 15 / 18) = 4.08.
TEST(SenSlopeTest, MedianAndInterval) {
  const std::optional<Slope> slope = SenSlope({{1, 1}, {2, 2}, {3, 10}, {4, 4}, {5, 5}});
  ASSERT_TRUE(slope);
  EXPECT_DOUBLE_EQ(slope->median, 1);
  EXPECT_DOUBLE_EQ(slope->low, -6);  // (10 - 8.0) / 2 = 1: the smallest
  EXPECT_DOUBLE_EQ(slope->high, 8);  // (10 + 8.0) / 2 = 9, rounded up: the largest
  EXPECT_FALSE(SenSlope({{3, 1}, {3, 2}}));
}

}  // namespace
}  // namespace memprof
