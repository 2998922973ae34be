#include "postmortem/post_mortems.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <random>

#include "proto/envelope.h"
#include "report/many_deaths.h"
#include "report/postmortem/worker_scene.h"
#include "report/told.h"
#include "report/units.h"
#include "report/views/post_mortem_text.h"
#include "report/views/views.h"
#include "store/told_deaths.h"
#include "timeline/packing.h"

namespace memprof {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace testing;

// Its last words were lost: the heap may have been too small for what was asked, or it was space for classes.
TEST(PostMortems, AJvmThatEndsItselfOnAnErrorOfAnUnknownPool) {
  for (const bool by_switch : {true, false}) {
    ProfileStore store;
    proto::Envelope snapshot = LastSnapshot(kContainer / 3);
    snapshot.mutable_executor()->set_exits_on_out_of_memory(by_switch);
    ASSERT_TRUE(store.Ingest(snapshot.SerializeAsString()).ok());
    FillScene(store, "Command exited with code 3", kContainer / 3);
    const Json death = TheDeath(store);
    EXPECT_EQ(death["outOfMemory"], by_switch);
    EXPECT_THAT(
        death["headline"].get<std::string>(),
        HasSubstr(by_switch ? "Executor 1 died of an OutOfMemoryError; of its heap at most 200.0 MiB of 512.0 MiB was in use after a young "
                              "collection, exit"
                            : "Executor 1 died, not of memory"));
    EXPECT_TRUE(death["advice"].empty()) << "which setting helps depends on the pool";
  }
}

TEST(PostMortems, WordsOfWhatWasLeftThatContradictThemselvesAreRefused) {
  ProfileStore store;
  EXPECT_FALSE(store.Ingest(LeftBytes("1", kBegin, 5, 99)).ok());
  EXPECT_FALSE(store.Ingest(LeftBytes("1", kBegin, uint64_t{1} << 63)).ok());
}

TEST(PostMortems, AContainerThatWasFull) {
  ProfileStore store;
  FillScene(store, kCode137, kFull);
  Json death = TheDeath(store);
  EXPECT_EQ(death["executorId"], "1");
  EXPECT_EQ(death["process"], "jvm");
  EXPECT_EQ(death["pid"], 4100);
  EXPECT_EQ(death["exitCode"], 137);
  EXPECT_EQ(death["outOfMemory"], true);
  EXPECT_EQ(death["limitBytes"], kContainer);
  EXPECT_EQ(death["usedBytes"], kFull);
  EXPECT_EQ(death["lastSampleAgeMs"], 500) << "of its use: the profiles are younger";
  EXPECT_EQ(death["taskAttemptId"], 40) << "the one that held most";
  EXPECT_EQ(death["stageId"], 5);
  EXPECT_EQ(death["reason"], kCode137);
  EXPECT_THAT(death["headline"].get<std::string>(), HasSubstr("Executor 1 was killed for its memory: 97 % of the limit was in use"));
  EXPECT_THAT(death["headline"].get<std::string>(), EndsWith("; job.py:17 enrich held 868.8 MiB"));  // of both tasks
  ASSERT_EQ(death["processes"].size(), 3u);
  EXPECT_EQ(death["processes"][0]["bytes"], 400 * kMi);
  EXPECT_GE(death["advice"].size(), 1u);
}

std::map<std::string, std::pair<Json, Json>> RegionsOf(const Json& death) {
  std::map<std::string, std::pair<Json, Json>> regions;
  for (const Json& region : death["regions"]) regions[region["name"]] = {region["bytes"], region["budgetBytes"]};
  return regions;
}

void SendLastRegions(ProfileStore& store) {
  proto::Envelope last;
  last.ParseFromString(LastSnapshot(kFull).SerializeAsString());
  proto::Moment& moment = *last.mutable_executor()->mutable_last();
  last.mutable_executor()->set_taken_ms(kBegin + 9'600);
  moment.set_time_ms(kBegin + 9'600);
  const std::pair<const char*, uint64_t> rows[] = {{"heap.usedAfterGc", 401 * kMi},
                                                   {"heap.storage", 70 * kMi},
                                                   {"heap.execution", 0},
                                                   {"heap.committed", 512 * kMi},
                                                   {"offHeap", 299 * kMi}};
  for (const auto& [name, bytes] : rows) {
    proto::NamedBytes& row = *moment.add_regions();
    row.set_name(name);
    row.set_bytes(bytes);
  }
  static_cast<void>(store.Ingest(last.SerializeAsString()));
}

TEST(PostMortems, RegionsAgainstWhatWasRequested) {
  ProfileStore store;
  store.Configuration({{"spark.memory.offHeap.enabled", "true"}, {"spark.memory.offHeap.size", "300m"}});
  FillScene(store, kCode137, kFull, "yarn");
  SendLastRegions(store);
  const Json death = TheDeath(store);
  auto regions = RegionsOf(death);
  EXPECT_EQ(death["regions"][0]["name"], "heap");
  EXPECT_EQ(regions["heap"], std::pair(Json(401 * kMi), Json(512 * kMi)));
  EXPECT_EQ(regions["heap.storage"].first, 70 * kMi);
  EXPECT_EQ(regions["heap.execution"].first, 0u);
  EXPECT_EQ(regions["offHeap"], std::pair(Json(299 * kMi), Json(300 * kMi)));
  EXPECT_EQ(regions["overhead"], std::pair(Json(kFull / 2 + kFull / 10), Json(384 * kMi))) << "both Python workers";
  EXPECT_EQ(regions["heap.user"].first, nullptr) << "nobody tells";
  const std::string text = TakePostMortems(store, kBegin, true).at(0);
  EXPECT_THAT(text, HasSubstr("Used then of what was requested: heap 401.0 MiB of 512.0 MiB"));
  EXPECT_THAT(text, HasSubstr("offHeap 299.0 MiB of 300.0 MiB"));
}

// Direct buffers, for instance: nothing was granted that they could be compared with.
TEST(PostMortems, BlocksOffTheHeapWhereSparkHasNoneThere) {
  ProfileStore store;
  FillScene(store, kCode137, kFull, "yarn");
  SendLastRegions(store);
  EXPECT_EQ(RegionsOf(TheDeath(store))["offHeap"], std::pair(Json(299 * kMi), Json(0)));
  EXPECT_THAT(TakePostMortems(store, kBegin, true).at(0), ::testing::ContainsRegex("offHeap 299.0 MiB[^o]*\n"));
  const Json report = Json::parse(store.ReportJson(false));
  EXPECT_TRUE(std::none_of(report["notAvailable"].begin(), report["notAvailable"].end(),
                           [](const Json& entry) { return entry["what"] == "peakBytes of region offHeap"; }));
}

TEST(PostMortems, RegionsThatNobodyHadToldOf) {
  ProfileStore store;
  FillScene(store, kCode137, kFull);
  auto regions = RegionsOf(TheDeath(store));
  EXPECT_EQ(regions["heap"].first, nullptr);
  EXPECT_EQ(regions["overhead"].first, kFull / 2 + kFull / 10);
}

TEST(PostMortems, SitesOfAllTasksAddUpByWhatWasLive) {
  ProfileStore store;
  FillScene(store, kCode137, kFull);
  Json sites = TheDeath(store)["sites"];
  ASSERT_EQ(sites.size(), 2u) << "the line that gave all back is none of them";
  EXPECT_EQ(sites[0]["liveAtPeakBytes"], kDeadlyBytes + kOtherBytes) << "held at once, so the sum; not the peaks";
  EXPECT_EQ(sites[0]["tasks"], 2);
  EXPECT_EQ(sites[0]["udf"], "enrich (job.py:12)");
  EXPECT_EQ(sites[0]["stageId"], 5);
  EXPECT_EQ(sites[0]["frames"][0]["line"], 17);
  EXPECT_EQ(sites[1]["origin"], "jvm-heap");
  EXPECT_EQ(sites[1]["liveAtPeakBytes"], nullptr);
}

TEST(PostMortems, AKillAtLowUseIsNotMemoryAndGetsNoAdvice) {
  ProfileStore store;
  FillScene(store, kCode137, kContainer / 100 * 23);
  Json death = TheDeath(store);
  EXPECT_EQ(death["outOfMemory"], false);
  EXPECT_THAT(death["headline"].get<std::string>(), HasSubstr("not of memory: 23 % of the limit was in use"));
  EXPECT_EQ(death["advice"], Json::array());
}

// The kernel kills a worker, a moment later somebody kills the executor: its last word is of before both.
TEST(PostMortems, WhatADeadWorkerHeldIsNotInUseAnyMore) {
  for (bool next_has_come : {false, true}) {
    ProfileStore store;
    FillScene(store, kCode137, kFull);
    proto::Envelope envelope = EnvelopeOf("1");
    proto::WorkerDeath& worker = *envelope.mutable_worker_death();
    worker.set_time_ms(kBegin + 9'800);
    worker.set_pid(4131);
    worker.set_task_attempt_id(40);
    worker.set_oom_kills(1);
    *worker.mutable_before() = LastSnapshot(kFull).executor().last();
    ASSERT_TRUE(store.Ingest(envelope.SerializeAsString()).ok());
    if (next_has_come) {
      store.ExecutorAdded({"2", "node7", 2, 512, -1, -1, -1, kBegin + 12'000});
      proto::Envelope next = LastSnapshot(kContainer / 9, "2", 4);
      next.mutable_executor()->set_oom_kills_at_start(4);
      ASSERT_TRUE(store.Ingest(next.SerializeAsString()).ok());
    }
    const Json deaths = Json::parse(store.ReportJson(false))["postMortems"];
    ASSERT_EQ(deaths.size(), 2u);
    const Json& executor = deaths[0]["process"] == "jvm" ? deaths[0] : deaths[1];
    const Json& python = deaths[0]["process"] == "jvm" ? deaths[1] : deaths[0];
    EXPECT_EQ(python["outOfMemory"], true);
    EXPECT_THAT(python["headline"].get<std::string>(), EndsWith(fmt::format("; 2 Python workers held {} together, this one {}",
                                                                            FormatBytes(kFull / 2 + kFull / 10), FormatBytes(kFull / 2))));
    EXPECT_EQ(executor["outOfMemory"], false) << executor["how"];
    EXPECT_EQ(executor["usedBytes"], kFull - kFull / 2);
    EXPECT_EQ(executor["processes"].size(), 2u);
  }
}

TEST(PostMortems, ALimitThatNobodyEnforcesKillsNobody) {
  ProfileStore store;
  store.ApplicationStarted("app-1", "scene", "4.0.0", "3.11.7", "spark://m:7077", kBegin);
  store.ExecutorAdded({"1", "node7", 2, 512, -1, -1, -1, kBegin + 100});
  proto::Envelope snapshot = LastSnapshot(600 * kMi);  // more than the 512 MiB that Spark asked for
  snapshot.mutable_executor()->clear_cgroup_limit_bytes();
  snapshot.mutable_executor()->clear_cgroup();
  static_cast<void>(store.Ingest(snapshot.SerializeAsString()));
  store.ExecutorRemoved("1", kCode137, kBegin + 10'000);
  Json death = TheDeath(store);
  EXPECT_EQ(death["outOfMemory"], false);
  EXPECT_EQ(death["limitBytes"], 64'000 * kMi) << "the host's memory";
}

TEST(PostMortems, WhatClusterManagersSayDecidesTheAdviceToo) {
  const std::string evicted =
      "The executor with id 1 exited with exit code 137(SIGKILL, possible container OOM).\nThe API gave the "
      "following brief reason: Evicted\nThe API gave the following message: The node was low on resource: ";
  struct Case {
    std::string reason;
    const char *headline, *advice;
  };
  for (const Case& each :
       {Case{evicted + "memory.", "was killed for its host's memory: 33 %", "fewer executors or other programs on that host"},
        Case{evicted + "ephemeral-storage.", "died, not of memory: 33 %", nullptr},
        Case{"Container killed by YARN for exceeding virtual memory limits.", "was killed for its virtual memory",
             "vmem-check-enabled=false"}}) {
    ProfileStore store;
    FillScene(store, each.reason.c_str(), kContainer / 3);
    const Json death = TheDeath(store);
    EXPECT_THAT(death["headline"].get<std::string>(), HasSubstr(each.headline));
    ASSERT_EQ(death["advice"].size(), each.advice == nullptr ? 0u : 1u) << death["advice"];
    if (each.advice == nullptr) continue;
    EXPECT_THAT(death["advice"][0]["because"].get<std::string>(), HasSubstr(each.advice));
  }
}

TEST(PostMortems, NoneForExecutorsThatWereWantedGone) {
  for (const char* reason : {"Executor killed by driver.", "Container c was preempted."}) {
    ProfileStore store;
    FillScene(store, reason, kFull);
    EXPECT_EQ(Deaths(store), Json::array()) << reason;
    Json report = Json::parse(store.ReportJson(false));
    EXPECT_EQ(report["executors"][0]["removedReason"], reason);
    EXPECT_FALSE(report["stages"][0]["otherAttempts"]["sites"].empty()) << "its profile is kept";
  }
  ProfileStore ended;
  ended.ApplicationEnded(kBegin + 9'000);
  FillScene(ended, kCode137, kFull);
  EXPECT_EQ(Deaths(ended), Json::array()) << "the application had ended";
}

// A program that ends without stopping its SparkContext: Spark's hooks end executors before the application counts as ended.
TEST(PostMortems, NoneOnceTheDriversJvmHasBegunToEnd) {
  for (const int64_t ending_ms : {kBegin + 9'999, kBegin + 10'002}) {
    ProfileStore store;
    store.ApplicationEnding(ending_ms);
    FillScene(store, "Command exited with code 143", kFull);
    store.ExecutorRemoved("2", "java.lang.IllegalStateException: Shutdown hooks cannot be modified during shutdown.", kBegin + 10'050);
    store.ApplicationEnded(kBegin + 11'000);
    EXPECT_EQ(Deaths(store).size(), ending_ms < kBegin + 10'000 ? 0u : 1u);
    EXPECT_EQ(Json::parse(store.ReportJson(false))["executors"].size(), 1u) << "the other one never was";
  }
}

TEST(PostMortems, ADeathBeforeTheDriversClockWasSetBackIsTold) {
  ProfileStore store;
  FillScene(store, kCode137, kFull);
  store.ApplicationEnding(kBegin - 3'600'000);
  store.ApplicationEnded(kBegin - 3'599'000);
  EXPECT_EQ(TheDeath(store)["outOfMemory"], true);
}

TEST(PostMortems, WhatIsToldOfItsUseIsAsOldAsThat) {
  ProfileStore store;
  store.ExecutorAdded({"1", "node7", 2, 512, -1, -1, -1, kBegin - 9'000'000});
  proto::Envelope hours_ago = LastSnapshot(kFull);
  hours_ago.mutable_executor()->mutable_last()->set_time_ms(kBegin - 7'190'000);
  static_cast<void>(store.Ingest(hours_ago.SerializeAsString()));
  static_cast<void>(store.Ingest(RunningTask(40, kDeadlyBytes).Bytes()));  // younger, without a word on the container
  store.ExecutorRemoved("1", kCode137, kBegin + 10'000);
  const Json death = TheDeath(store);
  EXPECT_EQ(death["lastSampleAgeMs"], 7'200'000);
  EXPECT_EQ(death["outOfMemory"], false);
  EXPECT_THAT(death["headline"].get<std::string>(), HasSubstr("was lost; why is not known: 97 % of the limit was in use"));
  EXPECT_THAT(death["how"].get<std::string>(), HasSubstr("which was 2 h 00 min old"));
}

// The removal may come minutes after the loss of its tasks: by then every sample is old.
TEST(PostMortems, ASampleIsAsOldAsItWasWhenItsTasksWereLost) {
  ProfileStore store;
  store.ApplicationStarted("app-1", "scene", "4.0.0", "3.11.7", "spark://m:7077", kBegin);
  store.ExecutorAdded({"1", "node7", 2, 512, -1, -1, -1, kBegin + 100});
  static_cast<void>(store.Ingest(LastSnapshot(kFull).SerializeAsString()));
  store.TaskEnded({40, 5, 0, 0, 0, "1", TaskOutcome::kLost, "ExecutorLostFailure", kBegin + 9'607});
  store.ExecutorRemoved("1", kCode137, kBegin + 200'000);
  const Json death = TheDeath(store);
  EXPECT_EQ(death["lastSampleAgeMs"], 107);
  EXPECT_EQ(death["outOfMemory"], true);
  EXPECT_EQ(death["unknown"], false);
}

// A heartbeat names the largest processes only: what a worker held that it left out is known from that worker's own death.
TEST(PostMortems, AWorkerThatDiedBeforeIsTakenOffThoughTheLastSampleDoesNotNameIt) {
  ProfileStore store;
  FillWorkerScene(store);
  proto::Envelope last = LastSnapshot(kFull);
  proto::Moment& moment = *last.mutable_executor()->mutable_last();
  moment.clear_processes();
  moment.set_time_ms(kBegin + 9'501);
  AddProcess(*moment.add_processes(), 4100, "jvm", 400 * kMi, {});
  moment.set_unattributed_bytes(static_cast<int64_t>(kFull - (400 + 700 + 50) * kMi));
  static_cast<void>(store.Ingest(last.SerializeAsString()));
  static_cast<void>(store.Ingest(WorkerDeath(1)));  // it held 700 MiB
  FailTask40(store, "Python worker exited unexpectedly (crashed)");
  store.ExecutorRemoved("1", kCode137, kBegin + 10'000);
  const Json deaths = Deaths(store);
  ASSERT_EQ(deaths.size(), 2u);
  EXPECT_EQ(deaths[1]["usedBytes"], kFull - 700 * kMi);
}

// A task that ran, of which nothing came, and failed attempts of its stage; then the executor ends.
void FillFailedAttempts(ProfileStore& store, uint64_t used, const char* reason) {
  store.ApplicationStarted("app-1", "scene", "4.0.0", "3.11.7", "spark://m:7077", kBegin);
  store.ExecutorAdded({"1", "node7", 2, 512, -1, -1, -1, kBegin + 100});
  store.StageSubmitted(5, 0, "collect", "job.py:30", 2, kBegin + 1000);
  const auto fail = [&](int64_t id, int stage, uint64_t heap_bytes, int64_t at_ms = kBegin + 2'000) {
    ProfileBuilder task(id, stage, 0, "1");
    proto::Site& site = task.Site(proto::ORIGIN_JVM_HEAP,
                                  {Java("", "org.apache.spark.sql.execution.SortExec.doExecute", "SortExec.scala", 88),
                                   Java("", "org.example.Book.add", "Book.java", 41)},
                                  heap_bytes, 100);
    site.set_sampled(true);
    static_cast<void>(store.Ingest(task.Bytes()));
    store.TaskEnded({id, stage, 0, 0, static_cast<int>(id - 30), "1", TaskOutcome::kFailed, "java.io.IOException", at_ms});
  };
  fail(30, 5, 11'000'003);
  fail(31, 5, 654'000'017);
  fail(32, 4, 999'000'001);                   // of another stage
  fail(33, 5, 888'000'001, kBegin + 60'000);  // when the executor was gone
  proto::Envelope last = LastSnapshot(used);
  last.mutable_executor()->mutable_heap_after_gc_peak()->set_bytes(511 * kMi);
  static_cast<void>(store.Ingest(last.SerializeAsString()));
  store.ExecutorRemoved("1", reason, kBegin + 10'000);
  store.TaskEnded({40, 5, 0, 1, 0, "1", TaskOutcome::kLost, "ExecutorLostFailure", kBegin + 10'001});
}

// Its JVM had no agent to tell of the error, and its running tasks had sent nothing yet.
TEST(PostMortems, WithoutProfilesTheFailedAttemptsOfTheStageAreTold) {
  ProfileStore store;
  FillFailedAttempts(store, kFull / 3, "Command exited with code 52");
  const Json death = TheDeath(store);
  EXPECT_EQ(death["sitesOfAttempt"], 31);
  EXPECT_EQ(death["taskAttemptId"], 40) << "which ran";
  ASSERT_EQ(death["sites"].size(), 1u);
  EXPECT_EQ(death["sites"][0]["allocatedBytes"], 654'000'017);
  EXPECT_EQ(death["title"], "Allocated by task 31, an attempt of the same stage that had failed before");
  EXPECT_THAT(death["headline"].get<std::string>(), HasSubstr("; stage 5 had allocated most in Book.add Book.java:41, for SortExec"));
}

TEST(PostMortems, OfAContainerThatWasFullTheFailedAttemptsOfItsStageAreInTheHeadline) {
  ProfileStore store;
  FillFailedAttempts(store, kFull, kCode137);
  const Json death = TheDeath(store);
  EXPECT_EQ(death["sitesOfAttempt"], 31);
  EXPECT_EQ(death["headline"],
            "Executor 1 was killed for its memory: 97 % of the limit was in use (1.3 GiB of 1.4 GiB), exit code 137 (SIGKILL); a failed "
            "attempt of stage 5 had allocated 623.7 MiB in Book.add Book.java:41, for SortExec");
}

// Spark tells of an executor's tasks before it tells of the executor.
TEST(PostMortems, AnExecutorWhoseRemovalComesAfterTheEndOfAnApplicationThatItBroke) {
  for (const bool had_succeeded : {false, true}) {
    ProfileStore store;
    store.ApplicationEnded(kBegin + 9'000);
    store.ExecutorAdded({"1", "node7", 2, 512, -1, -1, -1, kBegin + 100});
    if (had_succeeded) store.TaskEnded({39, 5, 0, 2, 0, "1", TaskOutcome::kSucceeded, "", kBegin + 8'999});
    store.TaskEnded({39, 5, 0, 2, 0, "1", TaskOutcome::kLost, "ExecutorLostFailure", kBegin + 8'999});
    FillScene(store, kCode137, kFull);
    EXPECT_EQ(Deaths(store).size(), had_succeeded ? 0 : 1) << "output of a task that had ended proves nothing of when it was lost";
  }
}

TEST(PostMortems, AnExecutorThatIsHeardOfNoMoreDiedOfMemoryOnlyIfItsUseHadRisen) {
  struct Case {
    int64_t before_ms;
    uint64_t percent;
    bool of_memory;
  };
  for (const Case& each : {Case{5'000, 90, true}, Case{5'000, 95, false}, Case{40'000, 50, false}}) {
    ProfileStore store;
    proto::Envelope life = EnvelopeOf("1");
    std::vector<TimeSample> samples(2);
    samples[0].time_ms = kBegin + 9'500 - each.before_ms;
    samples[0].Set(Gauge::kUsed, kContainer / 100 * each.percent);
    samples[1].time_ms = kBegin + 9'500;
    samples[1].Set(Gauge::kUsed, kFull);
    PackSamples(samples, life.mutable_time_line());
    ASSERT_TRUE(store.Ingest(life.SerializeAsString()).ok());
    FillScene(store, "Remote RPC client disassociated.", kFull);
    EXPECT_EQ(TheDeath(store)["outOfMemory"], each.of_memory) << each.percent;
    EXPECT_EQ(TheDeath(store)["unknown"], !each.of_memory) << each.percent;
  }
}

TEST(PostMortems, AnExecutorThatWasLostWithItsWorker) {
  ProfileStore store;
  FillScene(store, "worker lost: 10.0.0.7:34581 got disassociated", kFull);
  EXPECT_EQ(TheDeath(store)["headline"],
            "Executor 1 was lost with its Worker; why is not known: 97 % of the limit was in use (1.3 GiB of 1.4 GiB)");
  EXPECT_TRUE(TheDeath(store)["advice"].empty());
}

TEST(PostMortems, AnExecutorOfWhichNothingCame) {
  ProfileStore store;
  store.ExecutorAdded({"1", "node7", 2, 512, -1, -1, -1, kBegin});
  store.ExecutorRemoved("1", "Remote RPC client disassociated.", kBegin + 500);
  Json death = TheDeath(store);
  EXPECT_EQ(death["outOfMemory"], false);
  EXPECT_EQ(death["usedBytes"], nullptr);
  EXPECT_EQ(death["lastSampleAgeMs"], nullptr);
  EXPECT_THAT(death["headline"].get<std::string>(), HasSubstr("was lost; why is not known"));
}

TEST(PostMortems, AFullHeapSaysWhatItRetained) {
  ProfileStore store;
  FillScene(store, "Command exited with code 52", kFull / 4);
  EXPECT_EQ(TheDeath(store)["retained"], nullptr);
  ASSERT_TRUE(store.Ingest(RetainedBytes("1", kBegin + 500, 77'000'003)).ok());
  const Json death = TheDeath(store);
  EXPECT_EQ(death["retained"]["sites"][0]["retainedBytes"], 77'000'003);
  EXPECT_THAT(TakePostMortems(store, kBegin, true).at(0), HasSubstr("UnsafeRow.copy UnsafeRow.java:480, stage 2"));

  ProfileStore killed;
  FillScene(killed, "Command exited with code 137", kFull);
  ASSERT_TRUE(killed.Ingest(RetainedBytes("1", kBegin + 500, 77'000'003)).ok());
  EXPECT_EQ(TheDeath(killed)["retained"], nullptr) << "the container was full, not the heap";
}

TEST(PostMortems, AnOutOfMemoryErrorOfDirectBuffersIsNotTheHeaps) {
  constexpr const char* kDirect =
      "java.lang.OutOfMemoryError: Cannot reserve 300000007 bytes of direct buffer memory (allocated: 16385, limit: 104857600)";
  for (int64_t earlier : {1'000, 55'000, 65'000}) {
    ProfileStore store;
    FillScene(store, "Command exited with code 52", kFull / 4);
    const int64_t gone = TheDeath(store)["timeMs"];
    store.TaskEnded({77, 5, 0, 3, 0, "1", TaskOutcome::kFailed, kDirect, gone - earlier});
    Json death = TheDeath(store);
    EXPECT_EQ(death["outOfMemory"], true);
    if (earlier > 60'000) {
      EXPECT_THAT(death["headline"].get<std::string>(), HasSubstr("died of an OutOfMemoryError; of its heap"))
          << "an old error is no last word";
      continue;
    }
    EXPECT_THAT(death["headline"].get<std::string>(),
                HasSubstr("Executor 1 died of an OutOfMemoryError: task 77 (stage 5) failed when direct buffers held 16.0 KiB of 100.0 MiB "
                          "and 286.1 MiB more were asked for"));
    ASSERT_EQ(death["advice"].size(), 1u);
    EXPECT_EQ(death["advice"][0]["to"], "-XX:MaxDirectMemorySize=315m");
  }
}

TEST(PostMortems, OrderAndRepetitionChangeNothing) {
  std::vector<std::function<void(ProfileStore&)>> news = {
      [](ProfileStore& store) {
        store.ExecutorAdded({"1", "node7", 2, 512, -1, -1, -1, kBegin + 100});
      },
      [](ProfileStore& store) { static_cast<void>(store.Ingest(RunningTask(40, kDeadlyBytes).Bytes())); },
      [](ProfileStore& store) { static_cast<void>(store.Ingest(RunningTask(41, kOtherBytes).Bytes())); },
      [](ProfileStore& store) { static_cast<void>(store.Ingest(LastSnapshot(kFull).SerializeAsString())); },
      [](ProfileStore& store) { static_cast<void>(store.Ingest(WorkerDeath(1, 41))); },
      [](ProfileStore& store) { store.ExecutorRemoved("1", kCode137, kBegin + 10'000); },
      [](ProfileStore& store) {
        store.TaskEnded({40, 5, 0, 0, 0, "1", TaskOutcome::kLost, "lost", kBegin + 10'001});
      },
  };
  std::mt19937 random(3);
  std::string expected;
  for (int round = 0; round < 40; ++round) {
    ProfileStore store;
    for (const auto& each : news) each(store);
    if (round == 0) expected = Deaths(store).dump();
    std::shuffle(news.begin(), news.end(), random);
    ProfileStore shuffled;
    for (const auto& each : news) each(shuffled);
    news[random() % news.size()](shuffled);
    ASSERT_EQ(Deaths(shuffled).dump(), expected);
  }
}

TEST(PostMortems, SitesOutliveTheStoresBound) {
  ProfileStore store(512 << 10);
  FillScene(store, kCode137, kFull);
  store.StageCompleted(5, 0, "", kBegin + 11'000);
  for (int task = 100; task < 700; ++task) {
    ProfileBuilder done(task, 6, task);
    for (int site = 0; site < 20; ++site) {
      done.Site(proto::ORIGIN_PYTHON, {Python("f" + std::to_string(task % 9), "/jobs/job.py", static_cast<uint32_t>(site))}, 1000, 1)
          .set_live_at_peak_bytes(1000);
    }
    static_cast<void>(store.Ingest(done.Bytes()));
    store.TaskEnded({task, 6, 0, task, 0, "2", TaskOutcome::kSucceeded, "", kBegin + task});
  }
  Json sites = TheDeath(store)["sites"];
  ASSERT_FALSE(sites.empty());
  EXPECT_EQ(sites[0]["liveAtPeakBytes"], kDeadlyBytes + kOtherBytes);
}

TEST(PostMortems, EachIsToldOnceAndALittleLater) {
  ProfileStore store;
  EXPECT_TRUE(TakePostMortems(store, kBegin, true).empty());
  FillScene(store, kCode137, kFull);
  EXPECT_TRUE(TakePostMortems(store, 50'000, false).empty());
  EXPECT_TRUE(TakePostMortems(store, 50'000 + ToldDeaths::kPatienceMs - 1, false).empty());
  std::vector<std::string> told = TakePostMortems(store, 50'000 + ToldDeaths::kPatienceMs, false);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_THAT(told[0], HasSubstr("was killed for its memory"));
  EXPECT_THAT(told[0], HasSubstr("job.py:17 enrich"));
  EXPECT_THAT(told[0], HasSubstr("868.8 MiB"));
  EXPECT_LE(std::count(told[0].begin(), told[0].end(), '\n'), 30);
  static_cast<void>(store.Ingest(WorkerDeath(1)));
  told = TakePostMortems(store, 60'000, true);
  ASSERT_EQ(told.size(), 2u) << "the new one, at once, and what is known now of the other";
  EXPECT_THAT(told[0] + told[1], HasSubstr("Correction (the log said \"of memory\"): Executor 1 "));
  EXPECT_TRUE(TakePostMortems(store, 99'000, true).empty());
}

TEST(PostMortems, AClockThatIsSetBackDelaysThemByTheirPatienceOnly) {
  ProfileStore store;
  FillScene(store, kCode137, kFull);
  EXPECT_TRUE(TakePostMortems(store, 5'000'000, false).empty());
  EXPECT_TRUE(TakePostMortems(store, 50'000, false).empty());
  EXPECT_EQ(TakePostMortems(store, 50'000 + ToldDeaths::kPatienceMs, false).size(), 1u);
}

TEST(PostMortems, TheirTextKeepsToThirtyLinesWhateverIsInIt) {
  ReportPostMortem death;
  std::string words;
  for (int i = 0; i < 500; ++i) words += "word\x1b[31m ";
  death.headline = death.how = death.reason = words;
  for (int i = 0; i < 40; ++i) {
    death.advice.push_back({"spark.x", "1", "2", words});
    death.sites.emplace_back().frames.push_back({Language::kPython, words, words, "", 3});
    death.processes.emplace_back().kind = words;
  }
  TextPage page({100, false, 0});
  PutPostMortem(death, kMostPostMortemLines, page);
  std::string text = page.Text(0);
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 30);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(PostMortems, AHostileDeathIsRefused) {
  ProfileStore store;
  proto::Envelope envelope;
  ASSERT_TRUE(envelope.ParseFromString(WorkerDeath(1)));
  envelope.mutable_worker_death()->mutable_before()->set_used_bytes(UINT64_MAX);
  EXPECT_EQ(store.Ingest(envelope.SerializeAsString()).code(), ErrorCode::kCorrupt);
  for (int pid = 0; pid < 1000; ++pid) {
    ASSERT_TRUE(envelope.ParseFromString(WorkerDeath(1)));
    envelope.mutable_worker_death()->set_pid(pid);
    EXPECT_TRUE(store.Ingest(envelope.SerializeAsString()).ok());
  }
  Json report = Json::parse(store.ReportJson(false));
  EXPECT_EQ(report["postMortems"].size(), kMaxPostMortems);
  EXPECT_EQ(report["otherDeaths"].size(), 1000 - kMaxPostMortems);
  EXPECT_FALSE(report["counters"].contains("droppedPostMortems"));
}

TEST(PostMortems, StandFirstInEveryView) {
  ProfileStore store;
  FillScene(store, kCode137, kFull);
  const std::string html = *RenderHtml(store.ReportJson(false)), text = *RenderText(store.ReportJson(false), {120, false, 0});
  EXPECT_LT(html.find("was killed for its memory"), html.find("<noscript>")) << "what a reader without script is told";
  const size_t at = text.find("was killed for its memory");
  ASSERT_NE(at, text.npos);
  EXPECT_LT(at, text.find("Executors"));
  EXPECT_THAT(text, HasSubstr("job.py:17"));
  EXPECT_THAT(text, HasSubstr("868.8 MiB"));
}

}  // namespace
}  // namespace memprof
