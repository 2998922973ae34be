#include "rollup/bounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "intake/delivery.h"
#include "proto/envelope.h"
#include "report/json.h"
#include "report/profile_builder.h"
#include "report/units.h"
#include "report/views/views.h"
#include "rollup/left_memory.h"
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
  TaskFacts& task = state.tasks[id];
  task.stage_id = stage;
  task.stage_attempt = 0;
  task.partition = partition;
  task.ended = true;
  task.end_ms = id;
}

proto::WorkerDeath KilledWorker(int pid) {
  proto::WorkerDeath death;
  death.set_pid(pid);
  death.set_time_ms(1000 + pid);
  death.set_oom_kills(1);
  return death;
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
    store.TaskEnded({id, 2, 0, id, 0, "1", TaskOutcome::kSucceeded, "", 5});
  }
  std::string before = store.ReportJson(false);
  for (int id = 0; id < 500; ++id) {
    ASSERT_TRUE(store.Ingest(TaskBytes(id, 2, id, 10)).ok());
    store.TaskEnded({id, 2, 0, id, 0, "1", TaskOutcome::kSucceeded, "", 5});
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
  if (report.other_stages) total += report.other_stages->totals.at(0).allocated_bytes;
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

std::string SnapshotBytes(int executor, int processes) {
  proto::Envelope envelope = EnvelopeOf(std::to_string(executor));
  proto::ExecutorSnapshot& snapshot = *envelope.mutable_executor();
  for (int pid = 1; pid <= processes; ++pid) {
    proto::Process& process = *snapshot.add_processes();
    process.set_pid(pid);
    process.set_kind("python-worker");
    process.set_peak_rss_bytes(90'000'049);
    *snapshot.mutable_at_peak()->add_processes() = process;
  }
  snapshot.mutable_at_peak()->set_used_bytes(700'000'001 + static_cast<uint64_t>(executor));
  proto::Counter& counter = *snapshot.add_counters();
  counter.set_name("oomKills");
  counter.set_value(1);
  return envelope.SerializeAsString();
}

uint64_t CounterOf(const Report& report, std::string_view name) {
  for (const auto& [counter, value] : report.counters) {
    if (counter == name) return value;
  }
  return 0;
}

TEST(Bounds, DeathsOfExecutorsThatAreLetGoAreCounted) {
  constexpr uint64_t kExecutors = 3000;
  StoreState state(1u << 20);
  for (uint64_t executor = 1; executor <= kExecutors; ++executor) {
    ASSERT_TRUE(Deliver(SnapshotBytes(static_cast<int>(executor), 8), state).ok());
    ExecutorFacts& record = state.Executor(std::to_string(executor));
    record.removed = true;
    record.removed_ms = static_cast<int64_t>(executor);
    record.removed_reason = "Command exited with code 1";
    state.worker_deaths.Put({std::to_string(executor), 7, 0, 0}, KilledWorker(7));
    KeepWithinLimit(state);
  }
  const Report report = BuildReport(state, false).report;
  EXPECT_GT(state.dropped_executors.executors, 0u);
  EXPECT_EQ(state.dropped_executor_deaths, 2 * state.dropped_executors.executors);
  EXPECT_EQ(report.post_mortems.size() + report.other_deaths.size() + CounterOf(report, "droppedPostMortems"), 2 * kExecutors);
}

// Its task failed, and has no detail any more.
TEST(Bounds, TheDeathOfAWorkerOutlivesItsTask) {
  StoreState state(kLimit);
  ASSERT_TRUE(Deliver(SnapshotBytes(1, 8), state).ok());
  constexpr int kTasks = 2000;
  for (int id = 0; id < kTasks; ++id) {
    ASSERT_TRUE(Deliver(TaskBytes(id, 0, id, 5), state).ok());
    EndTask(state, id, 0, id);
    state.tasks.at(id).outcome = id % 1000 == 1 ? TaskOutcome::kFailed : TaskOutcome::kSucceeded;
  }
  for (const int id : {1, 2, 1001}) {
    proto::WorkerDeath death = KilledWorker(id);
    death.clear_oom_kills();  // by somebody's hand
    death.set_task_attempt_id(id);
    state.worker_deaths.Put({"1", id, 0, id}, death);
  }
  state.Stage({0, 0}).completed = true;
  KeepWithinLimit(state);
  ASSERT_TRUE(state.folded_tasks.Contains(1) && state.folded_tasks.Contains(1001));
  std::vector<int> told;
  for (const ReportPostMortem& death : BuildReport(state, false).report.post_mortems) told.push_back(death.pid.value_or(0));
  EXPECT_THAT(told, ::testing::UnorderedElementsAre(1, 1001)) << "not that of a task that passed";
}

// A stage shows the most frequent ones, and a full store keeps few more.
TEST(Bounds, TasksWhoseErrorsAreNotShownAreCounted) {
  constexpr int kTasks = 4000, kErrors = 40, kShown = 5;
  StoreState state(kLimit);
  state.Stage({2, 0}).completed = true;
  for (int id = 0; id < kTasks; ++id) {
    ProfileBuilder task(id, 2, id);
    task.profile().set_final(true);
    task.Site(proto::ORIGIN_PYTHON, {Python("f", "/f.py", static_cast<uint32_t>(id + 1))}, 1009, 1);
    ASSERT_TRUE(Deliver(task.Bytes(), state).ok());
    EndTask(state, id, 2, id);
    state.tasks.at(id).outcome = TaskOutcome::kFailed;
    state.tasks.at(id).error = state.interner->String("error " + std::to_string(id % kErrors));
    KeepWithinLimit(state);
  }
  ASSERT_GT(state.Stage({2, 0}).dropped_error_tasks, 0u);
  const Report report = BuildReport(state, false).report;
  const ReportOtherAttempts& other = report.stages.at(0).other_attempts;
  ASSERT_EQ(other.errors.size(), size_t{kShown});
  uint64_t tasks = other.other_error_tasks.value_or(0);
  for (const ReportTaskError& error : other.errors) tasks += error.tasks;
  EXPECT_EQ(tasks, uint64_t{kTasks});
  EXPECT_THAT(RenderText(report, {120}), ::testing::HasSubstr("… " + FormatCount(*other.other_error_tasks) + " × other errors"));
}

TEST(Bounds, VeryManyStagesAndExecutorsStayWithinStoreAndReport) {
  constexpr uint64_t kRoom = 4u << 20;
  constexpr size_t kLargestReport = 16u << 20;
  constexpr int kStages = 20'000, kExecutors = 5'000, kLines = 5;
  StoreState state(kRoom);
  for (int id = 0; id < kStages; ++id) {
    ASSERT_TRUE(Deliver(TaskBytes(id, id, 0, kLines), state).ok());
    EndTask(state, id, id, 0);
    state.Stage({id, 0}).completed = true;
    if (id % (kStages / kExecutors) == 0) {
      const int executor = 1 + id / (kStages / kExecutors);
      ASSERT_TRUE(Deliver(SnapshotBytes(executor, 8), state).ok());
      ExecutorFacts& record = state.Executor(std::to_string(executor));
      record.removed = true;
      record.removed_ms = id;
      record.removed_reason = executor % 1000 == 1 ? "Command exited with code 1" : "Executor killed by driver.";
    }
    KeepWithinLimit(state);
    ASSERT_LE(state.memory.bytes(), kRoom) << id;
  }
  EXPECT_EQ(state.dropped_tasks, 0u);
  const Report report = BuildReport(state, false).report;
  ASSERT_TRUE(report.other_stages && report.other_executors);
  EXPECT_LE(report.stages.size(), kMostStageRows);
  EXPECT_EQ(report.stages.size() + report.other_stages->stages, uint64_t{kStages});
  EXPECT_EQ(report.executors.size() + report.other_executors->executors, uint64_t{kExecutors});
  uint64_t allocated = 0, tasks = report.other_stages->tasks;
  for (const ReportOriginSum& sum : report.other_stages->totals) allocated += sum.allocated_bytes;
  for (const ReportStage& stage : report.stages) {
    tasks += stage.tasks;
    for (const ReportOriginSum& sum : stage.totals) allocated += sum.allocated_bytes;
  }
  EXPECT_EQ(tasks, uint64_t{kStages});
  EXPECT_EQ(allocated, uint64_t{kStages} * kLines * 1009);
  EXPECT_EQ(report.other_stages->totals.at(0).live_at_peak_bytes, uint64_t{kLines} * 500);
  EXPECT_EQ(CounterOf(report, "oomKills"), uint64_t{kExecutors}) << "of executors that were let go, too";
  EXPECT_EQ(CounterOf(report, "droppedStages"), state.dropped_stages.stages);
  EXPECT_EQ(CounterOf(report, "droppedExecutors"), state.dropped_executors.executors);
  EXPECT_GT(state.dropped_stages.stages, 0u);
  EXPECT_GT(state.dropped_executors.executors, 0u);

  // The deaths are told, although these executors were the first and used least.
  EXPECT_EQ(report.post_mortems.size(), size_t{kExecutors / 1000});
  EXPECT_EQ(CounterOf(report, "droppedPostMortems"), 0u);

  // What was let go does not come back with a late message.
  const size_t executors = state.executors.size();
  ASSERT_TRUE(Deliver(SnapshotBytes(2, 8), state).ok());
  EXPECT_EQ(state.executors.size(), executors);

  const std::string json = WriteReportJson(report);
  EXPECT_LE(json.size(), kLargestReport);
  Result<Report> read = ReadReportJson(json);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(WriteReportJson(*read), json);
}

TEST(Bounds, TheDriverHasARowBesideVeryManyExecutors) {
  StoreState state(uint64_t{1} << 30);
  state.application.master = "yarn";
  for (int executor = 1; executor <= 700; ++executor) ASSERT_TRUE(Deliver(SnapshotBytes(executor, 1), state).ok());
  proto::Envelope driver = EnvelopeOf("driver");
  driver.mutable_executor()->mutable_at_peak()->set_used_bytes(1'000'003);  // less than any
  ASSERT_TRUE(Deliver(driver.SerializeAsString(), state).ok());
  const Report report = BuildReport(state, false).report;
  ASSERT_TRUE(report.other_executors);
  EXPECT_EQ(report.executors.size() + report.other_executors->executors, 701u);
  const auto is_driver = [](const ReportExecutor& row) { return row.id == "driver"; };
  EXPECT_EQ(std::count_if(report.executors.begin(), report.executors.end(), is_driver), 1);
}

TEST(Bounds, DeepStacksDoNotMakeAReportLarge) {
  constexpr size_t kLargestReport = 16u << 20;
  constexpr int kStages = 300, kSites = 40;
  StoreState state(uint64_t{1} << 30);
  for (int id = 0; id < kStages; ++id) {
    ProfileBuilder task(id, id, 0);
    for (const proto::Origin origin : {proto::ORIGIN_PYTHON, proto::ORIGIN_JVM_HEAP, proto::ORIGIN_JVM_OFFHEAP}) {
      for (uint32_t site = 0; site < kSites; ++site) {
        std::vector<testing::TestFrame> frames;
        for (uint32_t depth = 0; depth < 60; ++depth) {
          frames.push_back(Python("a_rather_long_name_of_a_function_" + std::to_string(depth), "/jobs/with/some/folders/job.py", depth));
        }
        frames.back().line = 1000 + site;
        task.Site(origin, frames, 1009, 1);
      }
    }
    ASSERT_TRUE(Deliver(task.Bytes(), state).ok());
    EndTask(state, id, id, 0);
  }
  for (int executor = 1; executor <= 700; ++executor) ASSERT_TRUE(Deliver(SnapshotBytes(executor, 60), state).ok());
  const Report report = BuildReport(state, false).report;
  EXPECT_LE(WriteReportJson(report).size(), kLargestReport);
  ASSERT_TRUE(report.other_executors);
  EXPECT_EQ(report.executors.size() + report.other_executors->executors, 700u);
  EXPECT_EQ(report.executors.back().id, "700") << "those that used most stay";
  uint64_t allocated = 0;
  for (const ReportStage& stage : report.stages) {
    for (const ReportOriginSum& sum : stage.totals) allocated += sum.allocated_bytes;
  }
  if (report.other_stages) {
    for (const ReportOriginSum& sum : report.other_stages->totals) allocated += sum.allocated_bytes;
  }
  EXPECT_EQ(allocated, uint64_t{kStages} * kSites * 3 * 1009);
}

TEST(Bounds, RunningProfilesStayWhileTheyFit) {
  constexpr uint64_t kRoom = 2u << 20;
  StoreState state(kRoom);
  int64_t id = 0;
  for (; state.memory.bytes() < kRoom * 4 / 5; ++id) {
    ASSERT_TRUE(Deliver(TaskBytes(id, 1, static_cast<int>(id), 60, false), state).ok());
  }
  for (int stage = 10; stage < 3000; ++stage, ++id) {
    ASSERT_TRUE(Deliver(TaskBytes(id, stage, 0, 5), state).ok());
    EndTask(state, id, stage, 0);
    state.Stage({stage, 0}).completed = true;
    KeepWithinLimit(state);
    ASSERT_LE(state.memory.bytes(), kRoom);
  }
  EXPECT_GT(state.dropped_stages.stages, 0u);
  EXPECT_EQ(state.dropped_tasks, 0u);
}

TEST(Bounds, FoldingKeepsTogetherWhatShowsTheSameFrames) {
  const auto report = [](bool folded) {
    StoreState state(folded ? 1 : uint64_t{1} << 30);
    state.Stage({2, 0}).completed = true;
    for (uint64_t offset : {0x10, 0x14}) EXPECT_TRUE(Deliver(testing::SymbolBytes("id", offset, "allocate_here"), state).ok());
    for (int64_t id : {1, 2}) {
      ProfileBuilder task(id, 2, static_cast<int>(id));
      for (uint64_t offset : {0x10, 0x14}) {
        task.Site(proto::ORIGIN_PYTHON, {Python("f", "/f.py", 5), testing::Unnamed("/lib.so", "id", offset)}, 7'000'003, 1)
            .set_live_at_peak_bytes(5'000'011);
      }
      EXPECT_TRUE(Deliver(task.Bytes(), state).ok());
      for (uint64_t offset : {0x10, 0x14}) {
        EXPECT_TRUE(Deliver(testing::SymbolBytes("id", offset, "allocate_here", "a.cc", 3, {"outer", "middle"}), state).ok());
      }
      EndTask(state, id, 2, static_cast<int>(id));
      KeepWithinLimit(state);
    }
    return BuildReport(state, false).report;
  };
  const Report whole = report(false), folded = report(true);
  for (const Report* each : {&whole, &folded}) {
    ASSERT_EQ(each->stages.at(0).sites.size(), 1u);
    const ReportSite& site = each->stages[0].sites[0];
    EXPECT_EQ(site.live_at_peak_bytes, 2 * 5'000'011u);
    EXPECT_EQ(site.tasks, 2u);
    EXPECT_EQ(site.allocated_bytes, 4 * 7'000'003u);
    ASSERT_EQ(site.frames.size(), 4u);
    EXPECT_EQ(site.frames[1].function, "outer");
    EXPECT_EQ(site.frames[2].function, "middle");
    EXPECT_EQ(site.frames[3].function, "allocate_here");
  }
}

// What JNI libraries hold for no task of an executor, at one frame without a name.
proto::Envelope LeftAtOneFrame(const char* executor_id) {
  proto::Envelope left = EnvelopeOf(executor_id);
  proto::TaskProfile& names = *left.mutable_left_native()->mutable_names();
  for (const char* text : {"", "/lib.so", "id"}) names.add_strings(text);
  proto::Frame& frame = *names.add_frames();
  frame.set_language(proto::NATIVE);
  frame.set_module(1);
  frame.set_build_id(2);
  frame.set_offset(0x10);
  names.add_stacks();
  proto::LeftSite& site = *left.mutable_left_native()->add_sites();
  site.set_stack(1);
  site.set_bytes(7'000'003);
  site.set_stage_id(-1);
  return left;
}

TEST(Bounds, FramesThatExecutorsHaveInCommonAreLookedUpOnce) {
  StoreState state(UINT64_MAX);
  for (const char* executor : {"1", "2", "3"}) ASSERT_TRUE(Deliver(LeftAtOneFrame(executor).SerializeAsString(), state).ok());
  const std::set<LeftFrame> unnamed = UnnamedLeftFrames(state);
  EXPECT_EQ(unnamed, (std::set<LeftFrame>{{"/lib.so", "id", 0x10}}));
  EXPECT_TRUE(InternNamed(unnamed, state).empty()) << "no name has come";
  ASSERT_TRUE(Deliver(testing::SymbolBytes("id", 0x10, "allocate_here"), state).ok());
  EXPECT_EQ(InternNamed(unnamed, state).size(), 1u);
}

TEST(Bounds, WhatNoTaskHoldsKeepsTheNamesOfItsFrames) {
  StoreState state(1);
  ASSERT_TRUE(Deliver(LeftAtOneFrame("1").SerializeAsString(), state).ok());
  ASSERT_TRUE(Deliver(testing::SymbolBytes("id", 0x10, "allocate_here", "a.cc", 3, {"outer"}), state).ok());
  ASSERT_TRUE(Deliver(TaskBytes(1, 2, 0, 300), state).ok());
  EndTask(state, 1, 2, 0);
  KeepWithinLimit(state);
  const Report report = BuildReport(state, false).report;
  ASSERT_TRUE(report.executors.at(0).left_native);
  const std::vector<ReportFrame>& frames = report.executors[0].left_native->sites.at(0).frames;
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0].function, "outer");
  EXPECT_EQ(frames[1].function, "allocate_here");
}

TEST(Bounds, LinesThatAreLetGoAreCounted) {
  StoreState state(1);
  ASSERT_TRUE(Deliver(TaskBytes(1, 2, 0, 300), state).ok());
  EndTask(state, 1, 2, 0);
  KeepWithinLimit(state);
  EXPECT_EQ(CounterOf(BuildReport(state, false).report, "droppedLines"), 296u);
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
