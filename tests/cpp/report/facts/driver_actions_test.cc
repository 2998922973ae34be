#include "facts/driver_actions.h"

#include <gtest/gtest.h>

#include <memory_resource>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "eventlog/event_parts.h"
#include "facts/cached_data.h"
#include "proto/memprof.pb.h"
#include "report/json.h"
#include "report/views/views.h"
#include "store/profile_store.h"

namespace memprof {
namespace {

using Json = nlohmann::json;

constexpr int64_t kStart = 1'700'000'000'000;

Json ReportOf(const ProfileStore& store) { return Json::parse(store.ReportJson(false)); }

JobStart Job(int32_t id, std::vector<int32_t> stages, std::string_view call_site) {
  JobStart job;
  job.job_id = id;
  job.stages = std::move(stages);
  job.stage_name = "runJob at PythonRDD.scala:181";
  job.call_site = call_site;
  job.time_ms = kStart + id;
  return job;
}

void Return(ProfileStore& store, int64_t task, int stage, int64_t bytes, TaskOutcome outcome = TaskOutcome::kSucceeded) {
  store.TaskEnded({task, stage, 0, static_cast<int>(task), 0, "1", outcome, "", kStart + 50});
  if (outcome == TaskOutcome::kSucceeded && bytes >= 0) store.TaskResult(stage, task, static_cast<uint64_t>(bytes));
}

// A result is counted by Spark with its accumulators, which the task's profile is one of.
TEST(DriverActions, AProfileIsNoResultOfTheUsers) {
  ProfileStore store;
  store.JobStarted(Job(0, {3}, "collect at job.py:7"));
  proto::Envelope envelope;
  envelope.set_schema_version(1);
  envelope.set_executor_id("1");
  envelope.mutable_task()->set_task_attempt_id(8);
  envelope.mutable_task()->set_stage_id(3);
  envelope.mutable_task()->set_final(true);
  envelope.mutable_task()->add_strings(std::string(30'011, 'x'));
  const std::string profile = envelope.SerializeAsString();
  ASSERT_TRUE(store.Ingest(profile).ok());
  Return(store, 8, 3, static_cast<int64_t>(profile.size()) + 1'009);
  Return(store, 9, 3, 2'003);  // without a profile
  EXPECT_EQ(ReportOf(store)["driver"]["actions"][0]["resultBytes"], 3'012);
}

TEST(DriverActions, NothingWithoutAJob) {
  ProfileStore store;
  Return(store, 1, 0, 1'000'003);
  EXPECT_EQ(ReportOf(store)["driver"], nullptr);
}

// toLocalIterator runs one job for each partition.
TEST(DriverActions, TheHeaviestJobsOfAnActionHaveRowsAndAllOfThemCount) {
  ProfileStore store;
  constexpr int kJobs = 200, kRuns = 1;
  for (int id = 0; id < kJobs; ++id) {
    JobStart job = Job(id, {id}, "toLocalIterator at /jobs/job.py:17");
    job.query_id = 3;
    store.JobStarted(job);
    if (id == kRuns) continue;
    Return(store, id, id, id == 0 ? 5'000'011 : 1'000 + id);
    store.JobEnded(id, "", kStart + id);
  }
  Return(store, kRuns, kRuns, 7);
  const Json action = ReportOf(store)["driver"]["actions"].at(0);
  EXPECT_EQ(action["resultTasks"], kJobs);
  EXPECT_EQ(action["resultBytes"], 5'000'011 + 7 + (kJobs - 2) * 1'000 + kJobs * (kJobs - 1) / 2 - kRuns);
  ASSERT_EQ(action["results"].size(), DriverActions::kMostResults);
  EXPECT_EQ(action["results"][0]["jobId"], 0);
  EXPECT_EQ(action["results"].back()["jobId"], kRuns) << "it began before the others and has no end";
  EXPECT_EQ(action["results"].back()["resultBytes"], 7);
}

TEST(DriverActions, AnErrorThatOnlySpeaksOfCancellingIsAFailure) {
  ProfileStore store;
  store.JobStarted(Job(1, {1}, "collect at /jobs/job.py:17"));
  store.JobEnded(1, "Job aborted due to stage failure: ValueError: order 17 was cancelled", kStart + 9);
  EXPECT_EQ(ReportOf(store)["driver"]["actions"][0]["status"], "failed");
}

TEST(DriverActions, ResultsOfAJobByItsLine) {
  ProfileStore store;
  store.JobStarted(Job(0, {0, 1}, "collect at /jobs/my at job.py:17"));
  store.StageSubmitted(1, 0, "collect", "", 3, kStart);
  Return(store, 1, 0, 55);  // of a stage that writes a shuffle
  Return(store, 2, 1, 777'777);
  Return(store, 3, 1, 888'887);
  Return(store, 4, 1, 999'999, TaskOutcome::kFailed);
  Return(store, 5, 1, -1);
  const Json running = ReportOf(store)["driver"]["actions"][0];
  EXPECT_EQ(running["status"], "running");
  EXPECT_EQ(running["endedMs"], nullptr);
  store.JobEnded(0, "", kStart + 99);
  Return(store, 6, 1, 5);  // the job has what it wanted
  const Json driver = ReportOf(store)["driver"];
  EXPECT_EQ(driver["maxResultBytes"], 1 << 30);
  ASSERT_EQ(driver["actions"].size(), 1u);
  const Json& action = driver["actions"][0];
  EXPECT_EQ(action["callSite"], "collect at /jobs/my at job.py:17");
  EXPECT_EQ(action["function"], "collect");
  EXPECT_EQ(action["file"], "/jobs/my at job.py");
  EXPECT_EQ(action["line"], 17);
  EXPECT_EQ(action["status"], "complete");
  EXPECT_EQ(action["endedMs"], kStart + 99);
  EXPECT_EQ(action["resultTasks"], 2);
  EXPECT_EQ(action["resultBytes"], 1'666'664);
  EXPECT_EQ(action["stages"], (Json{0, 1}));
  EXPECT_EQ(action["results"], (Json::array({{{"stageId", 1},
                                              {"jobId", 0},
                                              {"purpose", "result"},
                                              {"tasks", 2},
                                              {"partitions", 3},
                                              {"resultBytes", 1'666'664},
                                              {"largestResultBytes", 888'887}}})));
}

// Spark reports the end of a job that passed spark.driver.maxResultSize before tasks whose results it had taken.
TEST(DriverActions, ResultsOfAJobThatFailedComeLate) {
  ProfileStore store;
  store.JobStarted(Job(0, {0}, "collect at /jobs/job.py:17"));
  store.StageSubmitted(0, 0, "collect", "", 5, kStart);
  Return(store, 1, 0, 760'019);
  store.JobEnded(0, "Job aborted due to stage failure", kStart + 9);
  Return(store, 2, 0, 760'021);
  const Json action = ReportOf(store)["driver"]["actions"][0];
  EXPECT_EQ(action["status"], "failed");
  EXPECT_EQ(action["resultTasks"], 2);
  EXPECT_EQ(action["resultBytes"], 1'520'040);
  EXPECT_EQ(action["results"][0]["tasks"], 2);
}

TEST(DriverActions, ALateResultNeverCountsForAnotherJob) {
  ProfileStore store;
  constexpr int kJobs = static_cast<int>(DriverActions::kMostLate) + 8;
  for (int id = 0; id < kJobs; ++id) {
    JobStart job = Job(id, {id}, "toLocalIterator at /jobs/job.py:17");
    job.query_id = 3;
    store.JobStarted(job);
    Return(store, id, id, 1'000 + id);
    store.JobEnded(id, "Job aborted due to stage failure", kStart + id);
  }
  constexpr int kFirstLate = kJobs - static_cast<int>(DriverActions::kMostLate);
  constexpr int kFirstRow = kJobs - static_cast<int>(DriverActions::kMostResults) + 1;  // and that of the first job, which failed
  for (int id = 0; id < kJobs; ++id) Return(store, kJobs + id, id, 7);
  const Json action = ReportOf(store)["driver"]["actions"][0];
  EXPECT_EQ(action["resultTasks"], kJobs + kJobs - kFirstLate);
  for (const Json& row : action["results"]) {
    const int id = row["jobId"];
    if (id == 0) {
      EXPECT_EQ(row["tasks"], 1) << "too late";
    } else {
      EXPECT_GE(id, kFirstRow);
      EXPECT_EQ(row["tasks"], 2);
      EXPECT_EQ(row["resultBytes"], 1'007 + id);
    }
  }
}

TEST(DriverActions, ALateResultOfOneThatWasLetGoIsNobodys) {
  std::pmr::monotonic_buffer_resource memory;
  DriverActions actions(&memory);
  const auto start = [&actions](int32_t id) {
    JobStart job = Job(id, {id}, "collect at /jobs/job.py:17");
    job.query_id = 3;
    actions.Started(job);
  };
  for (int id = 0; id < 3; ++id) {
    start(id);
    actions.Ended(id, "Job " + std::to_string(id) + " cancelled", kStart);
  }
  ASSERT_EQ(actions.Keep(0), 1u);
  start(3);
  actions.Result(2, 760'019);
  actions.Result(3, 7);
  std::optional<ReportOtherActions> others;
  const std::vector<ReportAction> rows = actions.Rows(9, others);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].result_bytes, 7u);
}

// A stream's batches run beside a large collect.
TEST(DriverActions, AMomentIsChargedToTheOneThatHadBroughtMost) {
  DriverActions actions(std::pmr::get_default_resource());
  actions.Started(Job(0, {0}, "collect at job.py:17"));
  actions.Result(0, 50'000'003);
  actions.Started(Job(1, {1}, "foreachBatch at job.py:3"));
  actions.Result(1, 55);
  EXPECT_EQ(actions.At(kStart + 20)->call_site, "collect at job.py:17");
  actions.Ended(0, "", kStart + 30);
  EXPECT_EQ(actions.At(kStart + 30)->call_site, "collect at job.py:17") << "it ran then";
  EXPECT_EQ(actions.At(kStart + 31)->call_site, "collect at job.py:17") << "it is being unpacked";
  EXPECT_EQ(actions.At(kStart + 70'000)->call_site, "foreachBatch at job.py:3") << "no longer";
  actions.Result(1, 49'999'948);
  EXPECT_EQ(actions.At(kStart + 20)->call_site, "foreachBatch at job.py:3") << "as much: the youngest";
  EXPECT_EQ(actions.At(kStart + 31)->call_site, "foreachBatch at job.py:3") << "it runs";
}

// Spark's listener bus drops events under load.
TEST(DriverActions, AJobWhoseEndWasDroppedDoesNotRunForEver) {
  ProfileStore store;
  const auto status = [&store](size_t action) {
    const Json row = ReportOf(store)["driver"]["actions"].at(action);
    return row["status"].get<std::string>() + (row["endedMs"].is_null() ? "" : " ended");
  };
  store.JobStarted(Job(0, {0, 1}, "collect at job.py:1"));
  Return(store, 1, 1, 9'000'011);
  store.StageCompleted(0, 0, "", kStart + 3);
  store.JobStarted(Job(1, {2}, "collect at job.py:2"));
  Return(store, 2, 2, 8'000'009);
  EXPECT_EQ(status(0), "running") << "its shuffle alone is done";
  store.StageCompleted(1, 0, "", kStart + 5);
  store.JobStarted(Job(9, {}, "take at job.py:9"));
  EXPECT_EQ(status(0), "running") << "its end comes next, whatever another thread reports";
  store.StageCompleted(2, 0, "lost an executor", kStart + 6);
  store.JobStarted(Job(2, {3}, "collect at job.py:3"));
  Return(store, 3, 3, 7'000'003);
  EXPECT_EQ(status(0), "unknown ended");
  EXPECT_EQ(ReportOf(store)["driver"]["actions"][0]["endedMs"], kStart + 5);
  EXPECT_EQ(status(1), "running") << "that stage is tried again";
  store.StageCompleted(3, 0, "", kStart + 8);
  store.StageSubmitted(3, 1, "collect", "", 3, kStart + 8);
  store.JobStarted(Job(3, {4}, "collect at job.py:4"));
  EXPECT_EQ(status(2), "running") << "its output was lost";
  store.JobEnded(2, "", kStart + 9);
  EXPECT_EQ(status(2), "complete ended");
  store.ApplicationEnded(kStart + 20);
  EXPECT_EQ(status(0), "unknown ended");
  EXPECT_EQ(status(1), "unknown");
  EXPECT_EQ(status(2), "complete ended");
  store.JobEnded(0, "Job aborted due to stage failure", kStart + 20);
  EXPECT_EQ(status(0), "failed ended") << "a shuffle whose output was lost: its end was only late";
  store.JobEnded(1, "Job 1 cancelled because SparkContext was shut down", kStart + 21);
  EXPECT_EQ(status(1), "cancelled ended") << "Spark reports it after the application's end";
}

// Beyond so many that run no other is taken.
TEST(DriverActions, JobsWhoseEndsWereDroppedLeaveRoomForOthers) {
  DriverActions actions(std::pmr::get_default_resource());
  const int count = static_cast<int>(DriverActions::kMostActions) + 50;
  for (int id = 0; id < count; ++id) {
    actions.Started(Job(id, {id}, "collect at job.py:17"));
    actions.StageCompleted(id, kStart + id);
  }
  actions.Started(Job(count, {count}, "collect at job.py:18"));
  actions.Result(count, 1'000'003);
  std::optional<ReportOtherActions> others;
  EXPECT_EQ(actions.Rows(1, others).at(0).call_site, "collect at job.py:18");
}

// A query's shuffles and broadcasts are jobs of their own, on threads that know nothing of the user's line.
TEST(DriverActions, JobsOfAQueryAreOneAction) {
  ProfileStore store;
  JobStart shuffle = Job(4, {7}, "");
  shuffle.stage_name = "$anonfun$withThreadLocalCaptured$1 at CompletableFuture.java:1768";
  JobStart broadcast = Job(5, {8}, ""), of_spark_4 = Job(6, {9}, ""), result = Job(7, {7, 10}, "toPandas at /jobs/job.py:23");
  broadcast.stage_name = shuffle.stage_name;
  broadcast.description = "broadcast exchange (runId 1b2c)";
  of_spark_4.tags = "user-tag,broadcast exchange (runId 77)";
  result.description = "the orders of a day";
  for (JobStart* job : {&shuffle, &broadcast, &of_spark_4, &result}) {
    job->query_id = 3;
    store.JobStarted(*job);
  }
  Return(store, 1, 8, 1'001);
  Return(store, 2, 9, 2'003);
  Return(store, 3, 10, 4'007);
  store.JobEnded(4, "org.apache.spark.SparkException: Job 4 cancelled because it isn't needed", kStart + 60);
  store.JobEnded(5, "", kStart + 61);
  store.JobEnded(6, "", kStart + 62);
  store.JobEnded(7, "", kStart + 63);
  const Json actions = ReportOf(store)["driver"]["actions"];
  ASSERT_EQ(actions.size(), 1u);
  EXPECT_EQ(actions[0]["jobs"], (Json{4, 5, 6, 7}));
  EXPECT_EQ(actions[0]["queryId"], 3);
  EXPECT_EQ(actions[0]["stages"], (Json{7, 8, 9, 10}));
  EXPECT_EQ(actions[0]["file"], "/jobs/job.py");
  EXPECT_EQ(actions[0]["description"], "the orders of a day");
  EXPECT_EQ(actions[0]["resultBytes"], 4'007);
  EXPECT_EQ(actions[0]["resultTasks"], 1);
  EXPECT_EQ(actions[0]["broadcastBytes"], 3'004);
  EXPECT_EQ(actions[0]["results"].size(), 3u);
  EXPECT_EQ(actions[0]["results"][2]["purpose"], "broadcast");
  EXPECT_EQ(actions[0]["status"], "complete");
}

TEST(DriverActions, RowsOfAQuerysResult) {
  ProfileStore store;
  store.QueryRows(3, 7);  // of one that nobody knows
  for (int32_t id : {3, 4}) {
    JobStart job = Job(id, {id}, "collect at /jobs/job.py:17");
    job.query_id = id;
    store.JobStarted(job);
  }
  store.QueryRows(3, 40'009);
  store.QueryRows(3, 2);
  store.QueryRows(4, 7, true);
  store.QueryRows(4, 600, true);
  const Json actions = ReportOf(store)["driver"]["actions"];
  ASSERT_EQ(actions.size(), 2u);
  EXPECT_EQ(actions[0]["resultRows"], 40'011);
  EXPECT_EQ(actions[1]["resultRows"], nullptr);
  EXPECT_EQ(actions[0]["broadcastRows"], nullptr);
  EXPECT_EQ(actions[1]["broadcastRows"], 607);
  store.QueryRows(4, std::nullopt, true);
  store.QueryRows(4, 5, true);
  EXPECT_EQ(ReportOf(store)["driver"]["actions"][1]["broadcastRows"], nullptr) << "of one table they aren't known";
}

TEST(DriverActions, AQueryIsNamedBeforeItsJobsAndIsNoActionWithoutAny) {
  ProfileStore store;
  store.QueryStarted(3, "count at NativeMethodAccessorImpl.java:0", kStart);
  store.QueryStarted(4, "createView at NativeMethodAccessorImpl.java:0", kStart);
  EXPECT_EQ(ReportOf(store)["driver"], nullptr);
  JobStart job = Job(4, {7}, "");
  job.stage_name = "$anonfun$withThreadLocalCaptured$1 at CompletableFuture.java:1768";
  job.query_id = 3;
  store.JobStarted(job);
  const Json actions = ReportOf(store)["driver"]["actions"];
  ASSERT_EQ(actions.size(), 1u);
  EXPECT_EQ(actions[0]["callSite"], "count at NativeMethodAccessorImpl.java:0");
  EXPECT_EQ(actions[0]["file"], nullptr);
}

TEST(DriverActions, ACallThatSparkDoesNotKnowIsNobodysLine) {
  ProfileStore store;
  store.JobStarted(Job(1, {1}, "count at NativeMethodAccessorImpl.java:0"));
  store.JobStarted(Job(2, {2}, "gibberish"));
  store.JobEnded(1, "org.apache.spark.SparkException: Job 1 cancelled by the user", kStart + 9);
  store.JobEnded(2, "boom", kStart + 9);
  const Json actions = ReportOf(store)["driver"]["actions"];
  for (const Json& action : actions) EXPECT_EQ(action["file"], nullptr);
  EXPECT_EQ(actions[0]["status"], "cancelled");
  EXPECT_EQ(actions[1]["status"], "failed");
  EXPECT_EQ(actions[1]["failureReason"], "boom");
}

TEST(DriverActions, TheLightestThatEndedAreOnlySummedUp) {
  std::pmr::monotonic_buffer_resource memory;
  DriverActions actions(&memory);
  const int count = static_cast<int>(DriverActions::kMostActions) + 50;
  for (int i = 0; i < count; ++i) {
    actions.Started(Job(i, {i}, "collect at job.py:1"));
    actions.Result(i, static_cast<uint64_t>(1'000 + i));
    if (i != 3) actions.Ended(i, i == 5 ? "boom" : "", kStart + i);
  }
  std::optional<ReportOtherActions> others;
  const std::vector<ReportAction> rows = actions.Rows(100, others);
  ASSERT_EQ(rows.size(), 100u);
  EXPECT_EQ(rows[0].result_bytes, 1'000u + static_cast<uint64_t>(count) - 1);
  ASSERT_TRUE(others);
  EXPECT_EQ(others->actions, static_cast<uint64_t>(count) - 100);
  uint64_t all = others->result_bytes;
  for (const ReportAction& row : rows) all += row.result_bytes;
  EXPECT_EQ(all, static_cast<uint64_t>(count) * 1'000 + static_cast<uint64_t>(count) * static_cast<uint64_t>(count - 1) / 2);
  actions.Keep(2);
  others.reset();
  const std::vector<ReportAction> kept = actions.Rows(100, others);
  ASSERT_EQ(kept.size(), 2u);  // the one that runs, and the one that failed
  EXPECT_EQ(kept[0].jobs, std::vector<int32_t>{5});
  EXPECT_EQ(kept[1].status, "running");
}

Json PlacesOf(std::string_view built_at, std::string_view call_site = "collect at /jobs/job.py:17") {
  ProfileStore store;
  JobStart job = Job(0, {0}, call_site);
  job.built_at = built_at;
  store.JobStarted(job);
  return ReportOf(store)["driver"]["actions"][0]["builtAt"];
}

// The first job of an action that knows the lines of its plan tells them.
TEST(DriverActions, LinesThatBuiltItsPlan) {
  ProfileStore store;
  JobStart job = Job(0, {0}, "collect at /jobs/job.py:17");
  job.query_id = 3;
  store.JobStarted(job);
  job.job_id = 1;
  job.built_at = "/jobs/job.py:17\n/jobs/orders.py:3,41\n/jobs/my:job.py:9";
  store.JobStarted(job);
  job.job_id = 2;
  job.built_at = "/jobs/job.py:17\n/jobs/other.py:1";
  store.JobStarted(job);
  const Json orders = "/jobs/orders.py";
  EXPECT_EQ(ReportOf(store)["driver"]["actions"][0]["builtAt"],
            (Json::array({{{"file", orders}, {"line", 3}}, {{"file", orders}, {"line", 41}}, {{"file", "/jobs/my:job.py"}, {"line", 9}}})));
}

TEST(DriverActions, LinesOfAnotherActionThatStillStandThereAreNotIts) {
  const std::string lines = "/jobs/job.py:17\n/jobs/job.py:8";
  EXPECT_EQ(PlacesOf(lines).size(), 1u);
  for (const char* other : {"collect at /jobs/job.py:18", "", "the user's own words", "collect at /jobs/job.py:1", "fit at x.scala:17"}) {
    EXPECT_EQ(PlacesOf(lines, other), Json::array()) << other;
  }
}

TEST(DriverActions, TextThatIsNoPlaceIsLeftOut) {
  const std::string own = "/jobs/job.py:17";
  EXPECT_EQ(PlacesOf(own), Json::array());
  EXPECT_EQ(PlacesOf(own + "\n\n\n:7\n/jobs/job.py\n/jobs/job.py:0,x,,99999999999\n/jobs/job.py:8,\n"),
            (Json::array({{{"file", "/jobs/job.py"}, {"line", 8}}})));
  std::string many = own + "\na:1";
  for (int line = 2; line <= 20; ++line) many += ',' + std::to_string(line);
  EXPECT_EQ(PlacesOf(many).size(), 16u);
  EXPECT_EQ(PlacesOf(many)[15]["line"], 20);
  EXPECT_EQ(PlacesOf(own + "\na:1" + std::string(2048, '7')), Json::array()) << "a number that is cut is another one";
}

TEST(DriverActions, JsonAndBackAndInAnEventLog) {
  ProfileStore store;
  JobStart collected = Job(0, {0}, "collect at /jobs/job.py:17");
  collected.built_at = "/jobs/job.py:17\n/jobs/job.py:3";
  store.JobStarted(collected);
  Return(store, 1, 0, 777'777);
  store.BlockUpdated({true, 6, 0}, "driver", 4'321, 0);
  store.BlockUpdated({true, 6, 0}, "1", 4'321, 0);
  const std::string json = store.ReportJson(false);
  const Result<Report> report = ReadReportJson(json);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(WriteReportJson(*report), json);
  EXPECT_EQ(report->broadcasts[0].driver_peak_bytes, 4'321u);
  Report many = *report;
  many.driver->actions.resize(5'000, many.driver->actions[0]);
  const std::optional<PartText> part = ApplicationPart(many, 2 << 10);
  ASSERT_TRUE(part);
  const Result<Report> read = ReadReportJson(*PartJson(part->text));
  ASSERT_TRUE(read.ok());
  EXPECT_LT(read->driver->actions.size(), 5'000u);
  EXPECT_EQ(read->driver->actions.size() + read->driver->other_actions->actions, 5'000u);
}

TEST(DriverActions, Text) {
  ProfileStore store;
  store.Configuration({{"spark.driver.maxResultSize", "2m"}});
  JobStart collected = Job(0, {0}, "collect at /jobs/job.py:17");
  collected.built_at = "/jobs/job.py:17\n/jobs/job.py:3,9\n/jobs/tables.py:41";
  store.JobStarted(collected);
  store.StageSubmitted(0, 0, "collect", "", 3, kStart);
  Return(store, 1, 0, 1 << 20);
  const Result<std::string> text = RenderText(store.ReportJson(false), {160, false, 0});
  ASSERT_TRUE(text.ok());
  EXPECT_NE(text->find("1.0 MiB  collect at job.py:17, job 0  running"), text->npos) << *text;
  EXPECT_NE(text->find("its plan was built at job.py:3, 9; tables.py:41\n"), text->npos) << *text;
  EXPECT_NE(text->find("stage 0: 1.0 MiB from 1 of 3 tasks, largest 1.0 MiB, 50 % of spark.driver.maxResultSize"), text->npos) << *text;
}

}  // namespace
}  // namespace memprof
