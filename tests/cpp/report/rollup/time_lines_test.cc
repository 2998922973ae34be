#include "rollup/time_lines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "eventlog/event_log.h"
#include "eventlog/event_parts.h"
#include "intake/delivery.h"
#include "report/fit_time_lines.h"
#include "report/json.h"
#include "report/sample_store.h"
#include "rollup/bounds.h"
#include "rollup/executor_rows.h"
#include "store/profile_store.h"

namespace memprof {
namespace {

using testing::TimeLineBytes;

constexpr uint64_t kPeak = 1'999'993;

// Seconds [from, to) of an executor; the peak is in one of them.
std::vector<TimeSample> Life(int from, int to, int peak_at) {
  std::vector<TimeSample> samples;
  for (int i = from; i < to; ++i) {
    TimeSample sample;
    sample.time_ms = 1'700'000'000'000 + i * 1000;
    sample[Gauge::kUsed] = i == peak_at ? kPeak : 700'001;
    sample.task_starts = 1;
    samples.push_back(sample);
  }
  return samples;
}

bool HasPeak(const auto& samples) {
  return std::any_of(samples.begin(), samples.end(), [](const TimeSample& sample) { return sample.used() == kPeak; });
}

// As many as a sample may have.
std::vector<TimeSample> WithWorkers(std::vector<TimeSample> samples) {
  for (TimeSample& sample : samples) {
    for (size_t i = 0; i < TimeSample::kWorkers; ++i)
      sample.workers[i] = {static_cast<int32_t>(40'011 + i), 120'011 - static_cast<uint32_t>(i)};
    sample[Gauge::kPythonWorkers] = 2'100'000;
  }
  return samples;
}

size_t NamedWorkers(const TimeSample& sample) {
  return static_cast<size_t>(
      std::count_if(sample.workers.begin(), sample.workers.end(), [](const auto& worker) { return worker.pid != 0; }));
}

TEST(TimeLines, ManyExecutorsHaveTheirShareOfTheStoreAndTheirPeaks) {
  StoreState state(64u << 20);
  constexpr int kExecutors = 500;
  for (int executor = 0; executor < kExecutors; ++executor) {
    for (int from = 0; from < 2000; from += 500) {
      ASSERT_TRUE(Deliver(TimeLineBytes(std::to_string(executor), WithWorkers(Life(from, from + 500, executor))), state).ok());
    }
  }
  EXPECT_LE(state.memory.bytes(), state.limit_bytes / 7);
  EXPECT_GE(state.time_line_samples, kFewestTimeLineSamples);
  for (const auto& [id, executor] : state.executors) {
    ASSERT_TRUE(executor.life.has_value());
    EXPECT_LE(executor.life->all().size(), state.time_line_samples);
    EXPECT_TRUE(HasPeak(executor.life->all())) << id;
    EXPECT_EQ(executor.life->thinned() + executor.life->all().size(), 2000u);
  }
}

TEST(TimeLines, AreThinnedBeforeAnythingElseIsLetGo) {
  StoreState state(64u << 20);
  testing::ProfileBuilder task(7, 2, 0);
  for (uint32_t line = 1; line <= 100; ++line) {
    task.Site(proto::ORIGIN_PYTHON, {testing::Python("f", "/f.py", line)}, 1009, 1);
  }
  ASSERT_TRUE(Deliver(task.Bytes(), state).ok());
  for (int executor = 0; executor < 6; ++executor) {
    ASSERT_TRUE(Deliver(TimeLineBytes(std::to_string(executor), Life(0, 600, 300)), state).ok());
  }
  const size_t before = state.time_line_samples;
  ASSERT_GT(before, kFewestTimeLineSamples);
  state.limit_bytes = state.memory.bytes() - 4096;
  KeepWithinLimit(state);
  EXPECT_LE(state.memory.bytes(), state.limit_bytes);
  EXPECT_LT(state.time_line_samples, before);
  ASSERT_EQ(state.tasks.size(), 1u) << "the task was let go before the detail of a time line";
  for (const auto& [id, executor] : state.executors) {
    if (executor.life) {
      EXPECT_TRUE(HasPeak(executor.life->all())) << id;
    }
  }
}

TEST(TimeLines, ACorruptOneLeavesTheStoreAsItWas) {
  ProfileStore store;
  ASSERT_TRUE(store.Ingest(TimeLineBytes("1", Life(0, 5, 2))).ok());
  const std::string before = store.ReportJson(false);
  proto::Envelope bad;
  ASSERT_TRUE(bad.ParseFromString(TimeLineBytes("1", Life(5, 9, 6))));
  bad.mutable_time_line()->add_task_starts(1);
  EXPECT_EQ(store.Ingest(bad.SerializeAsString()).code(), ErrorCode::kCorrupt);
  EXPECT_EQ(store.ReportJson(false), before);
}

TEST(TimeLines, OfFewExecutorsAllWorkersAreNamedAndOfManyTheLargest) {
  for (const auto& [lines, named] : {std::pair(1, 16), std::pair(7, 16), std::pair(12, 10), std::pair(40, 3), std::pair(500, 3)}) {
    std::vector<ReportExecutor> executors(1);
    executors[0].time_line = ReportTimeLine{WithWorkers(Life(0, 600, 300)), 0};
    FitTimeLines(static_cast<size_t>(lines), executors);
    for (const TimeSample& sample : executors[0].time_line->samples) {
      ASSERT_EQ(NamedWorkers(sample), static_cast<size_t>(named)) << lines;
      ASSERT_EQ(sample.workers[0].pid, 40'011);
    }
  }
}

TEST(TimeLines, WorkersThatASampleDoesNotNameAreASum) {
  Report report;
  report.executors.emplace_back().time_line = ReportTimeLine{Life(0, 3, 1), 0};
  std::vector<TimeSample>& samples = report.executors[0].time_line->samples;
  EXPECT_EQ(WriteReportJson(report).find("python.workers.others"), std::string::npos);
  samples[1][Gauge::kPythonWorkers] = 90'001;
  samples[1].workers[0] = {4711, 60'000};
  samples[1].workers[15] = {4712, 20'001};
  samples[2][Gauge::kPythonWorkers] = 60'000;
  samples[2].workers[0] = {4711, 60'000};
  EXPECT_NE(WriteReportJson(report).find(R"("name":"python.workers.others","bytes":[null,10240000,0])"), std::string::npos);
}

TEST(TimeLines, AReportOfManyExecutorsStaysSmall) {
  std::vector<ReportExecutor> executors(500);
  for (int i = 0; i < 500; ++i) executors[i].time_line = ReportTimeLine{WithWorkers(Life(0, 600, i)), 0};
  FitTimeLines(executors);
  Report report;
  report.executors = executors;
  EXPECT_LE(WriteReportJson(report).size(), 5u << 20);
  for (const ReportExecutor& executor : executors) {
    EXPECT_TRUE(HasPeak(executor.time_line->samples));
    EXPECT_EQ(executor.time_line->thinned + executor.time_line->samples.size(), 600u);
    EXPECT_GE(executor.time_line->samples.size(), 30u);
  }
}

// The event log has the row of an executor that is gone, and later those of a whole report: neither's line is coarser.
TEST(TimeLines, ARowAloneHasTheLineOfTheReport) {
  StoreState state(64u << 20);
  constexpr size_t kExecutors = 100;
  for (size_t executor = 0; executor < kExecutors; ++executor) {
    ASSERT_TRUE(Deliver(TimeLineBytes(std::to_string(executor), Life(0, 600, 300)), state).ok());
  }
  const std::vector<std::string_view> shown = ExecutorsWithRow(state);
  ASSERT_EQ(shown.size(), kExecutors);
  std::vector<ReportExecutor> all(kExecutors), one(1);
  for (size_t i = 0; i < kExecutors; ++i) all[i].id = shown[i];
  one[0].id = shown[7];
  PutTimeLines(state, all);
  PutTimeLines(state, shown, one);
  EXPECT_LT(all[7].time_line->samples.size(), 300u);
  EXPECT_EQ(one[0].time_line->samples.size(), all[7].time_line->samples.size());
}

TEST(TimeLines, JsonReadAndWrittenAgainIsTheSame) {
  Report report;
  ReportExecutor& executor = report.executors.emplace_back();
  executor.id = "1";
  std::vector<TimeSample> samples = Life(0, 4, 2);
  samples[1][Gauge::kJvm] = 600'011;
  samples[1][Gauge::kPythonWorkers] = 90'001;
  samples[1][Gauge::kPythonOther] = 30'011;  // processes that share pages: their sum is more than the use
  samples[2][Gauge::kPressure] = 1207;
  samples[3][Gauge::kJvm] = 600'000;
  samples[3][Gauge::kPythonWorkers] = samples[3][Gauge::kPythonOther] = 0;
  samples[3][Gauge::kPrograms] = 400'003;
  samples[2].workers[0] = {4711, 88'003};
  samples[3].stages[0] = {7, 2};
  samples[3].stages[1] = {9, 1};
  samples[3].running_tasks = 3;
  executor.time_line = ReportTimeLine{samples, 13};
  const std::string json = WriteReportJson(report);
  EXPECT_NE(json.find(R"("name":"jvm","bytes":[null,614411264,null,614400000])"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("name":"unattributed","bytes":[null,-20502528,null,-307202048])"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("name":"programs","bytes":[null,null,null,409603072])"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("pressurePercent":[null,null,12.07,null])"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("workers":[[],[],[[4711,90115072]],[]])"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("stages":[[],[],[],[[7,2],[9,1]]])"), std::string::npos) << json;
  const Result<Report> read = ReadReportJson(json);
  ASSERT_TRUE(read.ok());
  ASSERT_TRUE(read->executors[0].time_line.has_value());
  EXPECT_EQ(read->executors[0].time_line->samples, samples);
  EXPECT_EQ(WriteReportJson(*read), json);
}

TEST(TimeLines, DamagedJsonIsNoTimeLine) {
  Report report;
  report.executors.emplace_back().time_line = ReportTimeLine{Life(0, 3, 1), 0};
  const std::string json = WriteReportJson(report);
  auto with = [&](const std::string& what, const std::string& instead) {
    std::string text = json;
    const size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return ReadReportJson(text.replace(at, what.size(), instead)).ok();
  };
  EXPECT_TRUE(with("[1700000000000,", "[\"x\","));
  EXPECT_TRUE(with("[1700000000000,", "[1900000000000,"));
  EXPECT_TRUE(with("\"workers\":[", "\"workers\":{\"a\":[[1,2]]},\"w\":["));
  EXPECT_TRUE(with("\"workers\":[[]", "\"workers\":[5"));
  EXPECT_TRUE(with("\"stages\":[[]", "\"stages\":[[[-1,2],[1],[1,2],[3,4],[5,6],[7,8]]"));
  EXPECT_TRUE(with("\"series\":[", "\"series\":[7,{\"name\":\"jvm\",\"bytes\":[-1,1e300,\"x\",4,5,6]},"));
}

TEST(TimeLines, OneThatDoesNotFitTheEventLogIsThinnedThere) {
  ReportExecutor executor;
  executor.id = "1";
  std::vector<TimeSample> samples = Life(0, 600, 311);
  std::mt19937 random(7);
  for (TimeSample& sample : samples) sample[Gauge::kJvm] = random() % 600'011;  // nothing that packs well
  executor.time_line = ReportTimeLine{samples, 0};
  const auto whole = ExecutorPart(executor, kExecutorPartBytes);
  ASSERT_TRUE(whole.has_value());
  const size_t bytes = RecordBytes(whole->text) / 2;
  const auto part = ExecutorPart(executor, bytes);
  ASSERT_TRUE(part.has_value());
  EXPECT_EQ(part->cut, 0u) << "no process was cut";
  EXPECT_LE(RecordBytes(part->text), bytes);
  EventLogReport log;
  log.Add(kExecutorPart, "1", kReportSchemaVersion, part->text);
  const Result<Report> report = log.Make();
  ASSERT_TRUE(report.ok());
  const ReportTimeLine& line = report->executors.at(0).time_line.value();
  EXPECT_TRUE(HasPeak(line.samples));
  EXPECT_LT(line.samples.size(), 600u);
  EXPECT_EQ(line.samples.size() + line.thinned, 600u);
}

}  // namespace
}  // namespace memprof
