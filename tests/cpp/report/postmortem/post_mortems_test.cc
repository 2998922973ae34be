#include "postmortem/post_mortems.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <random>

#include "report/post_mortem_text.h"
#include "report/postmortem/scene.h"
#include "report/views.h"

namespace memprof {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace testing;

constexpr uint64_t kFull = kContainer / 100 * 97;
constexpr const char* kCode137 = "Command exited with code 137";

Json Deaths(const ProfileStore& store) { return Json::parse(store.ReportJson(false))["postMortems"]; }

Json TheDeath(const ProfileStore& store) {
  Json deaths = Deaths(store);
  EXPECT_EQ(deaths.size(), 1u);
  return deaths.empty() ? Json::object() : deaths[0];
}

std::string WorkerDeath(std::optional<uint64_t> oom_kills, int64_t task = 40, uint64_t used = kFull) {
  proto::Envelope envelope;
  envelope.set_schema_version(1);
  envelope.set_executor_id("1");
  proto::WorkerDeath& death = *envelope.mutable_worker_death();
  death.set_time_ms(kBegin + 9'800);
  death.set_pid(4131);
  death.set_task_attempt_id(task);
  death.set_stage_id(5);
  if (oom_kills) death.set_oom_kills(*oom_kills);
  death.set_limit_bytes(kContainer);
  death.mutable_before()->set_time_ms(kBegin + 9'783);
  death.mutable_before()->set_used_bytes(used);
  AddProcess(*death.mutable_before()->add_processes(), 4131, "python-worker", 700 * kMi, {});
  AddProcess(*death.mutable_before()->add_processes(), 4100, "jvm", 400 * kMi, {});
  return envelope.SerializeAsString();
}

void FillWorkerScene(ProfileStore& store) {
  store.ApplicationStarted("app-1", "scene", "4.0.0", "3.11.7", "spark://m:7077", kBegin);
  store.ExecutorAdded("1", "node7", 2, 512, -1, -1, -1, kBegin + 100);
  ProfileBuilder task = RunningTask(40, kDeadlyBytes);
  task.profile().set_final(true);
  task.profile().set_partial(true);
  static_cast<void>(store.Ingest(task.Bytes()));
  static_cast<void>(store.Ingest(LastSnapshot(kFull / 2).SerializeAsString()));
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
  EXPECT_EQ(death["lastSampleAgeMs"], 300) << "the profiles are younger than the snapshot";
  EXPECT_EQ(death["taskAttemptId"], 40) << "the one that held most";
  EXPECT_EQ(death["stageId"], 5);
  EXPECT_EQ(death["reason"], kCode137);
  EXPECT_THAT(death["headline"].get<std::string>(), HasSubstr("Executor 1 was killed for its memory: 97 % of the limit was in use"));
  ASSERT_EQ(death["processes"].size(), 3u);
  EXPECT_EQ(death["processes"][0]["bytes"], 400 * kMi);
  EXPECT_GE(death["advice"].size(), 1u);
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

TEST(PostMortems, ALimitThatNobodyEnforcesKillsNobody) {
  ProfileStore store;
  store.ApplicationStarted("app-1", "scene", "4.0.0", "3.11.7", "spark://m:7077", kBegin);
  store.ExecutorAdded("1", "node7", 2, 512, -1, -1, -1, kBegin + 100);
  proto::Envelope snapshot = LastSnapshot(600 * kMi);  // more than the 512 MiB that Spark asked for
  snapshot.mutable_executor()->clear_cgroup_limit_bytes();
  snapshot.mutable_executor()->clear_cgroup();
  static_cast<void>(store.Ingest(snapshot.SerializeAsString()));
  store.ExecutorRemoved("1", kCode137, kBegin + 10'000);
  Json death = TheDeath(store);
  EXPECT_EQ(death["outOfMemory"], false);
  EXPECT_EQ(death["limitBytes"], 64'000 * kMi) << "the host's memory";
}

TEST(PostMortems, TheNextExecutorInTheCgroupFindsTheKernelsCount) {
  struct Case {
    uint64_t found;
    bool out_of_memory;
  };
  for (const Case& each : {Case{4, true}, Case{3, false}}) {
    ProfileStore store;
    FillScene(store, kCode137, each.out_of_memory ? kContainer / 4 : kFull);  // the use says the contrary
    store.ExecutorAdded("2", "node7", 2, 512, -1, -1, -1, kBegin + 12'000);
    proto::Envelope next = LastSnapshot(kContainer / 9, "2", each.found);
    next.mutable_executor()->set_oom_kills_at_start(each.found);
    static_cast<void>(store.Ingest(next.SerializeAsString()));
    Json death = TheDeath(store);
    EXPECT_EQ(death["outOfMemory"], each.out_of_memory) << death["how"];
    EXPECT_THAT(death["how"].get<std::string>(), HasSubstr("executor 2, the next one in it"));
  }
}

TEST(PostMortems, NoneForExecutorsThatWereWantedGone) {
  for (const char* reason : {"Executor killed by driver.", "Executor decommission: spot", "Container c was preempted."}) {
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

TEST(PostMortems, AnExecutorOfWhichNothingCame) {
  ProfileStore store;
  store.ExecutorAdded("1", "node7", 2, 512, -1, -1, -1, kBegin);
  store.ExecutorRemoved("1", "Remote RPC client disassociated.", kBegin + 500);
  Json death = TheDeath(store);
  EXPECT_EQ(death["outOfMemory"], false);
  EXPECT_EQ(death["usedBytes"], nullptr);
  EXPECT_EQ(death["lastSampleAgeMs"], nullptr);
  EXPECT_THAT(death["headline"].get<std::string>(), HasSubstr("was lost; why is not known"));
}

TEST(PostMortems, AWorkerThatTheKernelKilled) {
  ProfileStore store;
  FillWorkerScene(store);
  EXPECT_TRUE(store.Ingest(WorkerDeath(1)).ok());
  EXPECT_TRUE(store.Ingest(WorkerDeath(1)).ok()) << "told twice";
  Json death = TheDeath(store);
  EXPECT_EQ(death["process"], "python-worker");
  EXPECT_EQ(death["pid"], 4131);
  EXPECT_EQ(death["exitCode"], nullptr);
  EXPECT_EQ(death["taskAttemptId"], 40);
  EXPECT_EQ(death["stageId"], 5);
  EXPECT_EQ(death["outOfMemory"], true);
  EXPECT_EQ(death["usedBytes"], kFull);
  EXPECT_EQ(death["lastSampleAgeMs"], 17);
  EXPECT_THAT(death["how"].get<std::string>(), HasSubstr("oom_kill counter of its cgroup rose by 1"));
  EXPECT_EQ(death["sites"][0]["liveAtPeakBytes"], kDeadlyBytes);
  EXPECT_GE(death["advice"].size(), 1u);
}

TEST(PostMortems, AWorkerThatWentByItselfIsOneOnlyIfItsTaskFailed) {
  struct Case {
    TaskOutcome outcome;
    size_t deaths;
  };
  for (const Case& each :
       {Case{TaskOutcome::kFailed, 1}, Case{TaskOutcome::kKilled, 0}, Case{TaskOutcome::kSucceeded, 0}, Case{TaskOutcome::kLost, 0}}) {
    ProfileStore store;
    FillWorkerScene(store);
    static_cast<void>(store.Ingest(WorkerDeath(0)));
    EXPECT_EQ(Deaths(store).size(), 0u) << "its task has not ended";
    store.TaskEnded(40, 5, 0, 0, 0, "1", each.outcome, "Python worker exited unexpectedly (crashed)", kBegin + 9'900);
    EXPECT_EQ(Deaths(store).size(), each.deaths);
    if (each.deaths == 0) continue;
    EXPECT_EQ(TheDeath(store)["outOfMemory"], false) << "97 % in use, but the kernel killed nobody";
    EXPECT_EQ(TheDeath(store)["advice"], Json::array());
  }
}

// Task 40's worker notes how it came to harm; then the task fails.
proto::Incident& AddIncident(ProfileBuilder& task, int64_t at_ms, int signal) {
  proto::Incident& incident = *task.profile().add_incidents();
  incident.set_pid(4131);
  incident.set_time_ms(kBegin + at_ms);
  incident.set_signal(signal);
  incident.set_stack(task.Stack({Framework("main", "/pyspark/worker.py", 1), Python("enrich", "/jobs/job.py", 18),
                                 Unnamed("/jobs/libx.so", "c0", 9), Unnamed("/lib/x86_64-linux-gnu/libc.so.6", "c1", 3)}));
  return incident;
}

ProfileBuilder EndedTask() {
  ProfileBuilder task = RunningTask(40, kDeadlyBytes);
  task.profile().set_sequence(2);
  task.profile().set_final(true);
  task.profile().set_partial(true);
  return task;
}

void FailTask40(ProfileStore& store, const char* error) {
  store.TaskEnded(40, 5, 0, 0, 0, "1", TaskOutcome::kFailed, error, kBegin + 9'900);
}

TEST(PostMortems, AWorkerThatCrashedSaysSoItself) {
  for (bool was_seen_living : {true, false}) {
    ProfileStore store;
    FillWorkerScene(store);
    ProfileBuilder task = EndedTask();
    AddIncident(task, 9'790, 11);
    ASSERT_TRUE(store.Ingest(task.Bytes()).ok());
    if (was_seen_living) static_cast<void>(store.Ingest(WorkerDeath(0, 40, kContainer / 100 * 23)));
    EXPECT_EQ(Deaths(store).size(), 0u) << "its task has not ended";
    FailTask40(store, "Python worker exited unexpectedly (crashed)");
    Json death = TheDeath(store);
    EXPECT_EQ(death["pid"], 4131);
    EXPECT_EQ(death["exitCode"], 139);
    EXPECT_EQ(death["outOfMemory"], false);
    EXPECT_EQ(death["advice"], Json::array());
    EXPECT_EQ(death["how"], "it noted SIGSEGV in its black box as it died");
    EXPECT_THAT(death["headline"].get<std::string>(),
                HasSubstr("Python worker 4131 of executor 1 (task 40, stage 5) crashed, not of memory: SIGSEGV in libx.so+0x9, called at "
                          "job.py:18 enrich; "));
    ASSERT_EQ(death["stack"].size(), 3u) << "without what PySpark calls first";
    EXPECT_EQ(death["stack"][0]["line"], 18);
    EXPECT_EQ(death["stack"][2]["module"], "/lib/x86_64-linux-gnu/libc.so.6");
    EXPECT_EQ(death["sites"][0]["liveAtPeakBytes"], kDeadlyBytes);
    EXPECT_EQ(death["limitBytes"], kContainer);
    EXPECT_EQ(death["usedBytes"], was_seen_living ? Json(kContainer / 100 * 23) : Json(nullptr));
    std::vector<std::string> told = store.TakePostMortems(kBegin, true);
    ASSERT_EQ(told.size(), 1u);
    EXPECT_THAT(told[0], HasSubstr("Died in:"));
    EXPECT_THAT(told[0], HasSubstr("libx.so+0x9"));
    EXPECT_TRUE(store.TakePostMortems(kBegin + 9'000'000, true).empty());
  }
}

TEST(PostMortems, ACrashThatItsTaskSurvivedIsNone) {
  for (TaskOutcome outcome : {TaskOutcome::kSucceeded, TaskOutcome::kKilled}) {
    ProfileStore store;
    FillWorkerScene(store);
    ProfileBuilder task = EndedTask();
    AddIncident(task, 9'790, 6);
    ASSERT_TRUE(store.Ingest(task.Bytes()).ok());
    store.TaskEnded(40, 5, 0, 0, 0, "1", outcome, "", kBegin + 9'900);
    EXPECT_EQ(Deaths(store), Json::array());
    EXPECT_TRUE(store.TakePostMortems(kBegin, true).empty());
  }
}

TEST(PostMortems, AnAbortRightAfterARefusalIsMemory) {
  struct Case {
    int signal;
    int64_t refused_ms;
    bool out_of_memory;
  };
  for (const Case& each : {Case{6, 9'700, true}, Case{6, 5'000, false}, Case{11, 9'700, false}}) {
    ProfileStore store;
    FillWorkerScene(store);
    ProfileBuilder task = EndedTask();
    AddIncident(task, 9'790, each.signal);
    proto::Incident& refused = AddIncident(task, each.refused_ms, 0);
    refused.set_asked_bytes(300'000'007);
    refused.set_virtual_bytes(900'000'000);
    refused.set_limit_bytes(1'000'000'000);
    ASSERT_TRUE(store.Ingest(task.Bytes()).ok());
    FailTask40(store, "Connection reset");
    EXPECT_EQ(TheDeath(store)["outOfMemory"], each.out_of_memory) << TheDeath(store)["how"];
    EXPECT_EQ(TheDeath(store)["exitCode"], 128 + each.signal);
    EXPECT_EQ(TheDeath(store)["advice"].empty(), !each.out_of_memory);
  }
}

constexpr const char* kNumpysError = "numpy.core._exceptions._ArrayMemoryError: Unable to allocate 286. MiB";

void RefuseTask40(ProfileStore& store, uint64_t resident) {
  FillWorkerScene(store);
  ProfileBuilder task = EndedTask();
  task.profile().set_partial(false);
  proto::Incident& refused = AddIncident(task, 9'790, 0);
  refused.set_asked_bytes(300 * kMi);
  refused.set_virtual_bytes(900 * kMi);
  refused.set_resident_bytes(resident);
  refused.set_limit_bytes(1000 * kMi);
  ASSERT_TRUE(store.Ingest(task.Bytes()).ok());
}

TEST(PostMortems, ATaskThatFailedOfRefusedMemory) {
  for (bool by_reservations : {true, false}) {
    ProfileStore store;
    store.Configuration({{"spark.executor.pyspark.memory", "2000m"}});
    RefuseTask40(store, by_reservations ? 200 * kMi : 800 * kMi);
    FailTask40(store, kNumpysError);
    Json death = TheDeath(store);
    EXPECT_EQ(death["process"], "python-worker");
    EXPECT_EQ(death["exitCode"], nullptr) << "it ended in good order";
    EXPECT_EQ(death["outOfMemory"], true);
    EXPECT_EQ(death["addressSpace"]["limitBytes"], 1000 * kMi);
    EXPECT_EQ(death["addressSpace"]["virtualBytes"], 900 * kMi);
    EXPECT_EQ(death["addressSpace"]["refusedBytes"], 300 * kMi);
    EXPECT_EQ(death["how"].get<std::string>().find("reservations alone") != std::string::npos, by_reservations) << death["how"];
    EXPECT_THAT(death["headline"].get<std::string>(),
                HasSubstr("was refused memory: it asked for 300.0 MiB in libx.so+0x9, called at job.py:18"));
    ASSERT_EQ(death["advice"].size(), 1u);
    EXPECT_EQ(death["advice"][0]["conf"], "spark.executor.pyspark.memory");
    EXPECT_EQ(death["advice"][0]["from"], "2000m");
    EXPECT_EQ(death["advice"][0]["to"], "2640m") << "1200 MiB + 10 %, for each of two cores";
    ASSERT_EQ(store.TakePostMortems(kBegin, true).size(), 1u);
    EXPECT_TRUE(store.TakePostMortems(kBegin, true).empty());
  }
}

TEST(PostMortems, ARefusalThatATaskLivedWithIsNone) {
  for (const char* error : {"", "ValueError: something else"}) {
    ProfileStore store;
    RefuseTask40(store, 200 * kMi);
    store.TaskEnded(40, 5, 0, 0, 0, "1", *error == 0 ? TaskOutcome::kSucceeded : TaskOutcome::kFailed, error, kBegin + 9'900);
    EXPECT_EQ(Deaths(store), Json::array()) << error;
    EXPECT_TRUE(store.TakePostMortems(kBegin, true).empty());
  }
}

TEST(PostMortems, AnOutOfMemoryErrorOfDirectBuffersIsNotTheHeaps) {
  constexpr const char* kDirect =
      "java.lang.OutOfMemoryError: Cannot reserve 300000007 bytes of direct buffer memory (allocated: 16385, limit: 104857600)";
  for (int64_t earlier : {1'000, 60'000}) {
    ProfileStore store;
    FillScene(store, "Command exited with code 52", kFull / 4);
    const int64_t gone = TheDeath(store)["timeMs"];
    store.TaskEnded(77, 5, 0, 3, 0, "1", TaskOutcome::kFailed, kDirect, gone - earlier);
    Json death = TheDeath(store);
    EXPECT_EQ(death["outOfMemory"], true);
    if (earlier > 30'000) {
      EXPECT_THAT(death["headline"].get<std::string>(), HasSubstr("ran out of heap")) << "an old error is no last word";
      continue;
    }
    EXPECT_THAT(death["headline"].get<std::string>(),
                HasSubstr("Executor 1 died of an OutOfMemoryError: direct buffers held 16.0 KiB of 100.0 MiB when 286.1 MiB more"));
    ASSERT_EQ(death["advice"].size(), 1u);
    EXPECT_EQ(death["advice"][0]["to"], "-XX:MaxDirectMemorySize=315m");
  }
}

TEST(PostMortems, OrderAndRepetitionChangeNothing) {
  std::vector<std::function<void(ProfileStore&)>> news = {
      [](ProfileStore& store) { store.ExecutorAdded("1", "node7", 2, 512, -1, -1, -1, kBegin + 100); },
      [](ProfileStore& store) { static_cast<void>(store.Ingest(RunningTask(40, kDeadlyBytes).Bytes())); },
      [](ProfileStore& store) { static_cast<void>(store.Ingest(RunningTask(41, kOtherBytes).Bytes())); },
      [](ProfileStore& store) { static_cast<void>(store.Ingest(LastSnapshot(kFull).SerializeAsString())); },
      [](ProfileStore& store) { static_cast<void>(store.Ingest(WorkerDeath(1, 41))); },
      [](ProfileStore& store) { store.ExecutorRemoved("1", kCode137, kBegin + 10'000); },
      [](ProfileStore& store) { store.TaskEnded(40, 5, 0, 0, 0, "1", TaskOutcome::kLost, "lost", kBegin + 10'001); },
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
    store.TaskEnded(task, 6, 0, task, 0, "2", TaskOutcome::kSucceeded, "", kBegin + task);
  }
  Json sites = TheDeath(store)["sites"];
  ASSERT_FALSE(sites.empty());
  EXPECT_EQ(sites[0]["liveAtPeakBytes"], kDeadlyBytes + kOtherBytes);
}

TEST(PostMortems, EachIsToldOnceAndALittleLater) {
  ProfileStore store;
  EXPECT_TRUE(store.TakePostMortems(kBegin, true).empty());
  FillScene(store, kCode137, kFull);
  EXPECT_TRUE(store.TakePostMortems(50'000, false).empty());
  EXPECT_TRUE(store.TakePostMortems(50'000 + kPatienceMs - 1, false).empty());
  std::vector<std::string> told = store.TakePostMortems(50'000 + kPatienceMs, false);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_THAT(told[0], HasSubstr("was killed for its memory"));
  EXPECT_THAT(told[0], HasSubstr("job.py:17 enrich"));
  EXPECT_THAT(told[0], HasSubstr("868.8 MiB"));
  EXPECT_LE(std::count(told[0].begin(), told[0].end(), '\n'), 30);
  static_cast<void>(store.Ingest(WorkerDeath(1)));
  EXPECT_EQ(store.TakePostMortems(60'000, true).size(), 1u) << "the new one, at once";
  EXPECT_TRUE(store.TakePostMortems(99'000, true).empty());
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
  EXPECT_EQ(report["counters"]["droppedPostMortems"], 800);
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
