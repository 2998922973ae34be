#include "rollup/short_executors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "intake/delivery.h"
#include "report/many_deaths.h"
#include "report/postmortem/scene.h"
#include "rollup/bounds.h"
#include "rollup/executor_rows.h"
#include "rollup/parsed_snapshot.h"
#include "rollup/time_lines.h"
#include "store/event_writer.h"
#include "store/report_builder.h"

namespace memprof {
namespace {

using namespace testing;

constexpr int kWorkers = 32;
constexpr uint64_t kUsed = 1300 * kMi;
constexpr std::string_view kKilled =
    "Container from a bad node: container_1 on host: node7. Exit status: 137. Diagnostics: killed by external signal";

// As a busy executor sends it: each process with its rows. What it used last is no matter of its peak; of every fifth it is the same.
std::string BusyExecutor(int number) {
  proto::Envelope envelope = LastSnapshot(kUsed, std::to_string(number));
  proto::ExecutorSnapshot& snapshot = *envelope.mutable_executor();
  snapshot.mutable_last()->set_used_bytes(kUsed - (number % 5 == 0 ? 0 : static_cast<uint64_t>(number * 7919 % 10'000)));
  for (int pid = 1; pid <= kWorkers; ++pid) {
    const std::initializer_list<std::pair<const char*, uint64_t>> rows = {
        {"Python objects", 30'000'001}, {"interpreter", 9'000'001}, {"malloc", 20'000'003}, {"mapped files", 15'000'017}};
    AddProcess(*snapshot.add_processes(), 5000 + pid, "python-worker", 90'000'049, rows);
    AddProcess(*snapshot.mutable_at_peak()->add_processes(), 5000 + pid, "python-worker", 90'000'049, rows);
    AddProcess(*snapshot.mutable_last()->add_processes(), 5000 + pid, "python-worker", 90'000'049, {});
  }
  for (int i = 0; i < 10; ++i) {
    proto::Counter& counter = *snapshot.add_counters();
    counter.set_name("counter" + std::to_string(i));
    counter.set_value(1);
  }
  return envelope.SerializeAsString();
}

void Lose(int number, StoreState& state) {
  const std::string id = std::to_string(number);
  ASSERT_TRUE(Deliver(BusyExecutor(number), state).ok());
  ExecutorFacts& executor = state.Executor(id);
  executor.removed = true;
  executor.removed_ms = kBegin + 10'000 + number;
  executor.removed_event = ++state.executor_events;
  executor.removed_reason = kKilled;
  KeepWithinLimit(state);
}

bool IsWhole(const std::string& id, StoreState& state) { return ParsedSnapshot(state.Executor(id))->processes_size() == kWorkers; }

TEST(ShortExecutors, TenThousandDeathsHaveALineEachInAStoreOfTheDefaultSize) {
  constexpr uint64_t kDefault = 64u << 20;
  constexpr int kExecutors = 10'000;
  StoreState state(kDefault);
  EventWriter events(1);
  std::set<std::string> written;
  for (int number = 0; number < kExecutors; ++number) {
    Lose(number, state);
    ASSERT_LE(state.memory.bytes(), kDefault) << number;
    if (number % 1000 != 999) continue;
    for (const ReportEvent& event : events.Take(state, kBegin + number / 1000, false, false)) written.insert(event.id);
  }
  EXPECT_TRUE(events.Take(state, kBegin + 1'000, false, false).empty()) << "nobody else is gone";
  const Report report = BuildReport(state, false).report;
  ASSERT_EQ(report.post_mortems.size(), kMaxPostMortems);
  for (const ReportPostMortem& death : report.post_mortems) EXPECT_TRUE(IsWhole(death.executor_id, state)) << death.executor_id;
  EXPECT_TRUE(
      std::any_of(report.post_mortems.begin(), report.post_mortems.end(), [](const auto& death) { return death.used_bytes == kUsed; }));
  EXPECT_EQ(report.post_mortems.back().executor_id, std::to_string(kExecutors - 1));
  ASSERT_EQ(report.other_deaths.size(), kExecutors - kMaxPostMortems);
  EXPECT_THAT(report.other_deaths.front().headline, ::testing::HasSubstr(" was killed for its memory: 93 % of the limit was in use"));
  for (const ReportExecutor& executor : report.executors) EXPECT_EQ(executor.processes.size(), size_t{kWorkers}) << executor.id;
  ASSERT_TRUE(report.other_executors);
  EXPECT_EQ(report.executors.size() + report.other_executors->executors, size_t{kExecutors});
  EXPECT_GT(report.executors.size(), 100u) << "as many as whole rows have room";
  for (const ReportExecutor& executor : report.executors) EXPECT_TRUE(written.contains(executor.id)) << executor.id;
  EXPECT_EQ(report.other_executors->largest_used_bytes, kUsed);
  const auto counted =
      std::find_if(report.counters.begin(), report.counters.end(), [](const auto& each) { return each.first == "counter3"; });
  ASSERT_NE(counted, report.counters.end());
  EXPECT_EQ(counted->second, uint64_t{kExecutors}) << "counters outlive the rest";
}

TEST(ShortExecutors, WhatIsFreed) {
  StoreState state(64u << 20);
  for (int number = 0; number < 4; ++number) Lose(number, state);
  ExecutorFacts& executor = state.Executor("1");
  TimeSample sample;
  sample.time_ms = kBegin;
  sample.Set(Gauge::kUsed, 70 * kMi);
  AddSamples({{sample}}, executor, state);
  executor.retained = "bytes";
  for (LeftMessages* left_there : {&executor.left_off_heap, &executor.left_native}) left_there->latest = left_there->peak = "bytes";
  {
    const ParsedSnapshot more(executor);
    more->add_spark_pools();
    more->add_collectors();
    more->add_not_available()->set_what("a test");
    more->mutable_at_peak()->add_regions()->set_name("heap.storage");
    more->mutable_at_peak()->add_active_tasks(7);
    executor.snapshot = more->SerializeAsString();
  }
  const WholeExecutors whole = {1, 1};  // "0" has a row, "3" is the newest, and "2" used more at last than "1"
  state.Executor("1").last_used_bytes = 1;
  EXPECT_EQ(ShortenExecutors(whole, state), 1u);
  EXPECT_EQ(ShortenExecutors(whole, state), 0u) << "it is short already";
  EXPECT_FALSE(IsWhole("1", state));
  for (const char* id : {"0", "2", "3"}) EXPECT_TRUE(IsWhole(id, state)) << id;
  const ParsedSnapshot left(executor);
  EXPECT_EQ(left->spark_pools_size() + left->collectors_size() + left->not_available_size(), 0);
  EXPECT_EQ(left->at_peak().processes_size() + left->at_peak().regions_size() + left->at_peak().active_tasks_size(), 0);
  EXPECT_EQ(left->at_peak().used_bytes(), kUsed);
  EXPECT_EQ(left->last().processes_size(), kWorkers + 3);
  EXPECT_EQ(left->counters_size(), 10);
  EXPECT_FALSE(executor.life);
  EXPECT_EQ(LeastUsedLately(executor, kBegin + 1), 70 * kMi) << "evidence of its end";
  for (const LeftMessages* left_there : {&executor.left_off_heap, &executor.left_native})
    EXPECT_TRUE(left_there->latest.empty() && left_there->peak.empty());
  EXPECT_EQ(executor.retained, "bytes") << "of a stage's sum";
  EXPECT_EQ(DropRetained(whole, state), 1u);
  EXPECT_TRUE(executor.retained.empty());
  EXPECT_EQ(state.dropped_retained_heaps, 1u);

  ASSERT_TRUE(Deliver(BusyExecutor(1), state).ok());
  EXPECT_TRUE(IsWhole("1", state)) << "a late message is joined";
}

TEST(ShortExecutors, WhatHeapsRetainedGoesAfterTheRestAndIsCounted) {
  constexpr int kExecutors = 1'000;
  StoreState state(SIZE_MAX);
  for (int number = 0; number < kExecutors; ++number) {
    Lose(number, state);
    state.Executor(std::to_string(number)).retained = std::string(8'000, 'r');
  }
  const auto retained = [&state] {
    return std::count_if(state.executors.begin(), state.executors.end(), [](const auto& each) { return !each.second.retained.empty(); });
  };
  state.limit_bytes = state.memory.bytes() - 4096;
  KeepWithinLimit(state);
  EXPECT_FALSE(IsWhole("601", state));
  EXPECT_LT(retained(), kExecutors);
  EXPECT_GE(retained(), 700);
  EXPECT_EQ(state.executors.size(), size_t{kExecutors});
  const Report report = BuildReport(state, false).report;
  EXPECT_THAT(report.counters, ::testing::Contains(::testing::Pair("droppedRetainedHeaps", kExecutors - retained())));
}

// Its agent has sent no last moment: the peak stands for it.
TEST(ShortExecutors, APeakWithoutALastMomentStaysWhole) {
  StoreState state(64u << 20);
  Lose(1, state);
  const ParsedSnapshot older(state.Executor("1"));
  older->clear_last();
  state.Executor("1").snapshot = older->SerializeAsString();
  EXPECT_EQ(ShortenExecutors({0, 0}, state), 1u);
  EXPECT_EQ(ParsedSnapshot(state.Executor("1"))->at_peak().processes_size(), kWorkers);
}

}  // namespace
}  // namespace memprof
