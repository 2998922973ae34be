#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>

#include "postmortem/post_mortems.h"
#include "report/json.h"
#include "report/postmortem/worker_scene.h"
#include "report/told.h"
#include "report/views/post_mortem_text.h"

namespace memprof {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using namespace testing;

TEST(WorkerDeaths, AWorkerThatTheKernelKilled) {
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

TEST(WorkerDeaths, WhatWasResidentIsToldWithItsAge) {
  ProfileStore store;
  FillWorkerScene(store);
  ProfileBuilder task = EndedTask();
  proto::Site& site = *task.profile().mutable_sites(0);
  site.set_live_at_peak_bytes(site.live_bytes());
  site.set_resident_at_peak_bytes(kDeadlyBytes / 2);
  site.set_read_at_peak_bytes(kDeadlyBytes);
  site.set_resident_later_bytes(4096);
  for (const int64_t looked_ms : {9'100, 8'500, 0}) {
    task.profile().add_sessions()->set_looked_ms(looked_ms == 0 ? 0 : kBegin + looked_ms);
  }
  proto::Session& ended = *task.profile().add_sessions();  // of a process that the task had started
  ended.set_closed(true);
  ended.set_looked_ms(kBegin + 1'000);
  static_cast<void>(store.Ingest(task.Bytes()));
  static_cast<void>(store.Ingest(WorkerDeath(1)));
  const Json shown = TheDeath(store)["sites"][0];
  EXPECT_EQ(shown["residentAtPeakBytes"], kDeadlyBytes / 2);
  EXPECT_EQ(shown["residentLaterBytes"], 4096);
  EXPECT_EQ(shown["residentAgeMs"], 1'300) << "of the older of its open sessions' readings, before the death";
  const ReportPostMortem death = ReadReportJson(store.ReportJson(false))->post_mortems[0];
  EXPECT_THAT(PostMortemText(death), HasSubstr(" resident 1.3 s before, 4.0 KiB since the peak"));
}

// A cache that it had filled in the tasks before holds more than any line of the task that it died in.
TEST(WorkerDeaths, WhatEarlierTasksHadLeftInIt) {
  constexpr uint64_t kCached = 300'000'007;
  ProfileStore store;
  FillWorkerScene(store);
  ProfileBuilder task = EndedTask();
  task.profile().mutable_sites(0)->set_live_bytes(kCached / 3);
  proto::Leftovers& left = task.Leftovers(4131, 9);
  left.set_open(true);
  for (int i = 0; i < 2; ++i) {  // by two ways to one line
    proto::Leftover& site = *left.add_sites();
    site.set_stack(
        task.Stack({Framework("main", "/pyspark/worker.py", static_cast<uint32_t>(1 + i)), Python("remember", "/jobs/job.py", 22)}));
    site.set_live_bytes(i == 0 ? kCached - 5 : 5);
  }
  proto::Leftovers& closed = task.Leftovers(4999, 2);  // of another worker, which has done its part of the task
  closed.add_sites()->set_live_bytes(99 * kCached);
  closed.mutable_sites(0)->set_stack(1);
  static_cast<void>(store.Ingest(task.Bytes()));
  static_cast<void>(store.Ingest(WorkerDeath(1)));
  FailTask40(store, "Python worker exited unexpectedly (crashed)");
  const Json death = TheDeath(store);
  const Json& first = death["sites"][0];
  EXPECT_EQ(first["leftByEarlierTasks"], true);
  EXPECT_EQ(first["liveAtPeakBytes"], kCached);
  EXPECT_EQ(first["frames"].back()["function"], "remember");
  EXPECT_FALSE(death["sites"][1].contains("leftByEarlierTasks"));
  EXPECT_EQ(death["sites"][1]["liveAtPeakBytes"], kCached / 3);
  EXPECT_THAT(death["headline"].get<std::string>(), HasSubstr("; earlier tasks had left 286.1 MiB at job.py:22 remember"));
  EXPECT_THAT(death["advice"][0]["because"].get<std::string>(), HasSubstr("in the workers, most of it at job.py:22 remember: bound what"));
  const ReportPostMortem read = ReadReportJson(store.ReportJson(false))->post_mortems[0];
  EXPECT_TRUE(read.sites[0].left_by_earlier_tasks);
  EXPECT_FALSE(read.sites[1].left_by_earlier_tasks);
  EXPECT_THAT(PostMortemText(read), HasSubstr("job.py:22 remember  left by earlier tasks"));
}

// An executor's last two tasks, each with what was left in its worker, the second with twice as much. A pid may be used again.
Json DeathWithWorkersOf(uint64_t first_start_ticks, uint64_t second_start_ticks, uint64_t cached) {
  ProfileStore store;
  store.ApplicationStarted("app-1", "scene", "4.0.0", "3.11.7", "spark://m:7077", kBegin);
  store.ExecutorAdded({"1", "node7", 2, 512, -1, -1, -1, kBegin + 100});
  for (const int64_t id : {40, 41}) {
    ProfileBuilder task = RunningTask(id, kOtherBytes);
    proto::Leftovers& left = task.Leftovers(4131, static_cast<uint64_t>(id));
    left.set_open(true);
    left.set_start_ticks(id == 40 ? first_start_ticks : second_start_ticks);
    proto::Leftover& site = *left.add_sites();
    site.set_stack(task.Stack({Python("remember", "/jobs/job.py", 22)}));
    site.set_live_bytes(id == 41 ? cached : cached / 2);
    task.profile().set_taken_ms(kBegin + 9'000 + id);
    static_cast<void>(store.Ingest(task.Bytes()));
  }
  static_cast<void>(store.Ingest(LastSnapshot(kFull).SerializeAsString()));
  store.ExecutorRemoved("1", kCode137, kBegin + 10'000);
  return TheDeath(store);
}

// Both messages are of one worker, which can have served only one of the tasks at last.
TEST(WorkerDeaths, WhatWasLeftInAWorkerCountsOnceInItsExecutor) {
  constexpr uint64_t kCached = 300'000'007;
  for (const uint64_t start_ticks : {0, 77'001}) {  // 0: of an older agent
    const Json death = DeathWithWorkersOf(start_ticks, start_ticks, kCached);
    EXPECT_EQ(death["sites"][0]["leftByEarlierTasks"], true);
    EXPECT_EQ(death["sites"][0]["liveAtPeakBytes"], kCached) << "as the later of the two knew";
    EXPECT_EQ(death["sites"].size(), 3u) << death["sites"];
  }
}

TEST(WorkerDeaths, WhatWasLeftInTwoWorkersOfOnePidIsASum) {
  constexpr uint64_t kCached = 300'000'007;
  const Json death = DeathWithWorkersOf(77'001, 88'001, kCached);
  EXPECT_EQ(death["sites"][0]["leftByEarlierTasks"], true);
  EXPECT_EQ(death["sites"][0]["liveAtPeakBytes"], kCached + kCached / 2);
  EXPECT_EQ(death["sites"].size(), 3u) << death["sites"];
}

TEST(WorkerDeaths, AWorkerThatWentByItselfIsOneOnlyIfItsTaskFailed) {
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
    store.TaskEnded({40, 5, 0, 0, 0, "1", each.outcome, "Python worker exited unexpectedly (crashed)", kBegin + 9'900});
    EXPECT_EQ(Deaths(store).size(), each.deaths);
    if (each.deaths == 0) continue;
    EXPECT_EQ(TheDeath(store)["outOfMemory"], false) << "97 % in use, but the kernel killed nobody";
  }
}

// Whoever else ends a full container ends all of it. A worker whose executor lives was ended by itself, or by somebody.
TEST(WorkerDeaths, OfAFullContainerNobodyButTheKernelTakesAWorkerAlone) {
  for (const uint64_t used : {kFull, kContainer / 2}) {
    ProfileStore store;
    FillWorkerScene(store);
    static_cast<void>(store.Ingest(WorkerDeath(0, 40, used)));
    FailTask40(store, "Python worker exited unexpectedly (crashed)");
    const Json death = TheDeath(store);
    const bool full = used == kFull;
    EXPECT_EQ(death["outOfMemory"], false);
    EXPECT_EQ(death["unknown"], false);
    EXPECT_THAT(death["headline"].get<std::string>(), HasSubstr(full ? "died, not of memory: 97 %" : "died, not of memory: 50 %"));
    EXPECT_EQ(death["advice"].size(), 0u);
  }
}

TEST(WorkerDeaths, OfOneThatSparkMayHaveEndedTheKernelMayHaveKilledAnother) {
  struct Case {
    TaskOutcome outcome;
    int64_t ended_ms;
    bool in_doubt;
  };
  for (const Case& each : {Case{TaskOutcome::kFailed, 9'900, false}, Case{TaskOutcome::kKilled, 9'900, true},
                           Case{TaskOutcome::kSucceeded, 9'700, true}, Case{TaskOutcome::kKilled, 1'200'000, false}}) {
    ProfileStore store;
    FillWorkerScene(store);
    static_cast<void>(store.Ingest(WorkerDeath(1)));
    store.TaskEnded({40, 5, 0, 0, 0, "1", each.outcome, "", kBegin + each.ended_ms});
    const Json death = TheDeath(store);
    EXPECT_EQ(death["outOfMemory"], true) << "whomever it killed: the container was full";
    EXPECT_THAT(
        death["headline"].get<std::string>(),
        StartsWith(each.in_doubt ? "Python worker 4131 of executor 1 (task 40, stage 5), or another process of its container, was killed"
                                 : "Python worker 4131 of executor 1 (task 40, stage 5) was killed"));
    EXPECT_EQ(death["how"].get<std::string>().find("its task came to an end then") != std::string::npos, each.in_doubt);
  }
}

// The kernel has killed one of them. Which, only their sizes may tell: it takes the largest.
TEST(WorkerDeaths, OfTwoThatVanishedTheKernelsOneKillMayExplainEither) {
  struct Case {
    const char* name;
    int64_t after_ms;
    uint64_t rss;
    std::optional<uint64_t> kills = 0;
    int signal = 0;
    bool failed = true, in_doubt = false;
  };
  const Case cases[] = {{.name = "at once", .after_ms = 0, .rss = 600 * kMi, .in_doubt = true},
                        {.name = "soon after", .after_ms = 900, .rss = 600 * kMi, .in_doubt = true},
                        {.name = "killed itself", .after_ms = 900, .rss = 600 * kMi, .kills = 1},
                        {.name = "later", .after_ms = 1'100, .rss = 600 * kMi},
                        {.name = "before the counter rose", .after_ms = -100, .rss = 600 * kMi},
                        {.name = "a small one", .after_ms = 900, .rss = 60 * kMi},
                        {.name = "not counted", .after_ms = 900, .rss = 600 * kMi, .kills = std::nullopt},
                        {.name = "crashed", .after_ms = 900, .rss = 600 * kMi, .signal = 11},
                        {.name = "ended by Spark", .after_ms = 900, .rss = 600 * kMi, .failed = false}};
  for (const Case& each : cases) {
    ProfileStore store;
    FillWorkerScene(store);
    static_cast<void>(store.Ingest(WorkerDeath(1)));
    FailTask40(store, "Python worker exited unexpectedly (crashed)");
    proto::Envelope envelope;
    ASSERT_TRUE(envelope.ParseFromString(WorkerDeath(each.kills, 41, kContainer / 2)));
    proto::WorkerDeath& other = *envelope.mutable_worker_death();
    other.set_pid(4132);
    other.set_signal(each.signal);
    other.set_time_ms(other.time_ms() + each.after_ms);
    other.mutable_before()->mutable_processes(0)->set_pid(4132);
    other.mutable_before()->mutable_processes(0)->set_peak_rss_bytes(each.rss);
    Tell(store, envelope);
    const TaskOutcome outcome = each.failed ? TaskOutcome::kFailed : TaskOutcome::kKilled;
    store.TaskEnded({41, 5, 0, 1, 0, "1", outcome, "Python worker exited unexpectedly (crashed)", kBegin + 11'000});
    for (const Json& death : Deaths(store)) {
      const std::string headline = death["headline"], how = death["how"];
      if (death["pid"] == 4131) {
        EXPECT_EQ(death["outOfMemory"], true) << each.name << ": the container was full";
        EXPECT_EQ(headline.find(", or another process of its container, was killed for its memory") != std::string::npos, each.in_doubt)
            << each.name;
        EXPECT_EQ(how.find("process 4132 vanished within a second after it") != std::string::npos, each.in_doubt) << each.name << how;
      } else {
        EXPECT_EQ(death["outOfMemory"], each.kills == 1) << each.name;
        EXPECT_EQ(how.find("it vanished within a second after process 4131") != std::string::npos, each.in_doubt) << each.name << how;
        EXPECT_EQ(headline.find("vanished; why is not known: 50 %") != std::string::npos, each.in_doubt) << each.name;
      }
    }
  }
}

TEST(WorkerDeaths, WhoLivedOnAfterTheKernelsKillMayNotHaveBeenItsVictim) {
  for (const uint32_t outlived_ms : {900u, 3'100u}) {
    for (const uint64_t used : {kFull, kContainer / 3}) {
      ProfileStore store;
      FillWorkerScene(store);
      proto::Envelope envelope;
      ASSERT_TRUE(envelope.ParseFromString(WorkerDeath(1, 40, used)));
      envelope.mutable_worker_death()->set_outlived_kill_ms(outlived_ms);
      Tell(store, envelope);
      const Json death = TheDeath(store);
      const bool in_doubt = outlived_ms > 1'000, unknown = in_doubt && used < kFull;
      EXPECT_EQ(death["unknown"], unknown);
      EXPECT_EQ(death["outOfMemory"], !unknown) << "a full container kills somebody, at any rate";
      EXPECT_EQ(death["advice"].empty(), unknown);
      EXPECT_EQ(death["how"].get<std::string>().find("it lived for 3.1 s after that") != std::string::npos, in_doubt) << death["how"];
      EXPECT_EQ(death["headline"].get<std::string>().find("or another process") != std::string::npos, in_doubt && !unknown);
    }
  }
}

TEST(WorkerDeaths, AProcessThatATaskStartedIsCalledSo) {
  for (const bool by_incident : {false, true}) {
    ProfileStore store;
    FillWorkerScene(store);
    ProfileBuilder task = EndedTask();
    AddIncident(task, 9'790, 11).set_started_by_task(true);
    if (by_incident) {
      ASSERT_TRUE(store.Ingest(task.Bytes()).ok());
    } else {
      proto::Envelope envelope;
      ASSERT_TRUE(envelope.ParseFromString(WorkerDeath(1)));
      envelope.mutable_worker_death()->set_started_by_task(true);
      static_cast<void>(store.Ingest(envelope.SerializeAsString()));
    }
    FailTask40(store, "ValueError: of the task's own");
    const Json death = TheDeath(store);
    EXPECT_EQ(death["startedByTask"], true);
    EXPECT_THAT(death["headline"].get<std::string>(), StartsWith("Python process 4131 of executor 1 (started by task 40, stage 5) "));
  }
}

TEST(WorkerDeaths, AProgramThatATaskStartedIsCalledByItsName) {
  for (const char* name : {"ffmpeg", ""}) {
    ProfileStore store;
    FillWorkerScene(store);
    proto::Envelope envelope;
    ASSERT_TRUE(envelope.ParseFromString(WorkerDeath(1)));
    proto::WorkerDeath& sent = *envelope.mutable_worker_death();
    sent.set_started_by_task(true);
    sent.set_program(name);
    proto::Process& process = *sent.mutable_before()->mutable_processes(0);
    process.set_kind("program");
    process.set_name(name);
    ASSERT_TRUE(store.Ingest(envelope.SerializeAsString()).ok());
    store.TaskEnded({40, 5, 0, 0, 0, "1", TaskOutcome::kKilled, "", kBegin + 9'900});
    const Json death = TheDeath(store);
    EXPECT_EQ(death["program"], *name == 0 ? "(withheld)" : name);
    const std::string headline = death["headline"];
    EXPECT_THAT(headline, StartsWith(fmt::format("Program {}4131 of executor 1 (started by task 40, stage 5) was killed for its memory: ",
                                                 *name == 0 ? "(withheld) " : "ffmpeg ")));
    EXPECT_THAT(headline, HasSubstr("; it held 700.0 MiB")) << "Spark ends no program: nothing is in doubt";
    EXPECT_EQ(death["processes"][1]["name"].is_null(), *name == 0);
    const Json regions = death["regions"];
    const auto overhead = std::find_if(regions.begin(), regions.end(), [](const Json& region) { return region["name"] == "overhead"; });
    ASSERT_NE(overhead, regions.end());
    EXPECT_EQ((*overhead)["bytes"], 700 * kMi) << "all that is not the JVM";
  }
}

TEST(WorkerDeaths, OfOneThatNoTickHasSeenNothingIsSaidOfTheContainer) {
  struct Case {
    uint64_t kills;
    bool on_host, unknown;
  };
  for (const Case& each : {Case{0, false, true}, Case{1, false, false}, Case{0, true, true}}) {
    ProfileStore store;
    FillWorkerScene(store);
    proto::Envelope envelope;
    ASSERT_TRUE(envelope.ParseFromString(WorkerDeath(each.kills)));
    envelope.mutable_worker_death()->clear_before();
    envelope.mutable_worker_death()->set_counted_on_host(each.on_host);
    static_cast<void>(store.Ingest(envelope.SerializeAsString()));
    FailTask40(store, "Python worker exited unexpectedly (crashed)");
    const Json death = TheDeath(store);
    EXPECT_EQ(death["outOfMemory"], each.kills == 1);
    EXPECT_EQ(death["unknown"], each.unknown) << "other killers than the kernel are not counted";
    EXPECT_EQ(death["usedBytes"], nullptr);
    EXPECT_EQ(death["lastSampleAgeMs"], nullptr);
    EXPECT_EQ(death["processes"], Json::array());
    EXPECT_EQ(death["sites"][0]["liveAtPeakBytes"], kDeadlyBytes);
    EXPECT_THAT(death["headline"].get<std::string>(), HasSubstr(": its use of memory is not known"));
  }
}

TEST(WorkerDeaths, AWorkerThatCrashedSaysSoItself) {
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
    std::vector<std::string> told = TakePostMortems(store, kBegin, true);
    ASSERT_EQ(told.size(), 1u);
    EXPECT_THAT(told[0], HasSubstr("Died in:"));
    EXPECT_THAT(told[0], HasSubstr("libx.so+0x9"));
    EXPECT_TRUE(TakePostMortems(store, kBegin + 9'000'000, true).empty());
  }
}

// /dev/shm has 64 MB in a container by default.
TEST(WorkerDeaths, WhoDiesOfSigbusMayHaveFilledTheMemoryForFiles) {
  ProfileStore store;
  FillWorkerScene(store);
  ProfileBuilder task = EndedTask();
  AddIncident(task, 9'790, SIGBUS);
  ASSERT_TRUE(store.Ingest(task.Bytes()).ok());
  FailTask40(store, "Python worker exited unexpectedly (crashed)");
  const Json death = TheDeath(store);
  EXPECT_EQ(death["outOfMemory"], false);
  EXPECT_EQ(death["unknown"], true);
  EXPECT_THAT(death["headline"].get<std::string>(), HasSubstr("crashed, perhaps because /dev/shm was full: SIGBUS in libx.so+0x9"));
  EXPECT_THAT(death["how"].get<std::string>(), HasSubstr("a page of a mapped file had no room, as in a full /dev/shm"));
}

TEST(WorkerDeaths, ACrashThatItsTaskSurvivedIsNone) {
  for (TaskOutcome outcome : {TaskOutcome::kSucceeded, TaskOutcome::kKilled}) {
    ProfileStore store;
    FillWorkerScene(store);
    ProfileBuilder task = EndedTask();
    AddIncident(task, 9'790, 6);
    ASSERT_TRUE(store.Ingest(task.Bytes()).ok());
    store.TaskEnded({40, 5, 0, 0, 0, "1", outcome, "", kBegin + 9'900});
    EXPECT_EQ(Deaths(store), Json::array());
    EXPECT_TRUE(TakePostMortems(store, kBegin, true).empty());
  }
}

// Code that doesn't look whether it got memory crashes by it, but crashes have other causes, too.
TEST(WorkerDeaths, AnAbortRightAfterARefusalIsMemory) {
  struct Case {
    int signal;
    int64_t refused_ms;
    bool out_of_memory, unknown;
  };
  for (const Case& each : {Case{6, 9'700, true, false}, Case{6, 5'000, false, false}, Case{11, 9'700, false, true},
                           Case{7, 9'700, false, true}, Case{11, 5'000, false, false}, Case{8, 9'700, false, false}}) {
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
    EXPECT_EQ(TheDeath(store)["unknown"], each.unknown) << TheDeath(store)["how"];
    EXPECT_EQ(TheDeath(store)["headline"].get<std::string>().find("crashed right after memory was refused to it: SIG") != std::string::npos,
              each.unknown);
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

TEST(WorkerDeaths, ATaskThatFailedOfRefusedMemory) {
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
    ASSERT_EQ(TakePostMortems(store, kBegin, true).size(), 1u);
    EXPECT_TRUE(TakePostMortems(store, kBegin, true).empty());
  }
}

// On a standalone cluster nothing is reserved for it, but Spark bounds the workers of that profile's stages by it.
TEST(WorkerDeaths, WhatAResourceProfileAsksForBoundsItsWorkers) {
  ProfileStore store;
  store.Configuration({{"spark.executor.pyspark.memory", "500m"}});
  RefuseTask40(store, 200 * kMi);
  store.ExecutorAdded({"1", "node7", 2, 512, -1, -1, 2000, kBegin + 100, {2, ReportResourceProfile::kPysparkMemory, 0}});
  FailTask40(store, kNumpysError);
  const Json advice = TheDeath(store)["advice"];
  ASSERT_EQ(advice.size(), 1u) << advice;
  EXPECT_EQ(advice[0]["conf"], nullptr);
  EXPECT_THAT(advice[0]["because"].get<std::string>(), HasSubstr("ask for pysparkMemory(\"2640m\") instead of 2000m in ResourceProfile 2"));
}

TEST(WorkerDeaths, ARefusalThatATaskLivedWithIsNone) {
  for (const char* error : {"", "ValueError: something else", "torch.cuda.OutOfMemoryError: CUDA out of memory"}) {
    ProfileStore store;
    RefuseTask40(store, 200 * kMi);
    store.TaskEnded({40, 5, 0, 0, 0, "1", *error == 0 ? TaskOutcome::kSucceeded : TaskOutcome::kFailed, error, kBegin + 9'900});
    EXPECT_EQ(Deaths(store), Json::array()) << error;
    EXPECT_TRUE(TakePostMortems(store, kBegin, true).empty());
  }
}

// spark.conf.set while the application runs.
TEST(WorkerDeaths, AdviceStartsFromTheSettingThatTheStageRanWith) {
  constexpr const char* kBatch = "spark.sql.execution.arrow.maxRecordsPerBatch";
  for (const int set_for : {5, 6}) {
    ProfileStore store;
    FillWorkerScene(store);
    store.StageSetting(set_for, kBatch, "1000");
    store.StageSetting(5, "spark.app.name", "nobody needs it");
    ProfileBuilder task = EndedTask();
    const uint32_t udf = task.Udf("enrich", "/jobs/job.py", 12, "SQL_MAP_PANDAS_ITER_UDF");
    proto::Site& site =
        task.Site(proto::ORIGIN_PYTHON, {Framework("arrow_to_pandas", "/x/pyspark/sql/pandas/serializers.py", 9)}, 600 * kMi, 1);
    site.set_udf(udf);
    site.set_live_bytes(600 * kMi);
    site.set_live_at_peak_bytes(600 * kMi);
    static_cast<void>(store.Ingest(task.Bytes()));
    static_cast<void>(store.Ingest(WorkerDeath(1)));
    FailTask40(store, "Python worker exited unexpectedly (crashed)");
    const Json advice = TheDeath(store)["advice"];
    const auto batch = std::find_if(advice.begin(), advice.end(), [&](const Json& each) { return each["conf"] == kBatch; });
    ASSERT_NE(batch, advice.end()) << advice;
    EXPECT_EQ((*batch)["from"], set_for == 5 ? "1000" : "10000");
  }
}

}  // namespace
}  // namespace memprof
