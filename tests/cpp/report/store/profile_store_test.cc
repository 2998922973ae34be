#include "store/profile_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "report/profile_builder.h"
#include "report/sample_store.h"

namespace memprof {
namespace {

using testing::Framework;
using testing::Java;
using testing::ProfileBuilder;
using testing::Python;
using testing::SymbolBytes;
using testing::TestFrame;
using testing::Unnamed;
using Json = nlohmann::json;

constexpr uint64_t kScratch = 399'999'971;  // bytes nobody else allocates
constexpr int kStage = 2;

Json ReportOf(const ProfileStore& store) { return Json::parse(store.ReportJson(false)); }
Json StageOf(const ProfileStore& store) { return ReportOf(store)["stages"].at(0); }

void Ingest(ProfileStore& store, const std::string& bytes) {
  Status status = store.Ingest(bytes);
  ASSERT_TRUE(status.ok()) << status.message();
}

void End(ProfileStore& store, int64_t id, int partition, TaskOutcome outcome = TaskOutcome::kSucceeded, int64_t time_ms = 100,
         const char* error = "") {
  store.TaskEnded({id, kStage, 0, partition, 0, "1", outcome, error, time_ms});
}

// A task with one exactly counted site.
ProfileBuilder Task(int64_t id, int partition, uint64_t allocated, std::optional<uint64_t> live = std::nullopt,
                    const std::vector<TestFrame>& frames = {Python("aggregate", "/jobs/job.py", 44)},
                    proto::Origin origin = proto::ORIGIN_PYTHON) {
  ProfileBuilder builder(id, kStage, partition);
  proto::Site& site = builder.Site(origin, frames, allocated, 1);
  if (live) site.set_live_at_peak_bytes(*live);
  return builder;
}

// The demo in small: one line of a UDF that calls a native library.
ProfileBuilder DemoTask(int64_t id, int partition) {
  ProfileBuilder builder(id, kStage, partition);
  uint32_t udf = builder.Udf("aggregate", "/jobs/job.py", 41, "SQL_MAP_PANDAS_ITER_UDF");
  proto::Site& site = builder.Site(proto::ORIGIN_PYTHON,
                                   {Framework("main", "/pyspark/worker.py", 1200), Python("aggregate", "/jobs/job.py", 44),
                                    Python("with_cpp", "/jobs/averages.py", 27), Unnamed("/jobs/libweighted.so", "abcdef", 0x1230)},
                                   kScratch + 1000, 3);
  site.set_udf(udf);
  site.set_live_at_peak_bytes(kScratch);
  site.set_resident_at_peak_bytes(kScratch);
  return builder;
}

TEST(ProfileStore, ShowsLineAndNativeFrameOfATask) {
  ProfileStore store;
  Ingest(store, DemoTask(7, 0).Bytes());
  End(store, 7, 0);
  Ingest(store, SymbolBytes("abcdef", 0x1230, "weighted_average", "weighted.cc", 12));
  Json stage = StageOf(store);
  EXPECT_EQ(stage["tasks"], 1);
  ASSERT_EQ(stage["sites"].size(), 1u);
  Json site = stage["sites"][0];
  EXPECT_EQ(site["origin"], "python");
  EXPECT_EQ(site["liveAtPeakBytes"], kScratch);
  EXPECT_EQ(site["residentAtPeakBytes"], kScratch);
  EXPECT_EQ(site["retainedBytes"], nullptr);
  EXPECT_EQ(site["errorBytes"], 0);
  EXPECT_EQ(site["udf"], "aggregate (job.py:41)");
  EXPECT_EQ(site["udfKind"], "SQL_MAP_PANDAS_ITER_UDF");
  ASSERT_EQ(site["frames"].size(), 3u) << "the framework's frame before the user's first one is left out";
  EXPECT_EQ(site["frames"][1]["line"], 27);
  EXPECT_EQ(site["frames"][2]["function"], "weighted_average");
  EXPECT_EQ(site["frames"][2]["module"], "/jobs/libweighted.so");
}

TEST(ProfileStore, NativeFramesWithinTheFrameworkAreLeftOutWithIt) {
  ProfileStore store;
  ProfileBuilder task(7, kStage, 0);
  const uint32_t udf = task.Udf("each", "/jobs/job.py", 41, "SQL_MAP_ARROW_ITER_UDF");
  const TestFrame main = Framework("main", "/pyspark/worker.py", 1200), reader = Unnamed("/v/pyarrow/lib.so", "ab", 16);
  const TestFrame load = Framework("load_stream", "/pyspark/sql/pandas/serializers.py", 340);
  const TestFrame each = Python("each", "/jobs/job.py", 44), pool = Unnamed("/v/pyarrow/libarrow.so", "cd", 32);
  task.Site(proto::ORIGIN_PYTHON, {main, reader, load, each, pool, Python("inner", "/jobs/job.py", 9)}, 3001, 1).set_udf(udf);
  task.Site(proto::ORIGIN_PYTHON, {main, reader, load, pool}, 2003, 1).set_udf(udf);
  Ingest(store, task.Bytes());
  End(store, 7, 0);

  const Json sites = StageOf(store)["sites"];
  ASSERT_EQ(sites.size(), 2u);
  const auto names = [](const Json& site) {
    std::vector<std::string> found;
    for (const Json& frame : site["frames"]) {
      found.push_back(frame["language"] == "python" ? frame["function"].get<std::string>() : frame["module"].get<std::string>());
    }
    return found;
  };
  EXPECT_EQ(names(sites[0]), (std::vector<std::string>{"each", "/v/pyarrow/libarrow.so", "inner"}));
  EXPECT_EQ(names(sites[1]), (std::vector<std::string>{"/v/pyarrow/libarrow.so"}));
}

std::string SourceBytes(const std::string& file, uint32_t line, const std::string& text) {
  proto::Envelope envelope;
  envelope.set_schema_version(1);
  proto::SourceLine& source = *envelope.mutable_symbols()->add_source_lines();
  source.set_file(file);
  source.set_line(line);
  source.set_text(text);
  return envelope.SerializeAsString();
}

TEST(ProfileStore, ALineHasItsTextWheneverThatCame) {
  const auto report = [](bool text_first, const std::vector<std::string>& texts, bool with_source = true) {
    ProfileStore store;
    const auto ingest_texts = [&] {
      for (const std::string& text : texts) Ingest(store, SourceBytes("/jobs/averages.py", 27, text));
    };
    if (text_first) ingest_texts();
    Ingest(store, DemoTask(7, 0).Bytes());
    if (!text_first) ingest_texts();
    End(store, 7, 0);
    return store.ReportJson(false, with_source);
  };
  const std::string once = report(true, {"scratch = lib.weighted(n)"});
  EXPECT_EQ(Json::parse(once)["stages"][0]["lines"][0]["source"], "scratch = lib.weighted(n)");
  EXPECT_EQ(report(false, {"scratch = lib.weighted(n)"}), once);
  EXPECT_EQ(report(true, {"a = 1", "b = 2"}), report(true, {"b = 2", "a = 1"})) << "two executors with different files";
  EXPECT_EQ(report(true, {"scratch = lib.weighted(n)"}, false), report(true, {})) << "not to be shown";
  EXPECT_EQ(Json::parse(report(true, {}))["stages"][0]["lines"][0]["source"], nullptr);
  EXPECT_EQ(report(true, {std::string(300, 'x'), ""}), report(true, {})) << "longer than any executor sends";
}

// ---- delivery

TEST(Delivery, SameMessageTwiceCountsOnce) {
  ProfileStore store;
  Ingest(store, DemoTask(7, 0).Bytes());
  End(store, 7, 0);
  std::string once = store.ReportJson(false);
  Ingest(store, DemoTask(7, 0).Bytes());
  End(store, 7, 0);
  EXPECT_EQ(store.ReportJson(false), once);
}

TEST(Delivery, HighestSequenceWinsWhole) {
  ProfileStore store;
  ProfileBuilder interim = Task(7, 0, 111, 11, {Python("gone", "/jobs/job.py", 1)});
  interim.profile().set_final(false);
  ProfileBuilder last = Task(7, 0, 1'999'993);
  last.profile().set_sequence(5);
  Ingest(store, interim.Bytes());
  Ingest(store, last.Bytes());
  Ingest(store, interim.Bytes());
  End(store, 7, 0);
  Json stage = StageOf(store);
  ASSERT_EQ(stage["sites"].size(), 1u);
  EXPECT_EQ(stage["sites"][0]["allocatedBytes"], 1'999'993);
}

TEST(Delivery, AnyOrderGivesTheSameReport) {
  using Step = std::function<void(ProfileStore&)>;
  std::vector<Step> steps;
  auto ingest = [&](const std::string& bytes) { steps.push_back([bytes](ProfileStore& store) { Ingest(store, bytes); }); };
  auto end = [&](int64_t id, int partition, TaskOutcome outcome, int64_t ms, const char* error = "") {
    steps.push_back([=](ProfileStore& store) { End(store, id, partition, outcome, ms, error); });
  };
  for (int i = 0; i < 6; ++i) {
    ingest(DemoTask(10 + i, i).Bytes());
    // Equally heavy sites: their order in the report must not depend on ids.
    ProfileBuilder more =
        Task(30 + i, i, 5000, 5000, {Python("f" + std::to_string(i % 3), "/jobs/job.py", 5), Unnamed("/lib/x.so", "", 64)});
    ingest(more.Bytes());
    end(10 + i, i, i == 3 ? TaskOutcome::kFailed : TaskOutcome::kSucceeded, 100 + i, i == 3 ? "boom\nand more" : "");
    end(30 + i, i, TaskOutcome::kSucceeded, 90 + (i % 2) * 20);
    ProfileBuilder heartbeat = Task(10 + i, i, 77, 77);
    heartbeat.profile().set_sequence(0);
    heartbeat.profile().set_final(false);
    ingest(heartbeat.Bytes());
  }
  ingest(Task(50, 0, 600, 300, {Java("a.B", "c", "B.java", 3)}, proto::ORIGIN_JVM_HEAP).Bytes());
  ingest(SymbolBytes("abcdef", 0x1230, "weighted_average"));
  ingest(SymbolBytes("abcdef", 0x1230, "weighted_average", "weighted.cc", 12));
  ingest(testing::SnapshotBytes("1", 4000, 123'456'789, 2'000'000'000));
  ingest(testing::SnapshotBytes("2", 5000, 223'456'789, 0));
  steps.push_back([](ProfileStore& store) { store.StageSubmitted(kStage, 0, "collect", "job.py:51", 6, 50); });
  steps.push_back([](ProfileStore& store) { store.StageCompleted(kStage, 0, "", 500); });
  steps.push_back([](ProfileStore& store) { store.ExecutorAdded({"1", "host", 2, 1024, -1, -1, -1, 10}); });
  steps.push_back([](ProfileStore& store) { store.ExecutorRemoved("2", "Command exited with code 137", 400); });
  steps.push_back([](ProfileStore& store) { store.ApplicationStarted("app-1", "name", "4.3.0", "3.11", "yarn", 1); });
  steps.push_back([](ProfileStore& store) { store.Configuration({{"spark.executor.memory", "3g"}}); });
  steps.push_back([](ProfileStore& store) { store.NotAvailable("off-heap of executor 2", "the agent came late"); });
  steps.push_back([](ProfileStore& store) { store.ApplicationEnded(600); });

  std::string expected;
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    std::shuffle(steps.begin(), steps.end(), random);
    ProfileStore store;
    for (const Step& step : steps) step(store);
    std::string report = store.ReportJson(false);
    if (seed == 0) expected = report;
    ASSERT_EQ(report, expected) << "seed " << seed;
  }
  EXPECT_THAT(expected, ::testing::HasSubstr("weighted.cc"));
}

TEST(Delivery, ManyThreadsAtOnce) {
  ProfileStore store(256 << 10);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&store, thread] {
      for (int i = 0; i < 100; ++i) {
        int64_t id = thread * 1000 + i;
        Ingest(store, Task(id, static_cast<int>(id), 1009, 1009).Bytes());
        End(store, id, static_cast<int>(id));
        if (i % 50 == 0) {
          EXPECT_FALSE(store.ReportJson(true).empty());
        }
        if (i % 30 == 0) static_cast<void>(store.AwaitsSymbols());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  Json stage = StageOf(store);
  EXPECT_EQ(stage["tasks"], 400);
  EXPECT_EQ(stage["totals"][0]["allocatedBytes"], 400 * 1009);
}

// ---- accounting

TEST(Accounting, RetriesAndSpeculationStandApart) {
  ProfileStore store;
  for (int64_t id : {1, 2, 3, 4, 5}) Ingest(store, Task(id, 0, 1000 * static_cast<uint64_t>(id), 100 * static_cast<uint64_t>(id)).Bytes());
  End(store, 1, 0, TaskOutcome::kFailed, 10, "java.lang.Exception: boom\n\tat X");
  End(store, 2, 0, TaskOutcome::kSucceeded, 30);  // a speculative copy that was a moment later
  End(store, 3, 0, TaskOutcome::kSucceeded, 20);
  End(store, 4, 0, TaskOutcome::kKilled, 40, "another attempt succeeded");
  End(store, 5, 0, TaskOutcome::kLost, 50);
  Json stage = StageOf(store);
  EXPECT_EQ(stage["tasks"], 1);
  EXPECT_EQ(stage["profiledTasks"], 1);
  EXPECT_EQ(stage["sites"][0]["allocatedBytes"], 3000);
  Json other = stage["otherAttempts"];
  EXPECT_EQ(other["tasks"], 4);
  EXPECT_EQ(other["failed"], 1);
  EXPECT_EQ(other["killed"], 1);
  EXPECT_EQ(other["lost"], 1);
  EXPECT_EQ(other["superseded"], 1);
  EXPECT_EQ(other["unknown"], 0);
  EXPECT_EQ(other["sites"][0]["allocatedBytes"], 1000 + 2000 + 4000 + 5000);
  EXPECT_EQ(other["sites"][0]["liveAtPeakBytes"], 500);
  EXPECT_EQ(other["sites"][0]["tasks"], 4);
  ASSERT_EQ(other["errors"].size(), 2u);
  EXPECT_THAT(other["errors"].dump(), ::testing::HasSubstr("java.lang.Exception: boom\""));
}

TEST(Accounting, StageAttemptsAreRowsOfTheirOwn) {
  ProfileStore store;
  ProfileBuilder first = Task(1, 0, 1000), second = Task(2, 0, 2000);
  second.profile().set_stage_attempt(1);
  Ingest(store, first.Bytes());
  Ingest(store, second.Bytes());
  store.TaskEnded({1, kStage, 0, 0, 0, "1", TaskOutcome::kSucceeded, "", 10});
  store.TaskEnded({2, kStage, 1, 0, 0, "1", TaskOutcome::kSucceeded, "", 20});
  Json stages = ReportOf(store)["stages"];
  ASSERT_EQ(stages.size(), 2u);
  EXPECT_EQ(stages[0]["sites"][0]["allocatedBytes"], 1000);
  EXPECT_EQ(stages[1]["attempt"], 1);
  EXPECT_EQ(stages[1]["sites"][0]["allocatedBytes"], 2000);
}

TEST(Accounting, ResubmittedTaskGivesWayToItsSuccessor) {
  ProfileStore store;
  Ingest(store, Task(1, 0, 1000).Bytes());
  Ingest(store, Task(2, 0, 2000).Bytes());
  End(store, 1, 0, TaskOutcome::kSucceeded, 10);
  End(store, 1, 0, TaskOutcome::kLost, 10);  // its shuffle output went with its executor
  End(store, 2, 0, TaskOutcome::kSucceeded, 30);
  Json stage = StageOf(store);
  EXPECT_EQ(stage["sites"][0]["allocatedBytes"], 2000);
  EXPECT_EQ(stage["otherAttempts"]["lost"], 1);
}

TEST(Accounting, AnAttemptThatFailedIsNotLostWithItsExecutorLater) {
  ProfileStore store;
  Ingest(store, Task(1, 0, 1000).Bytes());
  Ingest(store, Task(2, 0, 2000).Bytes());
  End(store, 1, 0, TaskOutcome::kFailed, 10, "its worker died");
  End(store, 2, 0, TaskOutcome::kSucceeded, 20);
  End(store, 1, 0, TaskOutcome::kLost, 30, "Resubmitted");  // as Spark says of any attempt whose partition had succeeded
  Json stage = StageOf(store);
  EXPECT_EQ(stage["otherAttempts"]["lost"], 0);
  EXPECT_EQ(stage["otherAttempts"]["failed"], 1);
  EXPECT_EQ(stage["otherAttempts"]["errors"][0]["message"], "its worker died");
}

TEST(Accounting, TaskWithoutReportedEndDoesNotCountYet) {
  ProfileStore store;
  Ingest(store, Task(1, 0, 1000).Bytes());
  Json stage = StageOf(store);
  EXPECT_EQ(stage["tasks"], 0);
  EXPECT_EQ(stage["otherAttempts"]["unknown"], 1);
  EXPECT_EQ(stage["otherAttempts"]["sites"][0]["allocatedBytes"], 1000);
}

TEST(Accounting, CompletedStageProvesThatAnAttemptOfEachPartitionSucceeded) {
  ProfileStore store;
  ProfileBuilder interim = Task(1, 0, 1000);
  interim.profile().set_final(false);
  Ingest(store, interim.Bytes());
  Ingest(store, Task(2, 0, 2000).Bytes());  // its TaskEnded was dropped by the listener bus
  Ingest(store, Task(3, 1, 3000).Bytes());
  End(store, 3, 1);
  store.StageCompleted(kStage, 0, "", 500);
  Json stage = StageOf(store);
  EXPECT_EQ(stage["tasks"], 2);
  EXPECT_EQ(stage["sites"][0]["allocatedBytes"], 5000);
  EXPECT_EQ(stage["otherAttempts"]["unknown"], 1);
}

TEST(Accounting, FailedStageProvesNothing) {
  ProfileStore store;
  Ingest(store, Task(2, 0, 2000).Bytes());
  store.StageCompleted(kStage, 0, "Job aborted", 500);
  Json stage = StageOf(store);
  EXPECT_EQ(stage["tasks"], 0);
  EXPECT_EQ(stage["status"], "failed");
}

TEST(Accounting, AllocatedAddsUpAndPeaksAreTheLargestOfOneTask) {
  ProfileStore store;
  uint64_t live[] = {300, 900, 500};
  for (int i = 0; i < 3; ++i) {
    ProfileBuilder task = Task(i, i, 1000, live[i]);
    task.profile().mutable_sites(0)->set_resident_at_peak_bytes(live[i] / 2);
    Ingest(store, task.Bytes());
    End(store, i, i);
  }
  Json site = StageOf(store)["sites"][0];
  EXPECT_EQ(site["allocatedBytes"], 3000);
  EXPECT_EQ(site["allocations"], 3);
  EXPECT_EQ(site["liveAtPeakBytes"], 900);
  EXPECT_EQ(site["residentAtPeakBytes"], 450);
  EXPECT_EQ(site["tasks"], 3);
}

// ---- errors and missing figures

TEST(Figures, ErrorIsTwoDeviationsOfWhatIsShown) {
  ProfileStore store;
  ProfileBuilder task(1, kStage, 0);
  auto site = [&](const char* function, bool sampled, double variance, std::optional<uint64_t> live, double peak_variance) {
    proto::Site& made = task.Site(proto::ORIGIN_PYTHON, {Python(function, "/f.py", 1)}, 10'000, 1);
    made.set_sampled(sampled);
    made.set_variance(variance);
    if (live) made.set_live_at_peak_bytes(*live);
    made.set_peak_variance(peak_variance);
  };
  site("exact", false, 0, 400, 0);
  site("sampled", true, 250'000, 300, 10'000);
  site("peak_counted", true, 250'000, 200, 0);
  site("allocated_only", true, 250'000, std::nullopt, 0);
  site("counted_though_sampled", true, 0, 150, 0);
  site("unknown", true, 0, 100, 0);
  task.profile().mutable_sites()->rbegin()->clear_variance();
  Ingest(store, task.Bytes());
  End(store, 1, 0);
  std::map<std::string, Json> errors;
  Json sites = StageOf(store)["sites"];
  for (const Json& shown : sites) errors[shown["frames"][0]["function"]] = shown["errorBytes"];
  EXPECT_EQ(errors["exact"], 0);
  EXPECT_EQ(errors["sampled"], 200);
  EXPECT_EQ(errors["peak_counted"], 0);
  EXPECT_EQ(errors["allocated_only"], 1000);
  EXPECT_EQ(errors["counted_though_sampled"], 0);
  EXPECT_EQ(errors["unknown"], nullptr);
}

TEST(Figures, VariancesOfTasksAddUp) {
  ProfileStore store;
  for (int i = 0; i < 4; ++i) {
    ProfileBuilder task = Task(i, i, 1000, std::nullopt, {Java("a.B", "c", "B.java", 3)}, proto::ORIGIN_JVM_HEAP);
    task.profile().mutable_sites(0)->set_sampled(true);
    task.profile().mutable_sites(0)->set_variance(2500);
    Ingest(store, task.Bytes());
    End(store, i, i);
  }
  Json site = StageOf(store)["sites"][0];
  EXPECT_EQ(site["liveAtPeakBytes"], nullptr);
  EXPECT_EQ(site["residentAtPeakBytes"], nullptr);
  EXPECT_EQ(site["errorBytes"], 200);
  EXPECT_THAT(ReportOf(store)["notAvailable"].dump(), ::testing::HasSubstr("jvm-heap"));
}

// ---- rows

TEST(Rows, HeaviestFirstAndHeapSitesAfterByAllocatedBytes) {
  ProfileStore store;
  ProfileBuilder task(1, kStage, 0);
  task.Site(proto::ORIGIN_JVM_HEAP, {Java("a.B", "small", "B.java", 1)}, 5, 1);
  task.Site(proto::ORIGIN_JVM_HEAP, {Java("a.B", "large", "B.java", 2)}, 500'000, 1);
  task.Site(proto::ORIGIN_PYTHON, {Python("little", "/f.py", 1)}, 900, 1).set_live_at_peak_bytes(10);
  task.Site(proto::ORIGIN_PYTHON, {Python("much", "/f.py", 2)}, 800, 1).set_live_at_peak_bytes(700);
  task.Site(proto::ORIGIN_JVM_OFFHEAP, {Java("a.B", "direct", "B.java", 3)}, 50, 1).set_live_at_peak_bytes(50);
  task.Site(proto::ORIGIN_PYTHON, {Python("nothing_then", "/f.py", 3)}, 100, 1).set_live_at_peak_bytes(0);
  Ingest(store, task.Bytes());
  End(store, 1, 0);
  std::vector<std::string> order;
  Json sites = StageOf(store)["sites"];
  for (const Json& site : sites) order.push_back(site["frames"][0]["function"]);
  EXPECT_THAT(order, ::testing::ElementsAre("much", "direct", "little", "nothing_then", "large", "small"));
}

TEST(Rows, SitesAndRemaindersAddUpToTotals) {
  ProfileStore store;
  uint64_t expected = 0;
  for (int id = 0; id < 3; ++id) {
    ProfileBuilder task(id, kStage, id);
    for (uint32_t line = 1; line <= 150; ++line) {
      uint64_t size = 1009 * line + static_cast<uint64_t>(id);
      task.Site(proto::ORIGIN_PYTHON, {Python("f", "/f.py", line)}, size, line).set_live_at_peak_bytes(line);
      expected += size;
    }
    proto::Remainder& rest = *task.profile().add_remainders();
    rest.set_origin(proto::ORIGIN_PYTHON);
    rest.set_sites(17);
    rest.set_allocated_bytes(123'457);
    rest.set_allocations(18);
    rest.set_live_at_peak_bytes(4000);
    expected += 123'457;
    Ingest(store, task.Bytes());
    End(store, id, id);
  }
  Json stage = StageOf(store);
  uint64_t shown = 0, shown_allocations = 0;
  for (const Json& site : stage["sites"]) {
    shown += site["allocatedBytes"].get<uint64_t>();
    shown_allocations += site["allocations"].get<uint64_t>();
  }
  ASSERT_LT(stage["sites"].size(), 150u);
  ASSERT_EQ(stage["totals"].size(), 1u);
  EXPECT_EQ(stage["totals"][0]["allocatedBytes"], expected);
  EXPECT_EQ(shown + stage["remainders"][0]["allocatedBytes"].get<uint64_t>(), expected);
  EXPECT_EQ(shown_allocations + stage["remainders"][0]["allocations"].get<uint64_t>(), stage["totals"][0]["allocations"]);
  EXPECT_EQ(stage["totals"][0]["liveAtPeakBytes"], 150 * 151 / 2 + 4000) << "all that one task held, its remainder included";
}

TEST(Rows, TheUsersOwnCodeKeepsItsPlaceBesideImports) {
  ProfileStore store;
  ProfileBuilder task(1, kStage, 0);
  uint32_t udf = task.Udf("f", "/job/f.py", 1, "BATCHED_UDF");
  for (uint32_t line = 1; line <= 150; ++line) {
    const std::vector<TestFrame> import = {Framework("main", "/pyspark/worker.py", 9), Python("<module>", "/lib/site-packages/p.py", line)};
    task.Site(proto::ORIGIN_PYTHON, import, 1009 * line, line).set_live_at_peak_bytes(1009 * line);
  }
  auto own = [&](uint32_t line, uint64_t allocated, uint64_t live_at_peak) {
    proto::Site& site = task.Site(proto::ORIGIN_PYTHON, {Python("f", "/job/f.py", line)}, allocated, 1);
    site.set_udf(udf);
    site.set_live_at_peak_bytes(live_at_peak);
  };
  own(7, 700'001, 0);  // gone before the peak
  for (uint32_t line = 100; line < 130; ++line) own(line, 101, 1);
  Ingest(store, task.Bytes());
  End(store, 1, 0);
  Json stage = StageOf(store);
  ASSERT_LT(stage["sites"].size(), 150u);
  size_t of_user = 0, scratch = 0;
  uint64_t before = UINT64_MAX;
  for (const Json& site : stage["sites"]) {
    of_user += site["udfName"] == "f";
    scratch += site["allocatedBytes"] == 700'001;
    EXPECT_LE(site["liveAtPeakBytes"].get<uint64_t>(), before) << "whoever got a place, the heaviest stands first";
    before = site["liveAtPeakBytes"].get<uint64_t>();
  }
  EXPECT_EQ(scratch, 1u);
  EXPECT_EQ(of_user, stage["sites"].size() / 2) << "the other half is for the heaviest of all";
  EXPECT_EQ(stage["sites"][0]["allocatedBytes"], 1009 * 150);
}

TEST(Rows, PythonOutsideAnyUdfKeepsTheFramework) {
  ProfileStore store;
  ProfileBuilder task(1, kStage, 0);
  uint32_t udf = task.Udf("f", "/f.py", 1, "RDD");
  TestFrame worker = Framework("main", "/pyspark/worker.py", 1200);
  task.Site(proto::ORIGIN_PYTHON, {worker, Python("outside", "/f.py", 3)}, 300, 1);
  task.Site(proto::ORIGIN_PYTHON, {worker, Python("inside", "/f.py", 4)}, 200, 1).set_udf(udf);
  task.Site(proto::ORIGIN_PYTHON, {worker, Framework("load", "/pyspark/serializers.py", 9)}, 100, 1).set_udf(udf);
  task.Site(proto::ORIGIN_PYTHON, {Python("user", "/f.py", 5), worker}, 50, 1).set_udf(udf);
  Ingest(store, task.Bytes());
  End(store, 1, 0);
  Json sites = StageOf(store)["sites"];
  EXPECT_EQ(sites[0]["frames"].size(), 2u);
  EXPECT_EQ(sites[0]["udf"], nullptr);
  EXPECT_EQ(sites[1]["frames"].size(), 1u);
  EXPECT_EQ(sites[2]["frames"].size(), 2u) << "there is nothing else to show";
  EXPECT_EQ(sites[3]["frames"].size(), 2u) << "only leading frames are left out";
}

// ---- lines

constexpr const char* kNumpy = "/venv/lib/python3.11/site-packages/numpy/_core/numeric.py";

TEST(Lines, MemoryIsChargedToTheUsersInnermostLine) {
  ProfileStore store;
  ProfileBuilder task(1, kStage, 0);
  uint32_t udf = task.Udf("hold", "/jobs/job.py", 5, "RDD");
  auto site = [&](std::vector<TestFrame> frames, uint64_t bytes) {
    proto::Site& made = task.Site(proto::ORIGIN_PYTHON, std::move(frames), bytes, 1);
    made.set_udf(udf);
    made.set_live_at_peak_bytes(bytes);
  };
  TestFrame hold = Python("hold", "/jobs/job.py", 8);
  site({hold, Python("ones", kNumpy, 232), Unnamed("/x/_umath.so", "b", 1)}, 1'999'993);
  site({hold, Python("helper", "/jobs/helper.py", 3)}, 1009);
  site({hold, Python("callback", kNumpy, 7), Python("key", "/jobs/helper.py", 9), Python("sorted", kNumpy, 8)}, 997);
  site({hold, Unnamed("/x/other.so", "b", 2)}, 211);
  site({Python("_find_and_load", "<frozen importlib._bootstrap>", 1176), Python("<module>", kNumpy, 1), Python("inner", kNumpy, 2)}, 13);
  site({Unnamed("/x/pool.so", "b", 3)}, 7);
  Ingest(store, task.Bytes());
  End(store, 1, 0);
  Json stage = StageOf(store);
  std::map<std::string, uint64_t> live;
  for (const Json& line : stage["lines"]) {
    std::string place = line["file"].is_null() ? "none" : line["file"].get<std::string>() + ":" + line["line"].dump();
    live[place] = line["liveAtPeakBytes"];
    EXPECT_EQ(line["udf"], "hold (job.py:5)");
  }
  EXPECT_EQ(live["/jobs/job.py:8"], 1'999'993 + 211);
  EXPECT_EQ(live["/jobs/helper.py:3"], 1009);
  EXPECT_EQ(live["/jobs/helper.py:9"], 997);
  EXPECT_EQ(live[std::string(kNumpy) + ":1"], 13) << "an import is charged to where it began";
  EXPECT_EQ(live["none"], 7);
  EXPECT_EQ(stage["lines"][0]["sites"], Json({0, 3}));
}

TEST(Lines, PeaksAreOfOneTask) {
  ProfileStore store;
  for (int id = 0; id < 2; ++id) {  // each task holds through another site of the line, and both through a third
    ProfileBuilder task(id, kStage, id);
    TestFrame line = Python("f", "/f.py", 1);
    uint64_t own = 100 + static_cast<uint64_t>(id);
    task.Site(proto::ORIGIN_PYTHON, {line, Unnamed("/x.so", "b", own)}, 1000, 1).set_live_at_peak_bytes(own);
    task.Site(proto::ORIGIN_PYTHON, {line, Unnamed("/x.so", "b", 7)}, 1000, 1).set_live_at_peak_bytes(5);
    Ingest(store, task.Bytes());
    End(store, id, id);
  }
  Json line = StageOf(store)["lines"].at(0);
  EXPECT_EQ(line["liveAtPeakBytes"], 106);
  EXPECT_EQ(line["allocatedBytes"], 4000);
  EXPECT_EQ(line["tasks"], 2);
  EXPECT_EQ(line["sites"].size(), 3u);
}

// ---- names that come late

TEST(Symbols, SitesThatGetOneNameBecomeOne) {
  ProfileStore store;
  for (int id = 0; id < 2; ++id) {
    ProfileBuilder task(id, kStage, id);
    for (uint64_t offset : {0x10, 0x20}) {
      proto::Site& site = task.Site(proto::ORIGIN_PYTHON, {Python("f", "/f.py", 1), Unnamed("/lib/a.so", "b1", offset)}, 1000 + offset, 1);
      site.set_live_at_peak_bytes(100 * static_cast<uint64_t>(id + 1));
    }
    Ingest(store, task.Bytes());
    End(store, id, id);
  }
  EXPECT_EQ(StageOf(store)["sites"].size(), 2u);
  EXPECT_EQ(StageOf(store)["sites"][0]["frames"][1]["function"], nullptr);
  EXPECT_EQ(StageOf(store)["sites"][0]["frames"][1]["buildId"], "b1");
  Ingest(store, SymbolBytes("b1", 0x10, "grow", "a.cc", 7));
  Ingest(store, SymbolBytes("b1", 0x20, "grow", "a.cc", 7));
  Json sites = StageOf(store)["sites"];
  ASSERT_EQ(sites.size(), 1u);
  EXPECT_EQ(sites[0]["allocatedBytes"], 2 * (1000 + 0x10 + 1000 + 0x20));
  EXPECT_EQ(sites[0]["liveAtPeakBytes"], 400) << "both held 200 in the second task at once; tasks don't add up";
  EXPECT_EQ(sites[0]["tasks"], 2);
  EXPECT_FALSE(sites[0]["frames"][1].contains("offset"));
}

// Whatever the order in which two executors name the same code.
TEST(Symbols, WhatWasInlinedIntoBecomesFrames) {
  const std::string with = SymbolBytes("b1", 0x10, "innermost", "a.cc", 7, {"outermost", "middle"});
  const std::string without = SymbolBytes("b1", 0x10, "innermost", "a.cc", 7);
  for (const std::vector<std::string>& symbols : {std::vector{with}, {with, without}, {without, with}, {with, with}}) {
    ProfileStore store;
    ProfileBuilder task(7, kStage, 0);
    task.Site(proto::ORIGIN_PYTHON, {Python("f", "/f.py", 1), Unnamed("/lib/a.so", "b1", 0x10)}, 3'000'017, 1);
    Ingest(store, task.Bytes());
    End(store, 7, 0);
    for (const std::string& symbol : symbols) Ingest(store, symbol);
    const Json frames = StageOf(store)["sites"][0]["frames"];
    ASSERT_EQ(frames.size(), 4u);
    EXPECT_EQ(frames[1]["function"], "outermost");
    EXPECT_EQ(frames[1]["file"], "outermost.h");
    EXPECT_EQ(frames[1]["line"], 8);
    EXPECT_EQ(frames[1]["module"], "/lib/a.so");
    EXPECT_EQ(frames[1]["language"], "native");
    EXPECT_EQ(frames[2]["function"], "middle");
    EXPECT_EQ(frames[2]["line"], 9);
    EXPECT_EQ(frames[3]["function"], "innermost");
    EXPECT_EQ(frames[3]["file"], "a.cc");
    EXPECT_FALSE(frames[1].contains("offset"));
    EXPECT_FALSE(store.AwaitsSymbols());
  }
}

TEST(Symbols, AreAwaitedWhileTheyMayCome) {
  ProfileStore store;
  EXPECT_FALSE(store.AwaitsSymbols());
  Ingest(store, DemoTask(7, 0).Bytes());
  End(store, 7, 0);
  EXPECT_TRUE(store.AwaitsSymbols());
  store.ExecutorRemoved("1", "idle", 10);
  EXPECT_FALSE(store.AwaitsSymbols()) << "nobody is left who could name it";
}

TEST(Symbols, EmptyNameSaysThatNoneWillCome) {
  ProfileStore store;
  Ingest(store, DemoTask(7, 0).Bytes());
  End(store, 7, 0);
  Ingest(store, SymbolBytes("abcdef", 0x1230, ""));
  EXPECT_FALSE(store.AwaitsSymbols());
  EXPECT_EQ(StageOf(store)["sites"][0]["frames"][2]["offset"], 0x1230);
  Ingest(store, SymbolBytes("abcdef", 0x1230, "weighted_average"));
  EXPECT_EQ(StageOf(store)["sites"][0]["frames"][2]["function"], "weighted_average");
}

// ---- Arrow's pool

using Counters = std::initializer_list<std::pair<const char*, uint64_t>>;

void EndTaskWithSessions(ProfileStore& store, int64_t id, std::initializer_list<Counters> sessions) {
  proto::Envelope envelope;
  envelope.ParseFromString(testing::ProfileBuilder(id, 2, static_cast<int>(id), "7").Bytes());
  for (const Counters& counters : sessions) {
    proto::Session& session = *envelope.mutable_task()->add_sessions();
    for (const auto& [name, value] : counters) {
      proto::Counter& counter = *session.add_counters();
      counter.set_name(name);
      counter.set_value(value);
    }
  }
  Ingest(store, envelope.SerializeAsString());
  store.TaskEnded({id, 2, 0, static_cast<int>(id), 0, "7", TaskOutcome::kSucceeded, "", 9});
}

TEST(ArrowPool, EachFigureIsTheLargestOfAnyOneTask) {
  ProfileStore store;
  store.ApplicationStarted("app-1", "name", "4.3.0", "", "local[2]", 1);
  store.StageSubmitted(2, 0, "stage", "", 3, 5);
  EndTaskWithSessions(store, 0,
                      {{{"arrowPoolBeginBytes", 0}, {"arrowPoolEndBytes", 17}, {"arrowPoolPeakBytes", 5'000'003}},
                       {{"arrowPoolBeginBytes", 3'000'000}, {"arrowPoolEndBytes", 1'000'019}}});
  EndTaskWithSessions(store, 1,
                      {{{"arrowPoolBeginBytes", 2'000'000}, {"arrowPoolEndBytes", 2'000'029}, {"arrowPoolPeakBytes", 4'000'001}}});
  const Json report = ReportOf(store);
  EXPECT_EQ(report["stages"][0]["arrowPoolPeakBytes"], 5'000'003);
  EXPECT_EQ(report["stages"][0]["arrowPoolEndBytes"], 2'000'029);
  EXPECT_EQ(report["stages"][0]["arrowPoolGrowthBytes"], 29);
  EXPECT_EQ(report["stages"][0]["otherAttempts"]["arrowPoolEndBytes"], nullptr);
  for (const char* name : {"arrowPoolPeakBytes", "arrowPoolBeginBytes", "arrowPoolEndBytes"})
    EXPECT_FALSE(report["counters"].contains(name));
}

TEST(ArrowPool, WhatShrinksIsSaidAndAnUnknownPeakIsNull) {
  ProfileStore store;
  store.ApplicationStarted("app-1", "name", "4.3.0", "", "local[2]", 1);
  store.StageSubmitted(2, 0, "stage", "", 3, 5);
  EndTaskWithSessions(store, 0, {{{"arrowPoolBeginBytes", 3'000'000}, {"arrowPoolEndBytes", 1'000'019}}, {}});
  const Json report = ReportOf(store);
  EXPECT_EQ(report["stages"][0]["arrowPoolPeakBytes"], nullptr);
  EXPECT_EQ(report["stages"][0]["arrowPoolEndBytes"], 1'000'019);
  EXPECT_EQ(report["stages"][0]["arrowPoolGrowthBytes"], 1'000'019 - 3'000'000);
}

// ---- executors

TEST(Executors, AProcessHasItsBaselineAndTheMomentOfItsRows) {
  ProfileStore store;
  store.ApplicationStarted("app-1", "name", "4.3.0", "", "spark://host:7077", 1);
  proto::Envelope envelope;
  envelope.set_schema_version(1);
  envelope.set_executor_id("7");
  proto::ExecutorSnapshot& snapshot = *envelope.mutable_executor();
  snapshot.set_taken_ms(5);
  proto::Process& worker = testing::AddProcess(*snapshot.add_processes(), 12, "python-worker", 200'000'003,
                                               {{"Python objects", 90'000'001}, {"native: numpy/_multiarray_umath", 99'000'007}});
  worker.set_rows_rss_bytes(196'000'001);
  worker.mutable_baseline()->set_start_rss_bytes(41'000'009);
  worker.mutable_baseline()->set_first_task_rss_bytes(61'000'003);
  worker.mutable_baseline()->set_as_of_session(2);
  testing::AddProcess(*snapshot.add_processes(), 11, "jvm", 300'000'003, {{"RssAnon", 290'000'001}});
  Ingest(store, envelope.SerializeAsString());
  // A later message knows more of imports, and nothing of the first task.
  snapshot.set_taken_ms(6);
  proto::Process& later = *snapshot.mutable_processes(0);
  later.mutable_baseline()->clear_first_task_rss_bytes();
  later.mutable_baseline()->set_as_of_session(3);
  proto::ImportedModule& pandas = *later.mutable_baseline()->add_modules();
  pandas.set_name("pandas");
  pandas.set_live_bytes(21'000'001);
  pandas.set_with_imports_bytes(33'000'007);
  Ingest(store, envelope.SerializeAsString());
  // One that had no room for the baseline doesn't take it away.
  snapshot.set_taken_ms(7);
  later.clear_baseline();
  later.set_peak_rss_bytes(200'000'004);
  Ingest(store, envelope.SerializeAsString());

  const Json report = ReportOf(store);
  const Json& processes = report["executors"].at(0)["processes"];
  EXPECT_EQ(processes[0]["peakRowsRssBytes"], nullptr);
  EXPECT_EQ(processes[0]["baseline"], nullptr);
  EXPECT_EQ(processes[1]["peakRowsRssBytes"], 196'000'001);
  EXPECT_EQ(processes[1]["unattributedBytes"], 200'000'004 - 90'000'001 - 99'000'007);
  const Json& baseline = processes[1]["baseline"];
  EXPECT_EQ(baseline["startRssBytes"], 41'000'009);
  EXPECT_EQ(baseline["firstTaskRssBytes"], 61'000'003);
  EXPECT_EQ(baseline["modules"], Json::parse(R"([{"name": "pandas", "liveBytes": 21000001, "withImportsBytes": 33000007}])"));
  EXPECT_NE(report["notAvailable"].dump().find("daemon had imported"), std::string::npos);
}

TEST(Executors, LatestSnapshotAndBudgetMakeARow) {
  ProfileStore store;
  store.ApplicationStarted("app-1", "name", "4.3.0", "", "spark://host:7077", 1);
  store.Configuration({{"spark.executor.memory", "1g"}});
  store.ExecutorAdded({"7", "node-a", 3, 1024, -1, -1, -1, 20});
  Ingest(store, testing::SnapshotBytes("7", 4000, 222'222'223, 1'100'000'007));
  Json executor = ReportOf(store)["executors"].at(0);
  EXPECT_EQ(executor["id"], "7");
  EXPECT_EQ(executor["host"], "node-a");
  EXPECT_EQ(executor["limitBytes"], 1'100'000'007);
  EXPECT_EQ(executor["limitSource"], "cgroup");
  EXPECT_EQ(executor["requestedBytes"], 1 << 30);
  for (const Json& process : executor["processes"]) {
    int64_t rows = 0;
    for (const Json& row : process["peakRows"]) rows += row["bytes"].get<int64_t>();
    EXPECT_EQ(rows + process["unattributedBytes"].get<int64_t>(), process["peakRssBytes"]);
  }
  EXPECT_EQ(executor["processes"][0]["kind"], "jvm");
  uint64_t python_at_peak = 222'222'223 - 4096 + 133 * 1024 * 1024 - 4096;
  for (const Json& region : executor["regions"]) {
    if (region["name"] == "overhead") {
      EXPECT_EQ(region["peakBytes"], python_at_peak);
    }
    if (region["name"] == "heap.reserved") {
      EXPECT_EQ(region["peakBytes"], nullptr);
    }
    if (region["name"] == "heap.storage") {
      EXPECT_EQ(region["peakBytes"], 12 * 1024 * 1024 + 345);
    }
  }
  EXPECT_EQ(executor["removedReason"], nullptr);
}

TEST(Executors, AreSortedByNumber) {
  ProfileStore store;
  for (const char* id : {"10", "2", "driver", "1"}) store.ExecutorAdded({id, "h", 1, 1024, -1, -1, -1, 20});
  std::vector<std::string> ids;
  Json executors = ReportOf(store)["executors"];
  for (const Json& executor : executors) ids.push_back(executor["id"]);
  EXPECT_THAT(ids, ::testing::ElementsAre("1", "2", "10", "driver"));
  EXPECT_THAT(ReportOf(store)["notAvailable"].dump(), ::testing::HasSubstr("no snapshot of it arrived"));
}

TEST(Executors, CountersOfAllPartsAddUp) {
  ProfileStore store;
  for (int id = 0; id < 2; ++id) {
    ProfileBuilder task = Task(id, id, 1000);
    auto add = [](proto::Counter& counter, const char* name, uint64_t value) {
      counter.set_name(name);
      counter.set_value(value);
    };
    add(*task.profile().add_counters(), "droppedSites", 3);
    proto::Session& session = *task.profile().add_sessions();
    add(*session.add_counters(), "otherPeakBytes", 1000 + static_cast<uint64_t>(id));
    Ingest(store, task.Bytes());
  }
  Json counters = ReportOf(store)["counters"];
  EXPECT_EQ(counters["droppedSites"], 6);
  EXPECT_EQ(counters["droppedTasks"], 0);
  EXPECT_EQ(counters["otherPeakBytes"], 1001) << "a peak of several is the largest, not the sum";
}

TEST(ProfileStore, TextThatIsNotUtf8DoesNotSpoilTheReport) {
  ProfileStore store;
  store.ApplicationStarted("app\xff", "na\xc3", "4", "3", "local", 1);
  Json report = ReportOf(store);
  EXPECT_EQ(report["application"]["id"], "app\xef\xbf\xbd");
}

TEST(ProfileStoreTest, SitesOfTheJvmSayWhatOfSparkTheyAreForAndWhoAsked) {
  ProfileStore store;
  const TestFrame run = Java("", "org.apache.spark.scheduler.Task.run", "Task.scala", 141);
  const TestFrame sorter =
      Java("", "org.apache.spark.sql.execution.UnsafeExternalRowSorter.insertRow", "UnsafeExternalRowSorter.java", 141);
  const TestFrame users = Java("", "com.acme.Keys.of", "Keys.java", 7), array = Java("", "java.util.Arrays.copyOf", "Arrays.java", 3537);
  ProfileBuilder task(1, kStage, 0);
  task.Site(proto::ORIGIN_JVM_HEAP, {run, sorter, users, array}, 5'000'011, 3);
  task.Site(proto::ORIGIN_JVM_HEAP, {run, sorter, array}, 3'000'017, 2);
  task.Site(proto::ORIGIN_JVM_HEAP, {run, array}, 2'000'003, 1);
  task.Site(proto::ORIGIN_JVM_OFFHEAP, {run, sorter}, 1'000'003, 1);
  Ingest(store, task.Bytes());
  End(store, 1, 0);

  const Json stage = StageOf(store);
  const Json operators = {
      {{"operator", "SortExec"}, {"origin", "jvm-heap"}, {"sites", 2}, {"allocatedBytes", 8'000'028}, {"allocations", 5}},
      {{"operator", "SortExec"}, {"origin", "jvm-offheap"}, {"sites", 1}, {"allocatedBytes", 1'000'003}, {"allocations", 1}}};
  EXPECT_EQ(stage["operators"], operators);
  std::map<uint64_t, Json> sites;
  for (const Json& site : stage["sites"]) sites[site["allocatedBytes"]] = site;
  EXPECT_EQ(sites[5'000'011]["operator"], "SortExec");
  EXPECT_EQ(sites[5'000'011]["frames"].at(sites[5'000'011]["askedBy"].get<size_t>())["function"], "com.acme.Keys.of");
  EXPECT_EQ(sites[3'000'017]["operator"], "SortExec");
  EXPECT_FALSE(sites[3'000'017].contains("askedBy"));
  EXPECT_FALSE(sites[2'000'003].contains("operator"));
}

TEST(ProfileStore, WhatIsLeftOfADeadExecutorIsJoinedWithWhatItSentBefore) {
  const auto part = [](uint64_t sequence, bool recovered, uint64_t python, uint64_t heap) {
    ProfileBuilder task(7, 3, 0, "2");
    task.profile().set_final(false);
    task.profile().set_sequence(sequence);
    task.profile().set_recovered(recovered);
    if (python != 0) task.Site(proto::ORIGIN_PYTHON, {Python("f", "/job.py", 5)}, python, 1).set_live_at_peak_bytes(python);
    if (heap != 0) task.Site(proto::ORIGIN_JVM_HEAP, {Java("", "a.B.c", "B.java", 1)}, heap, 1);
    return task.Bytes();
  };
  // The boxes have the end, the executor's own messages are of before.
  std::vector<std::string> messages{part(3, false, 1'000'003, 50'021), part(0, true, 70'000'003, 0), part(4, false, 2'000'003, 60'017)};
  std::string known;
  std::sort(messages.begin(), messages.end());
  do {
    ProfileStore store;
    for (const std::string& message : messages) ASSERT_TRUE(store.Ingest(message).ok());
    const std::string report = store.ReportJson(true);
    if (known.empty()) known = report;
    EXPECT_EQ(report, known);
    const Report model = store.Model(true);
    const auto& totals = model.stages.at(0).other_attempts.totals;
    ASSERT_EQ(totals.size(), 2u);
    EXPECT_EQ(totals[0].live_at_peak_bytes, 70'000'003u);
    EXPECT_EQ(totals[1].allocated_bytes, 60'017u);
  } while (std::next_permutation(messages.begin(), messages.end()));
}

}  // namespace
}  // namespace memprof
