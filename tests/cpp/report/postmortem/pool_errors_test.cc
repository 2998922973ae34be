// Errors of the JVM for want of space for classes or of threads, of which JVMTI tells, too. Such an error is often met by a thread that no
// task waits for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "proto/envelope.h"
#include "report/postmortem/worker_scene.h"

namespace memprof {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using namespace testing;

constexpr int64_t kErrorMs = kBegin + 9'600;  // the executor is gone at kBegin + 10'000

constexpr const char* kNoThread = "unable to create native thread: possibly out of memory or process/resource limits reached";

proto::Envelope Error(const char* words, int64_t task = -1, int64_t time_ms = kErrorMs) {
  proto::Envelope envelope = EnvelopeOf("1");
  proto::HeapShortage& error = *envelope.mutable_heap_shortage();
  error.set_time_ms(time_ms);
  error.set_error(words);
  error.set_thread("pool-#");
  error.set_task_attempt_id(task);
  error.set_stage_id(task < 0 ? -1 : 5);
  error.set_errors(2);
  error.set_jvm_pid(4100);
  return envelope;
}

TEST(PoolErrors, SpaceForClassesIsNoneOfTheHeap) {
  for (const char* words : {"Metaspace", "Compressed class space"}) {
    ProfileStore store;
    FillScene(store, "Command exited with code 52", kContainer / 3);
    Tell(store, Error(words));
    const Json death = TheDeath(store);
    EXPECT_EQ(death["outOfMemory"], true);
    EXPECT_THAT(death["headline"].get<std::string>(),
                AllOf(HasSubstr("Executor 1 died of an OutOfMemoryError: thread pool-# asked for more when the JVM's classes had filled "
                                "their bound ("),
                      HasSubstr(words)));
    EXPECT_THAT(death["how"].get<std::string>(), HasSubstr("and its JVM's OutOfMemoryError says that its classes had filled"));
    EXPECT_TRUE(death["heap"].is_null()) << death["heap"];
    for (const Json& piece : death["advice"]) EXPECT_NE(piece["conf"], "spark.executor.memory");
    EXPECT_EQ(death["advice"].size(), 1u) << death["advice"];
  }
}

TEST(PoolErrors, WantOfThreadsIsNoWantOfMemory) {
  ProfileStore store;
  FillScene(store, "Command exited with code 52", kContainer / 3);
  Tell(store, Error(kNoThread));
  const Json death = TheDeath(store);
  EXPECT_EQ(death["outOfMemory"], false);
  EXPECT_EQ(death["unknown"], false);
  EXPECT_THAT(death["how"].get<std::string>(), HasSubstr("its JVM's OutOfMemoryError says that it could make no more threads"));
}

TEST(PoolErrors, OfSeveralTheNewestCounts) {
  struct Case {
    const char *first, *second;
    int64_t task;  // that met the first
    const char* told;
  };
  for (const Case& each : {Case{kNoThread, "Metaspace", 40, "(Metaspace)"}, Case{"Java heap space", "Metaspace", -1, "(Metaspace)"},
                           Case{"Metaspace", "Java heap space", 40, "ran out of heap"}}) {
    ProfileStore store;
    FillScene(store, "Command exited with code 52", kContainer / 3);
    Tell(store, Error(each.first, each.task, kErrorMs - 5'000));
    Tell(store, Error(each.second));
    EXPECT_THAT(TheDeath(store)["headline"].get<std::string>(), HasSubstr(each.told)) << each.first;
  }
}

TEST(PoolErrors, WhoAskedIsShown) {
  ProfileStore store;
  FillScene(store, "Command exited with code 52", kContainer / 3);
  Tell(store, Error("Metaspace", 41));
  const Json death = TheDeath(store);
  EXPECT_THAT(death["headline"].get<std::string>(), HasSubstr("task 41 (stage 5) asked for more when"));
  EXPECT_EQ(death["taskAttemptId"], 41);
  EXPECT_EQ(death["stageId"], 5);
}

// HotSpot exits at the heap's errors and at Metaspace's before it tells of them, and at no thread's; and SIGTERM may come from anywhere.
TEST(PoolErrors, WithOtherCodesThanThoseOfSparksHandlerTheyProveNothing) {
  struct Case {
    const char *reason, *words;
  };
  for (const Case& each : {Case{"Command exited with code 143", kNoThread}, Case{"Command exited with code 134", kNoThread},
                           Case{"Command exited with code 3", "Metaspace"}, Case{kCode137, "Metaspace"},
                           Case{"Remote RPC client disassociated.", "Metaspace"}}) {
    ProfileStore with, without;
    for (ProfileStore* store : {&with, &without}) FillScene(*store, each.reason, kContainer / 3);
    Tell(with, Error(each.words));
    Tell(with, Error(kNoThread, 40));
    EXPECT_EQ(TheDeath(with)["headline"], TheDeath(without)["headline"]);
    EXPECT_EQ(TheDeath(with)["how"], TheDeath(without)["how"]);
  }
}

// HotSpot runs OnOutOfMemoryError of space for classes, too, before it tells of it: "kill %p" is YARN's default. It may also do without.
TEST(PoolErrors, OfSpaceForClassesAJvmMayHaveBeenToldToEnd) {
  for (const char* reason : {"Command exited with code 143", "Command exited with code 134"}) {
    for (const char* words : {"Metaspace", "Compressed class space"}) {
      ProfileStore store;
      FillScene(store, reason, kContainer / 3);
      EXPECT_EQ(TheDeath(store)["unknown"], false);
      Tell(store, Error(words));
      const Json death = TheDeath(store);
      EXPECT_EQ(death["outOfMemory"], false);
      EXPECT_EQ(death["unknown"], true);
      EXPECT_THAT(death["how"].get<std::string>(),
                  AllOf(HasSubstr("its JVM told of an OutOfMemoryError shortly before: its classes had filled their bound ("),
                        HasSubstr(words), HasSubstr("OnOutOfMemoryError")));
    }
  }
}

TEST(PoolErrors, AnOldOneProvesNothing) {
  ProfileStore store;
  FillScene(store, "Command exited with code 52", kContainer / 3);
  Tell(store, Error("Metaspace", -1, kBegin - 51'000));
  EXPECT_THAT(TheDeath(store)["how"].get<std::string>(), HasSubstr("of what error is not known"));
}

TEST(PoolErrors, OneThatWasSurvivedIsNoDeath) {
  ProfileStore store;
  store.ApplicationStarted("app-1", "scene", "4.0.0", "3.11.7", "spark://m:7077", kBegin);
  store.ExecutorAdded({"1", "node7", 2, 512, -1, -1, -1, kBegin + 100});
  Tell(store, Error("Metaspace", 40));
  store.ApplicationEnded(kBegin + 100'000);
  EXPECT_EQ(Deaths(store).size(), 0u);
}

}  // namespace
}  // namespace memprof
