#include "postmortem/heap_errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>

#include "postmortem/post_mortems.h"
#include "proto/envelope.h"
#include "report/death_keys.h"
#include "report/json.h"
#include "report/many_deaths.h"
#include "report/postmortem/heap_scene.h"
#include "report/postmortem/worker_scene.h"
#include "report/told.h"
#include "report/views/views.h"

namespace memprof {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace testing;

TEST(HeapErrors, TheLastWordOfAnExecutorSaysWhoAskedAndWhatTheHeapWasFullOf) {
  struct Case {
    const char* reason;
    bool ends_jvm;
  };
  for (const Case& each : {Case{"Command exited with code 52", false}, Case{"Command exited with code 3", true},
                           Case{"Command exited with code 143", false}, Case{"Command exited with code 134", false},
                           Case{"Command exited with code 50", false}, Case{"Remote RPC client disassociated.", false}}) {
    ProfileStore store;
    FillScene(store, each.reason, kContainer / 3);
    Tell(store, HeapError(each.ends_jvm));
    const Json death = TheDeath(store);
    EXPECT_EQ(death["outOfMemory"], true) << each.reason;
    EXPECT_EQ(death["survived"], false);
    EXPECT_THAT(death["headline"].get<std::string>(),
                HasSubstr("Executor 1 ran out of heap: task 40 (stage 5) asked for more in Book.add Book.java:41, for SortExec, with "
                          "476.8 MiB of 512.0 MiB in use"));
    EXPECT_THAT(death["how"].get<std::string>(), HasSubstr("last word was an OutOfMemoryError"));
    EXPECT_EQ(death["stack"].size(), 3u);
    EXPECT_EQ(death["taskAttemptId"], 40);
    EXPECT_EQ(death["stageId"], 5);
    EXPECT_EQ(death["heap"]["classes"][0]["name"], "long[]");
    EXPECT_EQ(death["heap"]["classes"][0]["bytes"], kBooks);
    EXPECT_EQ(death["heap"]["totalBytes"], kBooks + 99'000'001);
    EXPECT_EQ(death["heap"]["regions"][1]["bytes"], 11 * kMi);
    EXPECT_EQ(death["retained"]["sites"][0]["retainedBytes"], 77'000'003);
    EXPECT_GE(death["advice"].size(), 1u);
    const std::string told = TakePostMortems(store, kBegin, true).at(0);
    EXPECT_THAT(told, HasSubstr("The heap by class, 476.8 MiB in all: 382.4 MiB long[] (1,234)"));
    EXPECT_THAT(told, HasSubstr("Book.add"));
    EXPECT_LE(std::count(told.begin(), told.end(), '\n'), 30);
  }
}

// The scene's last sample is 100 ms older than kErrorMs.
struct SelfKill {
  const char* name;
  bool told = true;  // to kill itself
  int64_t first_error_ms = kErrorMs, last_error_ms = kErrorMs;
  int64_t success_ms = kErrorMs - 7'000;  // of another task of the executor
  bool expected = true;
};

// HotSpot kills at the first error. A thread that meets another one meanwhile tells of it.
TEST(HeapErrors, AJvmThatKillsItselfDidNotLiveOn) {
  const SelfKill cases[] = {
      {.name = "at once"},
      {.name = "two threads at once", .first_error_ms = kErrorMs - 4'000},
      {.name = "killed from outside", .told = false, .expected = false},
      {.name = "it survived one before", .first_error_ms = kErrorMs - 5'050, .expected = false},
      {.name = "it ended a task later",
       .first_error_ms = kErrorMs - 5'050,
       .last_error_ms = kErrorMs - 5'050,
       .success_ms = kErrorMs,
       .expected = false},
      {.name = "it was measured later", .first_error_ms = kErrorMs - 5'150, .last_error_ms = kErrorMs - 5'150, .expected = false},
  };
  for (const SelfKill& each : cases) {
    ProfileStore store;
    FillScene(store, "Command exited with code 137", kContainer / 3);
    store.TaskEnded({39, 5, 0, 3, 0, "1", TaskOutcome::kSucceeded, "", each.success_ms});
    proto::Envelope snapshot = LastSnapshot(kContainer / 3);
    snapshot.mutable_executor()->set_kills_itself_on_out_of_memory(each.told);
    Tell(store, snapshot);
    Tell(store, HeapError(false, each.first_error_ms));
    Tell(store, HeapError(false, each.last_error_ms));
    const Json deaths = Deaths(store);
    const auto death = std::find_if(deaths.begin(), deaths.end(), [](const Json& row) { return row["survived"] == false; });
    ASSERT_NE(death, deaths.end()) << each.name;
    EXPECT_EQ((*death)["exitCode"], 137) << each.name;
    EXPECT_EQ((*death)["outOfMemory"], each.expected) << each.name;
    if (!each.expected) continue;
    EXPECT_EQ(deaths.size(), 1u) << each.name << deaths;
    EXPECT_THAT((*death)["headline"].get<std::string>(), HasSubstr("Executor 1 ran out of heap: task 40 (stage 5) asked for more in"));
    EXPECT_THAT((*death)["how"].get<std::string>(),
                EndsWith("last word was an OutOfMemoryError: Java heap space; it is told to kill itself so then (OnOutOfMemoryError)"));
  }
}

TEST(HeapErrors, OneThatTasksHaveOutlivedDidNotEndIt) {
  for (const bool outlived : {true, false}) {
    ProfileStore store;
    FillScene(store, "Command exited with code 143", kContainer / 3);
    Tell(store, HeapError(false, kErrorMs - 20'000));
    store.TaskEnded({39, 5, 0, 3, 0, "1", TaskOutcome::kSucceeded, "", kErrorMs - (outlived ? 0 : 12'000)});
    EXPECT_EQ(Deaths(store).dump().find("ran out of heap: ") == std::string::npos, outlived);
  }
}

TEST(HeapErrors, AnArrayLongerThanAJvmAllowsIsNoFullHeap) {
  for (const bool died : {true, false}) {
    ProfileStore store;
    died ? FillScene(store, "Command exited with code 52", kContainer / 3) : FillLivingScene(store);
    proto::Envelope envelope = HeapError(false);
    envelope.mutable_heap_shortage()->set_error("Requested array size exceeds VM limit");
    Tell(store, envelope);
    if (!died) store.TaskEnded({40, 5, 0, 0, 0, "1", TaskOutcome::kFailed, "java.lang.RuntimeException", kErrorMs + 100});
    const Json death = TheDeath(store);
    const std::string headline = death["headline"];
    EXPECT_THAT(headline, HasSubstr(died ? "died of an OutOfMemoryError, for an array longer than a JVM allows: task 40 (stage 5)"
                                         : "was asked for an array longer than a JVM allows and lived on"));
    EXPECT_THAT(headline, HasSubstr("in Book.add Book.java:41"));
    ASSERT_EQ(death["advice"].size(), 1u) << death["advice"];
    EXPECT_EQ(death["advice"][0]["conf"], nullptr);
    EXPECT_THAT(death["advice"][0]["because"].get<std::string>(), HasSubstr("no larger heap changes that"));
  }
}

TEST(HeapErrors, OneLongAgoOrBesideAKillExplainsNoDeath) {
  struct Case {
    const char* reason;
    int64_t error_ms;
  };
  for (const Case& each : {Case{"Command exited with code 137", kErrorMs}, Case{"Command exited with code 1", kErrorMs},
                           Case{"Command exited with code 3", kBegin - 60'000}}) {
    ProfileStore store;
    FillScene(store, each.reason, kContainer / 3);
    store.ApplicationStarted("app-1", "scene", "4.0.0", "3.11.7", "spark://m:7077", kBegin - 90'000);
    Tell(store, HeapError(false, each.error_ms, -1));
    const Json deaths = Deaths(store);
    ASSERT_EQ(deaths.size(), 2u) << "the error is told by itself";
    const Json death = deaths[deaths[0]["survived"] == true ? 1 : 0];
    EXPECT_EQ(death["heap"], nullptr) << each.reason;
    EXPECT_EQ(death["outOfMemory"], false);
    EXPECT_EQ(death["unknown"], death["exitCode"] == 1) << "the system may have refused it memory";
    EXPECT_EQ(death["headline"].get<std::string>().find("not of memory") == std::string::npos, death["exitCode"] == 1);
  }
}

TEST(HeapErrors, AnErrorThatWasSurvivedIsToldWhenItsTaskHasEnded) {
  struct Case {
    TaskOutcome outcome;
    const char* end;
  };
  for (const Case& each : {Case{TaskOutcome::kFailed, "; the task failed"}, Case{TaskOutcome::kSucceeded, "; the task went on"}}) {
    ProfileStore store;
    FillLivingScene(store);
    Tell(store, HeapError(false));
    EXPECT_EQ(Deaths(store).size(), 0u) << "it may be the prelude of a death";
    EXPECT_TRUE(TakePostMortems(store, kBegin, true).empty());
    const bool failed = each.outcome == TaskOutcome::kFailed;
    store.TaskEnded({40, 5, 0, 0, 0, "1", each.outcome, failed ? "IllegalStateException: closed" : "", kBegin + 9'900});
    const Json entry = TheDeath(store);
    EXPECT_EQ(entry["process"], "jvm");
    EXPECT_EQ(entry["survived"], true);
    EXPECT_EQ(entry["exitCode"], nullptr);
    EXPECT_EQ(entry["pid"], 4100);
    EXPECT_THAT(entry["headline"].get<std::string>(), HasSubstr("lived on, which is no death: task 40 (stage 5) asked"));
    EXPECT_THAT(entry["headline"].get<std::string>(), EndsWith(each.end));
    EXPECT_EQ(entry["reason"].is_null(), !failed);
    EXPECT_EQ(entry["heap"]["errors"], 2);
    ASSERT_EQ(TakePostMortems(store, kBegin, true).size(), 1u);
    EXPECT_TRUE(TakePostMortems(store, kBegin, true).empty()) << "once";
  }
}

TEST(HeapErrors, AnExecutorThatTakesItsTimeToEndDidNotSurvive) {
  for (const bool removed : {true, false}) {
    ProfileStore store;
    FillLivingScene(store);
    Tell(store, HeapError(false));
    store.TaskEnded({40, 5, 0, 0, 0, "1", TaskOutcome::kFailed, "java.lang.OutOfMemoryError: Java heap space", kErrorMs + 900});
    EXPECT_EQ(Deaths(store).size(), 0u);
    EXPECT_TRUE(TakePostMortems(store, kErrorMs + 30'000, true).empty());
    if (removed) store.ExecutorRemoved("1", "Command exited with code 52", kErrorMs + 55'000);
    store.ApplicationEnded(kErrorMs + 57'000);
    const Json entry = TheDeath(store);
    EXPECT_EQ(entry["survived"], !removed);
    EXPECT_THAT(entry["headline"].get<std::string>(), HasSubstr("Executor 1 ran out of heap: task 40 (stage 5) asked"));
    const char* how = removed ? "last word was an OutOfMemoryError" : "the application had ended before the executor did";
    EXPECT_THAT(entry["how"].get<std::string>(), HasSubstr(how));
    EXPECT_EQ(TakePostMortems(store, kErrorMs + 58'000, true).size(), 1u);
  }
}

TEST(HeapErrors, AFatalOneIsToldByOneEntryWhateverBecameOfItsExecutor) {
  struct Case {
    const char* error;
    const char* reason;
    int64_t removed_ms;
    bool survived, other_work;
    const char* headline;
  };
  constexpr int64_t kEnded = kErrorMs + 200'000;
  for (const Case& each :
       {Case{"org.apache.spark.SparkException: Task failed while writing rows.\n\tat a.b\nCaused by: java.lang.OutOfMemoryError: Java heap "
             "space",
             "Command exited with code 52", kErrorMs + 40'000, false, false, "ran out of heap: task 40"},
        Case{"java.lang.OutOfMemoryError: x", "Command exited with code 52", kErrorMs + 140'000, false, false, "ran out of heap: task 40"},
        Case{"java.lang.OutOfMemoryError: x", "Command exited with code 137", kErrorMs + 90'000, false, false, "why is not known"},
        Case{"java.lang.OutOfMemoryError: x", "Command exited with code 52", kEnded + 10, true, false, "ran out of heap: task 40"},
        Case{"java.lang.OutOfMemoryError: x", "", 0, true, true, "lived on, which is no death"},
        Case{"RuntimeException: java.lang.OutOfMemoryError", "", 0, true, false, "lived on, which is no death"}}) {
    ProfileStore store;
    FillLivingScene(store);
    Tell(store, HeapError(false));
    store.TaskEnded({40, 5, 0, 0, 0, "1", TaskOutcome::kFailed, each.error, kErrorMs + 900});
    if (each.other_work) store.TaskEnded({41, 5, 0, 1, 0, "1", TaskOutcome::kSucceeded, "", kErrorMs + 60'001});
    const bool known = each.removed_ms == 0 && (each.other_work || std::string(each.error).starts_with("Runtime"));
    EXPECT_EQ(Deaths(store).size(), known ? 1u : 0u) << each.error;
    if (each.removed_ms != 0 && each.removed_ms < kEnded) store.ExecutorRemoved("1", each.reason, each.removed_ms);
    store.ApplicationEnded(kEnded);
    if (each.removed_ms > kEnded) store.ExecutorRemoved("1", each.reason, each.removed_ms);
    const Json entry = TheDeath(store);
    EXPECT_EQ(entry["survived"], each.survived) << each.error << each.reason;
    EXPECT_THAT(entry["headline"].get<std::string>(), HasSubstr(each.headline));
  }
}

TEST(HeapErrors, OfTheDriversTheOneThatEndedItIsTold) {
  ProfileStore store;
  store.ApplicationStarted("app-1", "scene", "4.0.0", "3.11.7", "spark://m:7077", kBegin - 100'000);
  store.ExecutorAdded({"driver", "node7", 2, 512, -1, -1, -1, kBegin - 99'000});
  for (const int64_t before_ms : {40'000, 39'000, 25'000, 10'100, 9'900, 3'000}) {  // the first were caught
    proto::Envelope error = HeapError(false, kErrorMs - before_ms, -1);
    error.set_executor_id("driver");
    Tell(store, error);
  }
  store.ApplicationEnded(kErrorMs);
  const Json deaths = Json::parse(store.ReportJson(false))["postMortems"];
  ASSERT_EQ(deaths.size(), 3u) << "errors near one another are of one shortage";
  const auto ended = [](const Json& death) { return death["headline"].dump().find("application ended 10.1 s later") != std::string::npos; };
  EXPECT_EQ(std::count_if(deaths.begin(), deaths.end(), ended), 1) << deaths;
}

// Each ends 3 s after the error.
TEST(HeapErrors, AProgramThatWentOnHasNotEndedOfIt) {
  struct Case {
    const char* name;
    int64_t job_began_ms;
    const char* job_failure;
    int64_t jvm_ending_ms;  // 0: not before the SparkContext was stopped
    bool lived_on;
  };
  for (const Case& each : {
           Case{"another action succeeded", kErrorMs + 100, "", 0, true},
           Case{"its JVM ended after that", kErrorMs + 100, "", kErrorMs + 3'500, true},
           Case{"an action beside it succeeded", kErrorMs - 100, "", 0, false},
           Case{"another one failed, too", kErrorMs + 100, "OutOfMemoryError", 0, false},
           Case{"the program ended, and with it its JVM", kErrorMs + 100, "", kErrorMs + 2'900, false},
       }) {
    ProfileStore store;
    store.ApplicationStarted("app-1", "scene", "4.0.0", "3.11.7", "spark://m:7077", kBegin - 100'000);
    store.ExecutorAdded({"driver", "node7", 2, 512, -1, -1, -1, kBegin - 99'000});
    proto::Envelope error = HeapError(false, kErrorMs, -1);
    error.set_executor_id("driver");
    Tell(store, error);
    JobStart job;
    job.job_id = 3;
    job.stages = {3};
    job.call_site = "count at job.py:7";
    job.time_ms = each.job_began_ms;
    store.JobStarted(job);
    store.JobEnded(3, each.job_failure, kErrorMs + 400);
    if (each.jvm_ending_ms != 0) store.ApplicationEnding(each.jvm_ending_ms);
    store.ApplicationEnded(kErrorMs + 3'000);
    const std::string headline = TheDeath(store)["headline"].get<std::string>();
    EXPECT_THAT(headline, HasSubstr(each.lived_on ? "and lived on, which is no death" : "and the application ended 3.0 s later"))
        << each.name;
  }
}

TEST(HeapErrors, TheDriversIsToldWithTheActionThatItWasFor) {
  struct Case {
    int64_t ended_ms;  // of the job of the action; 0: it runs
    bool is_its;
  };
  for (const Case& each : {Case{0, true}, Case{kErrorMs + 10, true}, Case{kErrorMs - 30'000, true}, Case{kErrorMs - 61'000, false}}) {
    ProfileStore store;
    store.ApplicationStarted("app-1", "scene", "4.0.0", "3.11.7", "spark://m:7077", kBegin - 100'000);
    store.ExecutorAdded({"driver", "node7", 2, 512, -1, -1, -1, kBegin - 99'000});
    const auto start = [&](int32_t job, const char* call_site, int64_t time_ms) {
      JobStart started;
      started.job_id = job;
      started.stages = {job};
      started.call_site = call_site;
      started.query_id = job;
      started.time_ms = time_ms;
      store.JobStarted(started);
    };
    start(3, "count at job.py:7", kBegin - 98'000);
    store.JobEnded(3, "", kBegin - 97'000);
    start(4, "collect at job.py:22", kBegin - 90'000);
    store.StageSubmitted(4, 0, "collect", "", 1, kBegin - 90'000);
    store.TaskEnded({77, 4, 0, 0, 0, "1", TaskOutcome::kSucceeded, "", kBegin - 80'000});
    store.TaskResult(4, 77, 47'000'003);
    store.QueryRows(4, 200'000);
    if (each.ended_ms != 0) store.JobEnded(4, "", each.ended_ms);
    start(5, "show at job.py:40", kErrorMs + 1);
    proto::Envelope error = HeapError(false, kErrorMs, -1);
    error.set_executor_id("driver");
    Tell(store, error);
    const Json death = TheDeath(store);
    const std::string headline = death["headline"].get<std::string>();
    if (!each.is_its) {
      EXPECT_EQ(death["action"], nullptr);
      EXPECT_THAT(headline, HasSubstr("The driver ran out of heap and lived on, which is no death: thread"));
      continue;
    }
    EXPECT_EQ(death["action"], "collect at job.py:22");
    EXPECT_EQ(death["jobId"], 4);
    EXPECT_THAT(death["how"].get<std::string>(), HasSubstr("; results by stage: stage 4 44.8 MiB of 1 task"));
    EXPECT_THAT(
        headline,
        HasSubstr("no death: collect at job.py:22 had brought 44.8 MiB in 1 task (200,000 rows of 235 B each, serialised); thread"));
    EXPECT_THAT(death["advice"][0]["because"].get<std::string>(),
                HasSubstr("what is collected at job.py:22 comes to 44.8 MiB, serialised, and to more as objects: write it to files"));
    EXPECT_EQ(death["advice"][1]["conf"], "spark.driver.memory");
    EXPECT_EQ(TakePostMortems(store, kErrorMs, true).size(), 1u);
    EXPECT_TRUE(TakePostMortems(store, kErrorMs + 600'000, true).empty()) << "it is no other death than that of the job";
    store.ApplicationEnded(kErrorMs + 1'300);
    EXPECT_THAT(TheDeath(store)["headline"].get<std::string>(),
                HasSubstr("The driver ran out of heap, and the application ended 1.3 s later: collect at job.py:22 had brought"));
    EXPECT_THAT(TheDeath(store)["how"].get<std::string>(), HasSubstr("; the application ended 1.3 s later"));
    store.ApplicationEnded(kErrorMs + 30'001);
    EXPECT_THAT(TheDeath(store)["headline"].get<std::string>(), HasSubstr("and lived on, which is no death"));
  }
}

// Threads that need little find no room either, before or after the one that filled the heap: the JVM's own, and others.
TEST(HeapErrors, TheThreadIsToldThatTellsBestWhatFilledTheHeap) {
  for (const char* id : {"1", "driver"}) {
    for (const bool of_jvm : {true, false}) {
      for (const int64_t after_ms : {-1'700, 1'700}) {
        proto::Envelope beside = HeapError(false, kErrorMs - 20'000 + after_ms, -1), full = HeapError(false, kErrorMs - 20'000, -1);
        beside.set_executor_id(id);
        full.set_executor_id(id);
        proto::HeapShortage& error = *beside.mutable_heap_shortage();
        error.set_thread("cleaner");
        error.set_of_jvm(of_jvm);
        if (!of_jvm) error.set_total_bytes(kHeap / 3);
        ProfileStore store;
        store.ApplicationStarted("app-1", "scene", "4.0.0", "3.11.7", "spark://m:7077", kBegin - 100'000);
        store.ExecutorAdded({id, "node7", 2, 512, -1, -1, -1, kBegin - 99'000});
        Tell(store, beside);
        EXPECT_THAT(TheDeath(store)["headline"].get<std::string>(), HasSubstr("thread cleaner asked")) << "better than nothing";
        Tell(store, full);
        EXPECT_THAT(TheDeath(store)["headline"].get<std::string>(), HasSubstr("thread pool-# asked")) << id << after_ms;
        if (std::string_view(id) == "driver") continue;
        store.ExecutorRemoved("1", "Command exited with code 52", kBegin + 10'000);
        EXPECT_THAT(TheDeath(store)["headline"].get<std::string>(), HasSubstr("Executor 1 ran out of heap: thread pool-# asked"))
            << after_ms;
      }
    }
  }
}

// Its agent and its store are in one process: it tells of its own end.
TEST(HeapErrors, ADriverThatEndsItselfIsToldWithItsAction) {
  struct Case {
    bool of_task;
    uint64_t result_bytes;  // of each task
  };
  for (const auto& [of_task, result_bytes] : {Case{false, 40'000'003}, Case{false, 1'003}, Case{true, 1'003}}) {
    ProfileStore store;
    FillLivingScene(store);
    JobStart job;
    job.job_id = 4;
    job.stages = {4};
    job.call_site = "collect at job.py:22";
    job.time_ms = kBegin;
    store.JobStarted(job);
    store.StageSubmitted(4, 0, "collect", "", 3, kBegin);
    for (int partition : {0, 1}) {
      store.TaskEnded({77 + partition, 4, 0, partition, 0, "1", TaskOutcome::kSucceeded, "", kBegin + 1});
      store.TaskResult(4, 77 + partition, result_bytes + partition);
    }
    Tell(store, LastSnapshot(kContainer / 3, "driver"));  // with a heap of 512 MiB
    proto::Envelope error = HeapError(true, kErrorMs, of_task ? 40 : -1);
    error.set_executor_id("driver");
    Tell(store, error);
    store.ApplicationEnded(kErrorMs);  // other threads run out, too, and stop the SparkContext
    store.ExecutorRemoved("driver", "its JVM ended itself, exit code 3", kErrorMs + 1);
    const Json death = TheDeath(store);
    const std::string headline = death["headline"].get<std::string>();
    EXPECT_THAT(headline, EndsWith(", exit code 3"));
    EXPECT_EQ(death["reason"], nullptr) << "Spark has said nothing";
    if (of_task) {
      EXPECT_EQ(death["action"], nullptr) << "in local mode a task fills the heap for itself";
      EXPECT_THAT(headline, HasSubstr("The driver ran out of heap: task 40 (stage 5) asked for more"));
      continue;
    }
    const std::string how = death["how"];
    if (result_bytes == 1'003) {
      EXPECT_EQ(death["action"], nullptr) << "2.9 KiB don't fill 512 MiB";
      EXPECT_THAT(headline, HasSubstr("The driver ran out of heap: thread "));
      EXPECT_THAT(how, EndsWith("; collect at job.py:22 ran then, but 2.9 KiB of results don't fill a heap"));
      EXPECT_EQ(death["advice"][0]["conf"], "spark.driver.memory");
      continue;
    }
    EXPECT_THAT(headline, HasSubstr("The driver ran out of heap: collect at job.py:22 had brought 76.3 MiB in 2 of 3 tasks; thread "));
    EXPECT_THAT(how, EndsWith("; results by stage: stage 4 76.3 MiB of 2 tasks (38.1 MiB the largest)"));
    EXPECT_EQ(death["action"], "collect at job.py:22");
    EXPECT_THAT(death["advice"][0]["because"].get<std::string>(), HasSubstr("comes to 3 tasks × 38.1 MiB each so far = 114.4 MiB"));
    EXPECT_EQ(death["advice"][1]["conf"], "spark.driver.memory");
  }
}

TEST(HeapErrors, OneOfATaskIsToldOnceAndOneOfNoTaskByItsThread) {
  ProfileStore store;
  FillLivingScene(store);
  for (int64_t later = 0; later < 3; ++later) Tell(store, HeapError(false, kErrorMs + later));
  Tell(store, HeapError(false, kErrorMs + 7, -1));
  Tell(store, HeapError(false, kErrorMs + 61'000, -1));
  store.TaskEnded({40, 5, 0, 0, 0, "1", TaskOutcome::kFailed, "IllegalStateException: closed", kBegin + 9'900});
  const Json entries = Deaths(store);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0]["timeMs"], kErrorMs);
  EXPECT_EQ(entries[1]["taskAttemptId"], nullptr);
  EXPECT_EQ(entries[1]["timeMs"], kErrorMs + 61'000) << "the other ran out beside the task";
  EXPECT_THAT(
      entries[1]["headline"].get<std::string>(),
      HasSubstr("thread pool-# asked for more in Book.add Book.java:41, for SortExec, with 476.8 MiB of 512.0 MiB in use; 73.4 MiB of it "
                "made by UnsafeRow.copy UnsafeRow.java:480, stage 2"));
  EXPECT_NE(DeathKey(ReadReportJson(store.ReportJson(false))->post_mortems[0]),
            DeathKey(ReadReportJson(store.ReportJson(false))->post_mortems[1]));
}

// Spark's block manager forgets the blocks of an executor that is gone, or the one that lived on has them still.
TEST(HeapErrors, WhatWasCachedInTheHeapIsAdvisedAgainst) {
  for (const bool died : {true, false}) {
    ProfileStore store;
    store.CachedRdd(7, "In-memory table orders", "cache at job.py:7", {true, true, false, true, 1}, 2);
    store.BlockUpdated({false, 7, 0}, "1", 200 * kMi, 0);
    store.BlockUpdated({false, 7, 1}, "2", 999 * kMi, 0);  // elsewhere
    if (died) {
      FillScene(store, "Command exited with code 52", kContainer / 3);
    } else {
      FillLivingScene(store);
    }
    Tell(store, HeapError(false));
    if (!died) store.TaskEnded({40, 5, 0, 0, 0, "1", TaskOutcome::kFailed, "IllegalStateException: closed", kBegin + 9'900});
    EXPECT_THAT(TheDeath(store)["advice"].dump(), HasSubstr("cached data `orders` held 200.0 MiB of the heap of 512.0 MiB"));
  }
}

TEST(HeapErrors, TheFullerAccountStaysWhateverComesFirst) {
  proto::Envelope brief = HeapError(true);
  brief.mutable_heap_shortage()->clear_classes();
  brief.mutable_heap_shortage()->clear_retained();
  for (bool brief_first : {true, false}) {
    ProfileStore store;
    FillScene(store, "Command exited with code 3", kContainer / 3);
    Tell(store, brief_first ? brief : HeapError(true));
    Tell(store, brief_first ? HeapError(true) : brief);
    EXPECT_EQ(TheDeath(store)["heap"]["classes"].size(), 1u);
  }
  ProfileStore store;
  FillScene(store, "Command exited with code 3", kContainer / 3);
  Tell(store, brief);
  EXPECT_EQ(TheDeath(store)["heap"]["totalBytes"], nullptr) << "the heap was not looked at";
  EXPECT_EQ(TheDeath(store)["outOfMemory"], true);
}

TEST(HeapErrors, ATaskOutOfTheOrdinaryIsToldByWhatItAllocated) {
  for (uint64_t times : {20, 2}) {
    ProfileStore store;
    FillScene(store, "Command exited with code 52", kContainer / 3);
    for (int peer = 0; peer < 4; ++peer) {
      ProfileBuilder done(50 + peer, 5, 2 + peer, "1");
      proto::Site& site = done.Site(proto::ORIGIN_JVM_HEAP, {Java("org.example.Rows", "read", "Rows.java", 9)}, 30'000'001 / times, 3);
      site.set_sampled(true);
      static_cast<void>(store.Ingest(done.Bytes()));
      store.TaskEnded({50 + peer, 5, 0, 2 + peer, 0, "1", TaskOutcome::kSucceeded, "", kBegin + 5'000});
    }
    Tell(store, HeapError(false));
    const std::string advice = TheDeath(store)["advice"].dump();
    const char* divide = "task 40 allocated 28.6 MiB, 20× the median of 1.4 MiB of 4 finished tasks";
    if (times == 20) {
      EXPECT_THAT(advice, HasSubstr(divide));
    } else {
      EXPECT_THAT(advice, Not(HasSubstr("the median")));
    }
  }
}

TEST(HeapErrors, HostileMessagesAreRefused) {
  ProfileStore store;
  const std::function<void(proto::HeapShortage&)> spoil[] = {
      [](proto::HeapShortage& error) { error.set_stack(99); },
      [](proto::HeapShortage& error) { error.set_total_bytes(UINT64_MAX); },
      [](proto::HeapShortage& error) { error.mutable_classes(0)->set_bytes(UINT64_MAX); },
      [](proto::HeapShortage& error) { error.mutable_classes(0)->set_name(std::string(1000, 'x')); },
      [](proto::HeapShortage& error) { error.mutable_regions(0)->set_bytes(UINT64_MAX); },
      [](proto::HeapShortage& error) { error.mutable_names()->mutable_stacks(0)->set_parent(7); },
      [](proto::HeapShortage& error) { error.mutable_retained()->mutable_sites(0)->set_stack(999); },
      [](proto::HeapShortage& error) { error.set_error(std::string(1000, 'x')); },
      [](proto::HeapShortage& error) {
        for (int i = 0; i < 300; ++i) error.add_classes();
      },
  };
  for (const auto& each : spoil) {
    proto::Envelope envelope = HeapError(false);
    each(*envelope.mutable_heap_shortage());
    EXPECT_FALSE(store.Ingest(envelope.SerializeAsString()).ok());
  }
  EXPECT_TRUE(store.Ingest(HeapError(false).SerializeAsString()).ok());
}

TEST(HeapErrors, TheReportReadsWhatItWrote) {
  ProfileStore store;
  FillScene(store, "Command exited with code 52", kContainer / 3);
  Tell(store, HeapError(false));
  const Report report = store.Model(false);
  const Result<Report> read = ReadReportJson(WriteReportJson(report));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(WriteReportJson(*read), WriteReportJson(report));
  EXPECT_EQ(read->post_mortems[0].heap->classes[0].objects, 1'234u);
}

TEST(HeapErrors, AHeapThatStaysNearlyFullIsItsExecutorsAndADeathsThatSaysNoMore) {
  ProfileStore store;
  FillLivingScene(store);
  proto::Envelope first = HeapError(false, kBegin + 1'000, -1), full = HeapError(false, kBegin + 2'000, -1);
  for (proto::Envelope* each : {&first, &full}) {
    each->mutable_heap_shortage()->set_nearly_full(true);
    each->mutable_heap_shortage()->clear_error();
    each->mutable_heap_shortage()->clear_stack();
  }
  full.mutable_heap_shortage()->mutable_classes(0)->set_name("java.util.HashMap$Node");
  Tell(store, full);
  Tell(store, first);
  EXPECT_EQ(Deaths(store), Json::array()) << "nothing has failed";
  Json executor = Json::parse(store.ReportJson(false))["executors"][0];
  EXPECT_EQ(executor["nearlyFullHeap"]["classes"][0]["name"], "java.util.HashMap$Node") << "the later one";
  EXPECT_EQ(executor["nearlyFullHeap"]["error"], nullptr);
  store.ExecutorRemoved("1", "Command exited with code 52", kBegin + 10'000);
  EXPECT_EQ(TheDeath(store)["heap"]["classes"][0]["name"], "java.util.HashMap$Node");
}

// A kill may come a second later, before a snapshot.
TEST(HeapErrors, WhatAHeapRetainedThatStayedNearlyFullIsItsExecutorsWithoutAWalk) {
  ProfileStore store;
  FillLivingScene(store);
  proto::Envelope look = HeapError(false, kBegin + 2'000, -1);
  look.mutable_heap_shortage()->set_nearly_full(true);
  look.mutable_heap_shortage()->clear_error();
  look.mutable_heap_shortage()->clear_classes();
  look.mutable_heap_shortage()->mutable_retained()->set_time_ms(kBegin + 1'999);
  look.mutable_heap_shortage()->mutable_retained()->set_total_bytes(7'654'321);
  Tell(store, look);
  Json executor = Json::parse(store.ReportJson(false))["executors"][0];
  EXPECT_EQ(executor["nearlyFullHeap"], nullptr);
  EXPECT_EQ(executor["retained"]["totalBytes"], 7'654'321);
  store.ExecutorRemoved("1", "Command exited with code 52", kBegin + 10'000);
  EXPECT_EQ(TheDeath(store)["retained"]["totalBytes"], 7'654'321);
}

TEST(HeapErrors, AnswersOfAnyNumberAreBounded) {
  ProfileStore store;
  FillLivingScene(store);
  for (int64_t i = 0; i < 1000; ++i) static_cast<void>(store.Ingest(HeapError(false, kErrorMs + i, -1).SerializeAsString()));
  EXPECT_LE(Deaths(store).size(), kMaxPostMortems);
}

}  // namespace
}  // namespace memprof
