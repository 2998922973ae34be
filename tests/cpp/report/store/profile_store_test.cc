#include "store/profile_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>
#include <thread>

#include "proto/envelope.h"
#include "report/json.h"
#include "report/sample_store.h"
#include "report/store/small_job.h"

namespace memprof {
namespace {

using namespace testing;

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
  proto::Envelope envelope = EnvelopeOf("");
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
    return WriteReportJson(store.Model(false, with_source));
  };
  const std::string once = report(true, {"scratch = lib.weighted(n)"});
  EXPECT_EQ(Json::parse(once)["stages"][0]["lines"][0]["source"], "scratch = lib.weighted(n)");
  EXPECT_EQ(report(false, {"scratch = lib.weighted(n)"}), once);
  EXPECT_EQ(report(true, {"a = 1", "b = 2"}), report(true, {})) << "two executors with different files";
  EXPECT_EQ(report(true, {"b = 2", "a = 1"}), report(true, {}));
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

// A worker may be found dead after its task's end: the JVM's figures of that task are gone then.
TEST(Delivery, WhatIsMadeAfterATasksFinalProfileTakesNothingAway) {
  for (const bool late_first : {false, true}) {
    ProfileStore store;
    ProfileBuilder last = Task(7, 0, 1'999'993), late = Task(7, 0, 111, 11, {Python("less", "/jobs/job.py", 1)});
    last.profile().set_sequence(5);
    late.profile().set_sequence(6);
    late.profile().set_final(false);
    Ingest(store, (late_first ? late : last).Bytes());
    Ingest(store, (late_first ? last : late).Bytes());
    End(store, 7, 0);
    EXPECT_EQ(StageOf(store)["sites"][0]["allocatedBytes"], 1'999'993) << late_first;
  }
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
  ingest(SnapshotBytes("1", 4000, 123'456'789, 2'000'000'000));
  ingest(SnapshotBytes("2", 5000, 223'456'789, 0));
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
    task.profile().mutable_sites(0)->set_resident_later_bytes(i);
    Ingest(store, task.Bytes());
    End(store, i, i);
  }
  Json site = StageOf(store)["sites"][0];
  EXPECT_EQ(site["allocatedBytes"], 3000);
  EXPECT_EQ(site["allocations"], 3);
  EXPECT_EQ(site["liveAtPeakBytes"], 900);
  EXPECT_EQ(site["residentAtPeakBytes"], 450);
  EXPECT_EQ(site["residentLaterBytes"], 1) << "of the second, whose resident bytes are shown";
  EXPECT_EQ(site["tasks"], 3);
}

TEST(Accounting, WhatIsResidentIsALowerBoundWhereMoreThanAHundredthWasNotLookedUp) {
  for (const auto& [read, in_part] : {std::pair(1000, false), std::pair(990, false), std::pair(989, true), std::pair(0, true)}) {
    ProfileStore store;
    ProfileBuilder task = Task(1, 0, 1000, 1000);
    task.profile().mutable_sites(0)->set_resident_at_peak_bytes(700);
    task.profile().mutable_sites(0)->set_read_at_peak_bytes(read);
    Ingest(store, task.Bytes());
    End(store, 1, 0);
    const Json stage = StageOf(store);
    for (const char* rows : {"sites", "lines", "udfs"}) EXPECT_EQ(stage[rows][0]["residentInPart"], in_part) << rows << " " << read;
  }
}

TEST(Accounting, ALowerBoundOfOneTaskIsOneOfTheStage) {
  ProfileStore store;
  const struct { uint64_t live, read, resident; } tasks[] = {{1000, 1000, 0}, {500, 20, 20}};
  for (int i = 0; i < 2; ++i) {
    ProfileBuilder task = Task(i, i, 1000, tasks[i].live);
    task.profile().mutable_sites(0)->set_resident_at_peak_bytes(tasks[i].resident);
    task.profile().mutable_sites(0)->set_read_at_peak_bytes(tasks[i].read);
    Ingest(store, task.Bytes());
    End(store, i, i);
  }
  const Json site = StageOf(store)["sites"][0];
  EXPECT_EQ(site["liveAtPeakBytes"], 1000);
  EXPECT_EQ(site["residentAtPeakBytes"], 20);
  EXPECT_EQ(site["residentInPart"], true);
}

TEST(Accounting, OneSmallBlockOfAnotherSiteMakesNoLineALowerBound) {
  for (const int unread : {5, 500}) {
    ProfileStore store;
    ProfileBuilder task = Task(1, 0, 1000, 1000);
    task.profile().mutable_sites(0)->set_resident_at_peak_bytes(1000);
    task.profile().mutable_sites(0)->set_read_at_peak_bytes(1000);
    proto::Site* small = task.profile().add_sites();
    *small = task.profile().sites(0);
    small->set_live_at_peak_bytes(unread);
    small->clear_resident_at_peak_bytes();
    small->clear_read_at_peak_bytes();
    Ingest(store, task.Bytes());
    End(store, 1, 0);
    EXPECT_EQ(StageOf(store)["lines"][0]["residentInPart"], unread == 500);
  }
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
