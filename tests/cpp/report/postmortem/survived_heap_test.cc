// Heaps that were full while their executors lived on: what is told of them is of that moment.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/postmortem/heap_scene.h"
#include "report/postmortem/worker_scene.h"

namespace memprof {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using namespace testing;

constexpr int64_t kHour = 3'600'000;

proto::Envelope Later(const std::string& executor, int64_t time_ms, uint64_t used) {
  proto::Envelope later = LastSnapshot(used, executor);
  later.mutable_executor()->set_taken_ms(time_ms);
  later.mutable_executor()->mutable_last()->set_time_ms(time_ms);
  later.mutable_executor()->mutable_heap_after_gc()->set_time_ms(time_ms);
  later.mutable_executor()->mutable_heap_after_gc_peak()->set_bytes(500 * kMi);
  later.mutable_executor()->mutable_heap_after_gc_peak()->set_time_ms(time_ms);
  return later;
}

TEST(SurvivedHeap, ItsUseIsOfThatMoment) {
  ProfileStore store;
  FillLivingScene(store);
  Tell(store, HeapError(false));
  store.TaskEnded({40, 5, 0, 0, 0, "1", TaskOutcome::kFailed, "IllegalStateException: closed", kBegin + 9'900});
  const Json then = TheDeath(store);
  EXPECT_EQ(then["usedBytes"], kContainer / 3);
  EXPECT_EQ(then["lastSampleAgeMs"], 100);
  Tell(store, Later("1", kBegin + kHour, kContainer / 2));
  const Json hours_later = TheDeath(store);
  EXPECT_EQ(hours_later["usedBytes"], kContainer / 3);
  EXPECT_EQ(hours_later["lastSampleAgeMs"], 100);
  EXPECT_EQ(hours_later["regions"], then["regions"]);
  EXPECT_EQ(hours_later["processes"], then["processes"]);
  for (const Json& piece : hours_later["advice"])
    EXPECT_THAT(piece["because"].get<std::string>(), Not(HasSubstr("500.0 MiB in use after"))) << "that came later";
}

TEST(SurvivedHeap, WhereNoSampleOfThatTimeCameItsUseIsNotKnown) {
  ProfileStore store;
  FillLivingScene(store);
  Tell(store, HeapError(false, kErrorMs + 60'000));
  store.TaskEnded({40, 5, 0, 0, 0, "1", TaskOutcome::kFailed, "IllegalStateException: closed", kBegin + 69'900});
  Tell(store, Later("1", kBegin + kHour, kContainer / 2));
  const Json death = TheDeath(store);
  EXPECT_EQ(death["usedBytes"], nullptr);
  EXPECT_EQ(death["lastSampleAgeMs"], nullptr);
  EXPECT_EQ(death["processes"], Json::array());
}

TEST(SurvivedHeap, WhatIsCachedLaterFilledNothing) {
  for (const bool before : {true, false}) {
    ProfileStore store;
    FillLivingScene(store);
    const auto cache = [&] {
      store.CachedRdd(7, "In-memory table orders", "cache at job.py:7", {true, true, false, true, 1}, 2);
      store.BlockUpdated({false, 7, 0}, "1", 200 * kMi, 0);
    };
    if (before) cache();
    Tell(store, HeapError(false));
    store.TaskEnded({40, 5, 0, 0, 0, "1", TaskOutcome::kFailed, "IllegalStateException: closed", kBegin + 9'900});
    if (!before) cache();
    const std::string advice = TheDeath(store)["advice"].dump();
    EXPECT_EQ(advice.find("orders") != std::string::npos, before) << advice;
  }
}

// Two cores: the other task's objects fill the same heap.
TEST(SurvivedHeap, TasksThatRanBesideItShareTheHeap) {
  for (const bool beside : {true, false}) {
    ProfileStore store;
    FillLivingScene(store);
    ProfileBuilder other = RunningTask(41, kOtherBytes);
    other.profile().set_final(true);
    static_cast<void>(store.Ingest(other.Bytes()));
    Tell(store, HeapError(false));
    TaskEnd failed{40, 5, 0, 0, 0, "1", TaskOutcome::kFailed, "IllegalStateException: closed", kBegin + 9'900};
    TaskEnd ended{41, 5, 0, 1, 0, "1", TaskOutcome::kSucceeded, "", beside ? kBegin + 9'700 : kErrorMs - 1};
    failed.times.launched_ms = ended.times.launched_ms = kBegin + 1'000;
    store.TaskEnded(ended);
    store.TaskEnded(failed);
    const Json advice = TheDeath(store)["advice"];
    ASSERT_FALSE(advice.empty());
    EXPECT_EQ(advice[0]["conf"], beside ? "spark.executor.cores" : "spark.executor.memory") << advice;
    EXPECT_THAT(advice[0]["because"].get<std::string>(), HasSubstr(beside ? "2 tasks at once shared a heap" : "one task filled the heap"));
  }
}

// What runs when the report is made may have begun hours later.
TEST(SurvivedHeap, TasksThatBeganLaterHadNoPartInIt) {
  for (const bool before : {true, false}) {
    ProfileStore store;
    FillLivingScene(store);
    const auto begin = [&] { static_cast<void>(store.Ingest(RunningTask(41, kOtherBytes).Bytes())); };
    if (before) begin();
    Tell(store, HeapError(false));
    TaskEnd failed{40, 5, 0, 0, 0, "1", TaskOutcome::kFailed, "IllegalStateException: closed", kBegin + 9'900};
    failed.times.launched_ms = kBegin + 1'000;
    store.TaskEnded(failed);
    if (!before) begin();
    EXPECT_EQ(TheDeath(store)["advice"][0]["conf"], before ? "spark.executor.cores" : "spark.executor.memory");
  }
}

// An error is told twice: before the walk of the heap, and with what it has found.
TEST(SurvivedHeap, TheSecondAccountAddsWhatTheHeapHeld) {
  ProfileStore store;
  FillLivingScene(store);
  proto::Envelope first = HeapError(false);
  first.mutable_heap_shortage()->clear_classes();
  first.mutable_heap_shortage()->clear_retained();
  Tell(store, first);
  Tell(store, Later("1", kBegin + 60'000, kContainer / 2));
  Tell(store, HeapError(false));
  store.TaskEnded({40, 5, 0, 0, 0, "1", TaskOutcome::kFailed, "IllegalStateException: closed", kBegin + 9'900});
  const Json death = TheDeath(store);
  EXPECT_EQ(death["heap"]["classes"][0]["name"], "long[]");
  EXPECT_EQ(death["usedBytes"], kContainer / 3) << "as of the first";
}

// Which thread an action is of, Spark doesn't say. That of the error may have died of it, and another one gone on.
TEST(SurvivedHeap, OfAProgramOfSeveralThreadsAnotherOneMayHaveGoneOn) {
  for (const bool several : {true, false}) {
    ProfileStore store;
    store.ApplicationStarted("app-1", "scene", "4.0.0", "3.11.7", "spark://m:7077", kBegin - 100'000);
    store.ExecutorAdded({"driver", "node7", 2, 512, -1, -1, -1, kBegin - 99'000});
    const auto run = [&](int job, int64_t from_ms) {
      JobStart start;
      start.job_id = job;
      start.stages = {job};
      start.call_site = "count at job.py:7";
      start.time_ms = from_ms;
      store.JobStarted(start);
    };
    run(1, kErrorMs - 5'000);
    if (!several) store.JobEnded(1, "", kErrorMs - 4'000);
    run(2, kErrorMs - 3'000);
    if (several) store.JobEnded(1, "", kErrorMs - 2'000);
    proto::Envelope error = HeapError(false, kErrorMs, -1);
    error.set_executor_id("driver");
    Tell(store, error);
    store.JobEnded(2, "OutOfMemoryError", kErrorMs + 50);
    run(3, kErrorMs + 100);
    store.JobEnded(3, "", kErrorMs + 400);
    store.ApplicationEnded(kErrorMs + 3'000);
    const Json death = TheDeath(store);
    const std::string told = "the application ended 3.0 s later, after an action that may be of another thread had succeeded";
    EXPECT_THAT(death["headline"].get<std::string>(), HasSubstr(several ? ", and " + told : "and lived on, which is no death"));
    EXPECT_THAT(death["how"].get<std::string>(), HasSubstr(several ? told : "nobody died of it"));
  }
}

}  // namespace
}  // namespace memprof
