#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proto/envelope.h"
#include "report/sample_store.h"
#include "report/store/small_job.h"

namespace memprof {
namespace {

using namespace testing;

TEST(Executors, AProcessHasItsBaselineAndTheMomentOfItsRows) {
  ProfileStore store;
  store.ApplicationStarted("app-1", "name", "4.3.0", "", "spark://host:7077", 1);
  proto::Envelope envelope = EnvelopeOf("7");
  proto::ExecutorSnapshot& snapshot = *envelope.mutable_executor();
  snapshot.set_taken_ms(5);
  proto::Process& worker = AddProcess(*snapshot.add_processes(), 12, "python-worker", 200'000'003,
                                      {{"Python objects", 90'000'001}, {"native: numpy/_multiarray_umath", 99'000'007}});
  worker.set_rows_rss_bytes(196'000'001);
  worker.mutable_baseline()->set_start_rss_bytes(41'000'009);
  worker.mutable_baseline()->set_first_task_rss_bytes(61'000'003);
  worker.mutable_baseline()->set_as_of_session(2);
  AddProcess(*snapshot.add_processes(), 11, "jvm", 300'000'003, {{"RssAnon", 290'000'001}});
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

TEST(Executors, WhereTheDriversPythonHasNoLinesThatIsSaid) {
  for (const char* kind : {"python-driver", "python-worker"}) {
    ProfileStore store;
    store.ApplicationStarted("app-1", "name", "4.3.0", "", "spark://host:7077", 1);
    proto::Envelope envelope = EnvelopeOf("driver");
    AddProcess(*envelope.mutable_executor()->add_processes(), 12, kind, 200'000'003, {});
    Ingest(store, envelope.SerializeAsString());
    const std::string missing = ReportOf(store)["notAvailable"].dump();
    EXPECT_EQ(missing.find("lines of the driver's Python process") != std::string::npos, kind == std::string_view("python-driver"));
  }
}

TEST(Executors, LatestSnapshotAndBudgetMakeARow) {
  ProfileStore store;
  store.ApplicationStarted("app-1", "name", "4.3.0", "", "spark://host:7077", 1);
  store.Configuration({{"spark.executor.memory", "1g"}});
  store.ExecutorAdded({"7", "node-a", 3, 1024, -1, -1, -1, 20});
  Ingest(store, SnapshotBytes("7", 4000, 222'222'223, 1'100'000'007));
  const Json report = ReportOf(store);
  const Json& executor = report["executors"].at(0);
  EXPECT_EQ(executor["id"], "7");
  EXPECT_EQ(executor["host"], "node-a");
  EXPECT_EQ(executor["limitBytes"], 1'100'000'007);
  EXPECT_EQ(executor["limitSource"], "cgroup");
  EXPECT_EQ(executor["requestedBytes"], 1 << 30);
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
  // A null that no measurement will ever fill has its reason in each report.
  EXPECT_EQ(executor["atPeak"]["sites"], nullptr);
  EXPECT_THAT(report["notAvailable"].dump(), ::testing::HasSubstr("executors.atPeak.sites"));
}

TEST(Executors, WhatLayInSwapIsTold) {
  ProfileStore store;
  store.ApplicationStarted("app-1", "name", "4.3.0", "", "k8s://host:6443", 1);
  for (const char* id : {"1", "2"}) {
    proto::Envelope envelope = EnvelopeOf(id);
    proto::ExecutorSnapshot& snapshot = *envelope.mutable_executor();
    snapshot.set_taken_ms(5);
    if (id[0] == '2') {
      snapshot.mutable_swap()->set_peak_bytes(300'000'007);
      snapshot.mutable_swap()->set_beside_jvm_bytes(100'000'003);
      snapshot.mutable_swap()->set_left_bytes(7);
    }
    Ingest(store, envelope.SerializeAsString());
  }
  const Json executors = ReportOf(store)["executors"];
  EXPECT_EQ(executors[0]["swap"], nullptr);
  EXPECT_EQ(executors[1]["swap"], Json::parse(R"({"peakBytes": 300000007, "besideJvmBytes": 100000003, "leftBytes": 7})"));
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

}  // namespace
}  // namespace memprof
