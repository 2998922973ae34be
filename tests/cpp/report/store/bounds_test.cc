#include "store/bounds.h"

#include <gtest/gtest.h>

#include "report/profile_builder.h"
#include "store/delivery.h"
#include "store/profile_store.h"
#include "store/report_builder.h"

namespace memprof {
namespace {

using testing::ProfileBuilder;
using testing::Python;

constexpr uint64_t kLimit = 256 << 10;

std::string TaskBytes(int64_t id, int stage, int partition, int lines, bool final = true) {
  ProfileBuilder task(id, stage, partition);
  task.profile().set_final(final);
  for (int line = 1; line <= lines; ++line) {
    task.Site(proto::ORIGIN_PYTHON, {Python("f", "/f.py", static_cast<uint32_t>(line))}, 1009, 1).set_live_at_peak_bytes(500);
  }
  return task.Bytes();
}

void EndTask(StoreState& state, int64_t id, int stage, int partition) {
  TaskRecord& task = state.tasks[id];
  task.stage_id = stage;
  task.stage_attempt = 0;
  task.partition = partition;
  task.ended = true;
  task.end_ms = id;
}

TEST(Bounds, DetailOfCompleteStagesIsFoldedWithoutLoss) {
  StoreState state(kLimit);
  constexpr int kTasks = 3000, kLines = 10;
  state.Stage({2, 0}).completed = true;
  for (int id = 0; id < kTasks; ++id) {
    ASSERT_TRUE(Deliver(TaskBytes(id, 2, id, kLines), state).ok());
    EndTask(state, id, 2, id);
    KeepWithinLimit(state);
    ASSERT_LE(state.memory.bytes(), kLimit);
  }
  EXPECT_GT(state.folded_tasks.size(), 0u);
  EXPECT_EQ(state.dropped_sites, 0u);
  EXPECT_EQ(state.dropped_tasks, 0u);
  ReportStage stage = BuildReport(state, false).report.stages.at(0);
  EXPECT_EQ(stage.tasks, uint64_t{kTasks});
  EXPECT_EQ(stage.profiled_tasks, uint64_t{kTasks});
  ASSERT_EQ(stage.sites.size(), size_t{kLines});
  EXPECT_EQ(stage.sites[0].allocated_bytes, uint64_t{kTasks} * 1009);
  EXPECT_EQ(stage.sites[0].live_at_peak_bytes, 500u);
  EXPECT_EQ(stage.sites[0].tasks, uint64_t{kTasks});
  EXPECT_EQ(stage.totals[0].live_at_peak_bytes, uint64_t{kLines} * 500);
  ASSERT_EQ(stage.lines.size(), size_t{kLines});
  EXPECT_EQ(stage.lines[0].allocated_bytes, uint64_t{kTasks} * 1009);
  EXPECT_EQ(stage.lines[0].live_at_peak_bytes, 500u);
}

TEST(Bounds, LateCopiesOfFoldedTasksAreKnown) {
  ProfileStore store(kLimit);
  store.StageCompleted(2, 0, "", 10);
  for (int id = 0; id < 2000; ++id) {
    ASSERT_TRUE(store.Ingest(TaskBytes(id, 2, id, 10)).ok());
    store.TaskEnded(id, 2, 0, id, 0, "1", TaskOutcome::kSucceeded, "", 5);
  }
  std::string before = store.ReportJson(false);
  for (int id = 0; id < 500; ++id) {
    ASSERT_TRUE(store.Ingest(TaskBytes(id, 2, id, 10)).ok());
    store.TaskEnded(id, 2, 0, id, 0, "1", TaskOutcome::kSucceeded, "", 5);
  }
  EXPECT_EQ(store.ReportJson(false), before);
}

TEST(Bounds, SecondSuccessOfAFoldedPartitionIsSuperseded) {
  StoreState state(1);  // everything is folded at once
  state.Stage({2, 0}).completed = true;
  for (int64_t id : {1, 2}) {
    ASSERT_TRUE(Deliver(TaskBytes(id, 2, 0, 1), state).ok());
    EndTask(state, id, 2, 0);
    KeepWithinLimit(state);
  }
  ReportStage stage = BuildReport(state, false).report.stages.at(0);
  EXPECT_EQ(stage.tasks, 1u);
  EXPECT_EQ(stage.other_attempts.superseded, 1u);
}

TEST(Bounds, TooManySitesGoToTheRemainderAndAreCounted) {
  StoreState state(kLimit);
  uint64_t allocated = 0;
  for (int stage = 0; stage < 40; ++stage) {
    state.Stage({stage, 0}).completed = true;
    ProfileBuilder task(stage, stage, 0);
    for (uint32_t line = 1; line <= 200; ++line) {
      task.Site(proto::ORIGIN_PYTHON, {Python("f" + std::to_string(stage), "/f.py", line)}, 1009, 1);
      allocated += 1009;
    }
    ASSERT_TRUE(Deliver(task.Bytes(), state).ok());
    EndTask(state, stage, stage, 0);
    KeepWithinLimit(state);
    ASSERT_LE(state.memory.bytes(), kLimit);
  }
  EXPECT_GT(state.dropped_sites, 0u);
  Report report = BuildReport(state, false).report;
  uint64_t total = 0;
  for (const ReportStage& stage : report.stages) total += stage.totals.at(0).allocated_bytes;
  EXPECT_EQ(total, allocated) << "what lost its row is still in the totals";
}

TEST(Bounds, RunningTasksAreTheLastToGo) {
  StoreState state(kLimit);
  for (int id = 0; id < 400; ++id) {
    ASSERT_TRUE(Deliver(TaskBytes(id, 2, id, 60, false), state).ok());
    KeepWithinLimit(state);
    ASSERT_LE(state.memory.bytes(), kLimit);
  }
  EXPECT_GT(state.dropped_tasks, 0u);
  Report report = BuildReport(state, true).report;
  bool counted = false;
  for (const auto& [name, value] : report.counters) counted = counted || (name == "droppedTasks" && value == state.dropped_tasks);
  EXPECT_TRUE(counted);
}

TEST(Bounds, NamesOfForgottenCodeAreForgotten) {
  StoreState state(kLimit);
  for (int i = 0; i < 20'000; ++i) {
    ASSERT_TRUE(Deliver(testing::SymbolBytes("build", static_cast<uint64_t>(i), "function_" + std::to_string(i)), state).ok());
    KeepWithinLimit(state);
    ASSERT_LE(state.memory.bytes(), kLimit);
  }
}

TEST(IntervalSet, KeepsNeighboursTogether) {
  CountingMemory memory;
  IntervalSet set(&memory);
  for (int64_t value : std::initializer_list<int64_t>{5, 3, 4, 9, 5, INT64_MAX, -7}) set.Add(value);
  for (int64_t value : {3, 4, 5, 9, -7}) EXPECT_TRUE(set.Contains(value)) << value;
  for (int64_t value : {2, 6, 8, 10, 0}) EXPECT_FALSE(set.Contains(value)) << value;
  EXPECT_TRUE(set.Contains(INT64_MAX));
  EXPECT_EQ(set.size(), 6u);
  uint64_t before = memory.bytes();
  for (int64_t value = 10; value < 100'000; ++value) set.Add(value);
  EXPECT_EQ(memory.bytes(), before) << "a dense range costs one node";
}

}  // namespace
}  // namespace memprof
