#include "postmortem/result_limit.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "facts/driver_actions.h"
#include "proto/envelope.h"
#include "report/death_keys.h"
#include "report/json.h"
#include "report/told.h"
#include "store/profile_store.h"

namespace memprof {
namespace {

using Json = nlohmann::json;
using testing::TakePostMortems;

constexpr int64_t kStart = 1'700'000'000'000;
constexpr const char* kRefused =
    "org.apache.spark.SparkException: Job aborted due to stage failure: Total size of serialized results of 3 tasks (2.2 MiB) is bigger "
    "than spark.driver.maxResultSize (2.0 MiB)";

constexpr const char* kTwoGiB =
    "Total size of serialized results of 2 tasks (2.0 GiB) is bigger than spark.driver.maxResultSize (1024.0 MiB)";

void Fail(ProfileStore& store, int job_id, const char* failure, std::string_view description = "",
          std::optional<int64_t> query_id = std::nullopt) {
  JobStart job;
  job.job_id = job_id;
  job.stages = {job_id};
  job.call_site = "collect at /jobs/job.py:17";
  job.built_at = "/jobs/job.py:17\n/jobs/job.py:3,9";
  job.description = description;
  job.query_id = query_id;
  job.time_ms = kStart;
  store.JobStarted(job);
  store.StageSubmitted(job_id, 0, "collect", "", 5, kStart);
  store.JobEnded(job_id, failure, kStart + 700);
}

TEST(ResultLimit, SparksWords) {
  const std::optional<ResultLimit> limit = ParseResultLimit(kRefused);
  ASSERT_TRUE(limit);
  EXPECT_EQ(limit->tasks, 3u);
  EXPECT_EQ(limit->bytes, 2'306'867u);  // 2.2 MiB
  EXPECT_EQ(limit->limit_bytes, 2u << 20);
  EXPECT_EQ(
      ParseResultLimit("Total size of serialized results of 1 tasks (1536.0 KiB) is bigger than spark.driver.maxResultSize (1024.0 B)")
          ->bytes,
      1536u << 10);
}

TEST(ResultLimit, OtherWordsAreNone) {
  for (const char* text : {
           "",
           "boom",
           "Total size of serialized results of",
           "Total size of serialized results of x tasks (2.2 MiB)",
           "Total size of serialized results of 0 tasks (2.2 MiB) is bigger than spark.driver.maxResultSize (2.0 MiB)",
           "Total size of serialized results of 3 tasks (-2.2 MiB) is bigger than spark.driver.maxResultSize (2.0 MiB)",
           "Total size of serialized results of 3 tasks (inf MiB) is bigger than spark.driver.maxResultSize (2.0 MiB)",
           "Total size of serialized results of 3 tasks (9999999999999999 EiB) is bigger than spark.driver.maxResultSize (2.0 MiB)",
           "Total size of serialized results of 3 tasks (2.2 Mops) is bigger than spark.driver.maxResultSize (2.0 MiB)",
           "Total size of serialized results of 3 tasks (2.2 MiB) is bigger than spark.driver.maxResultSize (",
       }) {
    EXPECT_FALSE(ParseResultLimit(text)) << text;
  }
}

TEST(ResultLimit, ToldOnceWithTheLineAndWhatToDo) {
  ProfileStore store;
  store.Configuration({{"spark.driver.maxResultSize", "2m"}, {"spark.driver.memory", "400m"}});
  Fail(store, 0, kRefused);
  const Json deaths = Json::parse(store.ReportJson(false))["postMortems"];
  ASSERT_EQ(deaths.size(), 1u);
  const Json& death = deaths[0];
  EXPECT_EQ(death["executorId"], "driver");
  EXPECT_EQ(death["jobId"], 0);
  EXPECT_EQ(death["stageId"], 0);
  EXPECT_EQ(death["action"], "collect at /jobs/job.py:17");
  EXPECT_TRUE(death["how"].get<std::string>().ends_with("; its plan was built at job.py:3, 9")) << death["how"];
  EXPECT_EQ(death["limitBytes"], 2 << 20);
  EXPECT_EQ(death["usedBytes"], 2'306'867);
  EXPECT_EQ(death["timeMs"], kStart + 700);
  EXPECT_EQ(death["outOfMemory"], false);
  EXPECT_EQ(death["survived"], true);
  EXPECT_EQ(death["headline"],
            "The driver refused the results of collect at /jobs/job.py:17 (job 0): 3 of 5 tasks had returned 2.2 MiB, more than "
            "spark.driver.maxResultSize (2.0 MiB)");
  // 2.2 MiB / 3 * 5 = 3.67 MiB; + 10 % = 4.03 MiB.
  ASSERT_EQ(death["advice"].size(), 2u);
  EXPECT_EQ(death["advice"][0]["conf"], nullptr);
  const std::string instead = death["advice"][0]["because"];
  EXPECT_NE(instead.find("at job.py:17 comes to 5 tasks × 750.9 KiB each so far = 3.7 MiB, against 2.0 MiB"), instead.npos) << instead;
  EXPECT_NE(instead.find("limit() to 54 % of the rows"), instead.npos) << instead;
  EXPECT_EQ(death["advice"][1]["conf"], "spark.driver.maxResultSize");
  EXPECT_EQ(death["advice"][1]["from"], "2m");
  EXPECT_EQ(death["advice"][1]["to"], "5m");
  EXPECT_EQ(TakePostMortems(store, kStart, true).size(), 1u);
  EXPECT_EQ(TakePostMortems(store, kStart + 60'000, true).size(), 0u);
}

TEST(ResultLimit, MoreThanTheHeapHoldsNeedsAHeap) {
  ProfileStore store;
  Fail(store, 0, kTwoGiB);
  const Json advice = Json::parse(store.ReportJson(false))["postMortems"][0]["advice"];
  ASSERT_EQ(advice.size(), 3u);
  EXPECT_EQ(advice[2]["conf"], "spark.driver.memory");
  EXPECT_EQ(advice[2]["from"], "1g");
  EXPECT_EQ(advice[2]["to"], "11594m");  // (2 × 5 GiB + 300 MiB) × 1.1
}

constexpr uint64_t kGiB = uint64_t{1} << 30;

struct DriversRoom {
  uint64_t host = 256 * kGiB, cgroup = 0, heap = kGiB;  // cgroup 0: no limit
  bool widened = false;                                 // its group's limit was raised later: that is a host now
};

Json AdviceWith(const DriversRoom& room, std::vector<std::pair<std::string, std::string>> settings = {}) {
  ProfileStore store;
  store.Configuration(std::move(settings));
  proto::Envelope envelope = EnvelopeOf("driver");
  proto::ExecutorSnapshot& driver = *envelope.mutable_executor();
  driver.set_taken_ms(kStart);
  driver.set_host_memory_bytes(room.host);
  driver.set_heap_max_bytes(room.heap);
  if (room.cgroup != 0) {
    driver.set_cgroup_limit_bytes(room.cgroup);
    driver.set_cgroup_limit_clock_ms(10);
  }
  driver.set_host_is_group(room.widened);
  driver.set_host_memory_clock_ms(room.widened ? 20 : 10);
  EXPECT_TRUE(store.Ingest(envelope.SerializeAsString()).ok());
  Fail(store, 0, kTwoGiB);
  return Json::parse(store.ReportJson(false))["postMortems"][0]["advice"];
}

// A notebook's, say. In cluster mode the driver's container is as large as the settings ask for.
TEST(ResultLimit, MoreThanTheContainerOfAClientHoldsIsNoSetting) {
  const Json advice = AdviceWith({.cgroup = 4 * kGiB});
  ASSERT_EQ(advice.size(), 2u);
  EXPECT_EQ(advice[1]["conf"], nullptr);
  EXPECT_NE(advice[1]["because"].get<std::string>().find("at least 11.3 GiB and 1.1 GiB beside it; for the driver, its cgroup has 4.0 GiB"),
            std::string::npos);
  for (const auto& [master, pieces] : {std::pair("yarn", 3u), std::pair("k8s://https://host", 3u), std::pair("spark://m:7077", 2u)}) {
    EXPECT_EQ(AdviceWith({.cgroup = 4 * kGiB}, {{"spark.submit.deployMode", "cluster"}, {"spark.master", master}}).size(), pieces)
        << master;
  }
  EXPECT_EQ(AdviceWith({.cgroup = 12 * kGiB}).size(), 2u) << "the heap would fit, but not what a JVM has beside it";
  EXPECT_EQ(AdviceWith({.cgroup = 13 * kGiB}).size(), 3u);
}

// A client that runs in a YARN container, such as a workflow's launcher.
TEST(ResultLimit, ALimitOfTheGroupThatWasRaisedBoundsNoDriver) {
  EXPECT_EQ(AdviceWith({.cgroup = 4 * kGiB, .widened = true}).size(), 3u);
  const Json advice = AdviceWith({.host = 8 * kGiB, .cgroup = 4 * kGiB, .widened = true});
  ASSERT_EQ(advice.size(), 2u);
  EXPECT_NE(advice[1]["because"].get<std::string>().find("; for the driver, its NodeManager's control group has 8.0 GiB"),
            std::string::npos);
}

TEST(ResultLimit, MoreThanYarnGrantsADriverInClusterModeIsNoSetting) {
  using Settings = std::vector<std::pair<std::string, std::string>>;
  const auto pieces = [](const char* grant, Settings more) {
    more.insert(more.end(), {{"spark.master", "yarn"}, {"yarn.scheduler.maximum-allocation-mb", grant}});
    return AdviceWith({}, more);
  };
  const Settings cluster = {{"spark.submit.deployMode", "cluster"}};
  const Json advice = pieces("12288", cluster);
  ASSERT_EQ(advice.size(), 2u) << "11.3 GiB and a tenth of overhead";
  EXPECT_NE(advice[1]["because"].get<std::string>().find(
                "11.3 GiB and 1.1 GiB beside it; for the driver, yarn.scheduler.maximum-allocation-mb grants 12.0 GiB"),
            std::string::npos);
  EXPECT_EQ(pieces("13312", cluster).size(), 3u);
  EXPECT_EQ(pieces("12288", {cluster[0], {"spark.driver.memoryOverhead", "512m"}}).size(), 3u) << "the overhead that is set";
  EXPECT_EQ(pieces("12288", {}).size(), 3u) << "of a client YARN knows nothing";
  const Json enough = AdviceWith({.cgroup = 12 * kGiB, .heap = 12 * kGiB - (400 << 20)});
  ASSERT_EQ(enough.size(), 2u);
  EXPECT_EQ(enough[1]["conf"], "spark.driver.maxResultSize") << "the heap that runs is large enough";
}

// builder.config("spark.driver.memory", …) comes too late: the JVM runs already.
TEST(ResultLimit, TheHeapIsThatOfTheJvmThatRuns) {
  for (const char* set_too_late : {"64g", "1g"}) {
    const Json advice = AdviceWith({.heap = 2 * kGiB}, {{"spark.driver.memory", set_too_late}});
    ASSERT_EQ(advice.size(), 3u) << set_too_late;
    EXPECT_EQ(advice[2]["conf"], "spark.driver.memory");
    EXPECT_EQ(advice[2]["from"], "2048m");
    EXPECT_EQ(advice[2]["to"], set_too_late == std::string("64g") ? "64g" : "11594m");
    EXPECT_NE(advice[2]["because"].get<std::string>().find("the driver's JVM didn't get what is set"), std::string::npos);
    EXPECT_NE(advice[1]["because"].get<std::string>().find("of its heap of 2.0 GiB"), std::string::npos);
  }
  const Json not_set = AdviceWith({.heap = 2 * kGiB});
  EXPECT_EQ(not_set[2]["from"], "2048m");
  EXPECT_EQ(not_set[2]["because"].get<std::string>().find("didn't get"), std::string::npos);
  EXPECT_EQ(AdviceWith({.heap = 61 * kGiB}, {{"spark.driver.memory", "64g"}}).size(), 2u) << "a collector that leaves some out";
}

TEST(ResultLimit, MoreThanTheHostHoldsIsNoSetting) {
  const Json advice = AdviceWith({.host = 8 * kGiB});
  ASSERT_EQ(advice.size(), 2u);
  EXPECT_EQ(advice[1]["conf"], nullptr);
  EXPECT_NE(advice[1]["because"].get<std::string>().find("11.3 GiB and 1.1 GiB beside it; for the driver, the host it ran on has 8.0 GiB"),
            std::string::npos);
  EXPECT_EQ(AdviceWith({.host = 12 * kGiB}).size(), 2u) << "a host has to hold more than the heap, too";
  EXPECT_EQ(AdviceWith({.host = 13 * kGiB}).size(), 3u);
}

TEST(ResultLimit, RowsOfAQueryMayBeCompressed) {
  for (const bool of_query : {true, false}) {
    ProfileStore store;
    Fail(store, 0, kRefused, "", of_query ? std::optional<int64_t>(4) : std::nullopt);
    const Json advice = Json::parse(store.ReportJson(false))["postMortems"][0]["advice"];
    ASSERT_EQ(advice[1]["conf"], "spark.driver.maxResultSize");
    EXPECT_EQ(advice[1]["because"].get<std::string>().find("rows of a query may be compressed") != std::string::npos, of_query);
  }
}

TEST(ResultLimit, ATableToBroadcastIsShuffledInstead) {
  ProfileStore store;
  Fail(store, 0, kRefused, "broadcast exchange (runId 7)");
  const Json death = Json::parse(store.ReportJson(false))["postMortems"][0];
  EXPECT_EQ(death["advice"][0]["conf"], "spark.sql.autoBroadcastJoinThreshold");
  EXPECT_EQ(death["advice"][0]["from"], "10m");
  EXPECT_EQ(death["advice"][0]["to"], "-1");
}

TEST(ResultLimit, AThresholdOfRunningQueriesIsNamedWhereItIsSet) {
  const auto advice = [](const char* threshold, const char* adaptive, const char* enabled = "true") {
    ProfileStore store;
    store.Configuration({{"spark.sql.autoBroadcastJoinThreshold", threshold},
                         {"spark.sql.adaptive.autoBroadcastJoinThreshold", adaptive},
                         {"spark.sql.adaptive.enabled", enabled}});
    Fail(store, 0, kRefused, "broadcast exchange (runId 7)");
    return Json::parse(store.ReportJson(false))["postMortems"][0]["advice"][0];
  };
  const Json alone = advice("-1", "200m");
  EXPECT_EQ(alone["conf"], "spark.sql.adaptive.autoBroadcastJoinThreshold");
  EXPECT_EQ(alone["from"], "200m");
  EXPECT_EQ(alone["to"], "-1");
  const Json both = advice("20m", "200m");
  EXPECT_EQ(both["conf"], "spark.sql.autoBroadcastJoinThreshold");
  EXPECT_EQ(both["from"], "20m");
  constexpr const char* kTooWell =
      "(spark.sql.adaptive.autoBroadcastJoinThreshold must be -1, too, and a broadcast() hint must go as well)";
  EXPECT_NE(both["because"].get<std::string>().find(kTooWell), std::string::npos);
  EXPECT_EQ(advice("20m", "-1")["because"].get<std::string>().find("adaptive"), std::string::npos);
  EXPECT_EQ(advice("-1", "-1")["conf"], nullptr);
  EXPECT_EQ(advice("-1", "200m", "false")["conf"], nullptr);
}

TEST(ResultLimit, ATableThatAHintBroadcastsIsNoMatterOfASetting) {
  ProfileStore store;
  store.Configuration({{"spark.sql.autoBroadcastJoinThreshold", "-1"}});
  Fail(store, 0, kRefused, "broadcast exchange (runId 7)");
  const Json advice = Json::parse(store.ReportJson(false))["postMortems"][0]["advice"][0];
  EXPECT_EQ(advice["conf"], nullptr);
  EXPECT_NE(advice["because"].get<std::string>().find("take the hint out"), std::string::npos);
}

TEST(ResultLimit, AnotherFailureIsNotTold) {
  ProfileStore store;
  Fail(store, 0, "org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 0.0 failed 4 times");
  EXPECT_EQ(Json::parse(store.ReportJson(false))["postMortems"].size(), 0u);
  EXPECT_TRUE(TakePostMortems(store, kStart, true).empty());
}

TEST(ResultLimit, EachJobIsAPartOfItsOwn) {
  ProfileStore store;
  Fail(store, 0, kRefused);
  Fail(store, 1, kRefused);
  const Result<Report> report = ReadReportJson(store.ReportJson(false));
  ASSERT_TRUE(report.ok());
  ASSERT_EQ(report->post_mortems.size(), 2u);
  EXPECT_NE(DeathKey(report->post_mortems[0]), DeathKey(report->post_mortems[1]));
  EXPECT_EQ(TakePostMortems(store, kStart, true).size(), 2u);
}

}  // namespace
}  // namespace memprof
