// Hosts whose clocks show another time than the driver's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "report/postmortem/worker_scene.h"

namespace memprof {
namespace {

using namespace testing;

constexpr int64_t kHour = 3'600'000;

class Clocks : public ::testing::TestWithParam<int64_t> {
 protected:
  void SetUp() override {
    store_ = std::make_unique<ProfileStore>();
    store_->ApplicationStarted("app-1", "scene", "4.0.0", "3.11.7", "spark://m:7077", kBegin);
    store_->ExecutorAdded({"1", "node7", 2, 512, -1, -1, -1, kBegin + 100});
    store_->StageSubmitted(5, 0, "collect", "job.py:30", 2, kBegin + 1000);
  }

  // Its time is the executor's.
  void Tell(proto::Envelope envelope) {
    proto::Moment& last = *envelope.mutable_executor()->mutable_last();
    last.set_time_ms(last.time_ms() + ahead_);
    last.set_clock_ms(700'000);
    ASSERT_TRUE(store_->Ingest(envelope.SerializeAsString(), Instant{last.time_ms() - ahead_ + 3, 40'000}).ok());
  }

  void TellError(int64_t time_ms) {
    proto::Envelope envelope = LastSnapshot(0);
    proto::HeapShortage& error = *envelope.mutable_heap_shortage();
    error.set_time_ms(time_ms + ahead_);
    error.set_error("Java heap space");
    error.set_task_attempt_id(40);
    error.set_stage_id(5);
    proto::Envelope retained;
    ASSERT_TRUE(retained.ParseFromString(RetainedBytes("1", error.time_ms() - 300, 77'000'003)));
    *error.mutable_retained() = retained.retained_heap();
    ASSERT_TRUE(store_->Ingest(envelope.SerializeAsString()).ok());
  }

  ProfileBuilder Running(int64_t id) {
    ProfileBuilder task = RunningTask(id, kDeadlyBytes);
    task.profile().set_taken_ms(task.profile().taken_ms() + ahead_);
    task.profile().add_sessions()->set_looked_ms(kBegin + 9'200 + ahead_);
    proto::Site& site = *task.profile().mutable_sites(0);
    site.set_live_at_peak_bytes(site.live_bytes());
    site.set_resident_at_peak_bytes(site.live_bytes() / 2);
    site.set_read_at_peak_bytes(site.live_bytes());
    return task;
  }

  const int64_t ahead_ = GetParam();
  std::unique_ptr<ProfileStore> store_;
};

TEST_P(Clocks, TheLastSampleIsAsOldAsItWas) {
  Tell(LastSnapshot(kFull));
  store_->ExecutorRemoved("1", kCode137, kBegin + 10'000);
  const Json death = TheDeath(*store_);
  EXPECT_NEAR(death["lastSampleAgeMs"].get<int64_t>(), 500, 5);
  EXPECT_EQ(death["outOfMemory"], true);
}

// An executor that is behind the driver's start is none of an earlier attempt of the application.
TEST_P(Clocks, ProfilesOfAnyTimeCount) {
  ASSERT_TRUE(store_->Ingest(Running(40).Bytes()).ok());
  Tell(LastSnapshot(kFull));
  store_->ExecutorRemoved("1", kCode137, kBegin + 10'000);
  const Json death = TheDeath(*store_);
  EXPECT_EQ(death["taskAttemptId"], 40);
  EXPECT_EQ(death["sites"][0]["liveAtPeakBytes"], kDeadlyBytes);
  EXPECT_NEAR(death["sites"][0]["residentAgeMs"].get<int64_t>(), 800, 5);
}

TEST_P(Clocks, AnErrorIsAsCloseToTheEndAsItWas) {
  for (const bool close : {true, false}) {
    SetUp();
    ASSERT_TRUE(store_->Ingest(Running(40).Bytes()).ok());
    Tell(LastSnapshot(kContainer / 3));
    TellError(kBegin + 9'000);
    store_->ExecutorRemoved("1", "Command exited with code 52", kBegin + (close ? 10'000 : 900'000));
    const std::string headline = Deaths(*store_)[0]["headline"];
    EXPECT_EQ(headline.find("ran out of heap: task 40") != std::string::npos, close) << headline;
    if (close) {
      EXPECT_NEAR(Deaths(*store_)[0]["retained"]["timeMs"].get<int64_t>(), kBegin + 8'700, 5);
    }
  }
}

TEST_P(Clocks, ATaskThatEndedThenMayHaveEndedItsWorker) {
  for (const bool then : {true, false}) {
    SetUp();
    ASSERT_TRUE(store_->Ingest(Running(40).Bytes()).ok());
    Tell(LastSnapshot(kContainer / 3));
    proto::Envelope death;
    ASSERT_TRUE(death.ParseFromString(WorkerDeath(1)));
    death.mutable_worker_death()->set_time_ms(kBegin + 9'800 + ahead_);
    death.mutable_worker_death()->mutable_before()->set_time_ms(kBegin + 9'783 + ahead_);
    ASSERT_TRUE(store_->Ingest(death.SerializeAsString()).ok());
    store_->TaskEnded({40, 5, 0, 0, 0, "1", TaskOutcome::kKilled, "cancelled", kBegin + (then ? 9'900 : 99'000)});
    const Json entry = TheDeath(*store_);
    EXPECT_NEAR(entry["timeMs"].get<int64_t>(), kBegin + 9'800, 5);
    const std::string headline = entry["headline"];
    EXPECT_EQ(headline.find("or another process of its container") != std::string::npos, then) << headline;
  }
}

TEST_P(Clocks, WhatWasLeftOffHeapIsNews) {
  for (const bool is_news : {true, false}) {
    SetUp();
    const int64_t age = is_news ? 600 : 90'000;
    ASSERT_TRUE(store_->Ingest(LeftBytes("1", kBegin + 10'000 - age + ahead_, 444'000'017)).ok());
    FillScene(*store_, kCode137, kFull);
    Tell(LastSnapshot(kFull));
    const Json sites = TheDeath(*store_)["sites"];
    EXPECT_EQ(sites[1]["liveAtPeakBytes"] == 444'000'017, is_news) << sites;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Clocks, ::testing::Values(-2 * kHour, int64_t{0}, kHour));

// On Kubernetes all that Spark says of an executor it no longer hears is that it killed it.
TEST(Silence, AnExecutorThatSparkKilledForItIsNoneThatWasWantedGone) {
  struct Case {
    int64_t heard_ms;
    bool lost_a_task, told;
  };
  for (const Case& each :
       {Case{kBegin, true, true}, Case{kBegin + 79'000, true, true}, Case{kBegin + 81'000, true, false}, Case{kBegin, false, false}}) {
    ProfileStore store;
    store.ApplicationStarted("app-1", "scene", "4.0.0", "3.11.7", "k8s://https://h:443", kBegin);
    store.ExecutorAdded({"1", "node7", 2, 512, -1, -1, -1, kBegin});
    proto::Envelope snapshot = LastSnapshot(kFull);
    snapshot.mutable_executor()->mutable_last()->set_time_ms(each.heard_ms);
    ASSERT_TRUE(store.Ingest(snapshot.SerializeAsString()).ok());
    store.ExecutorRemoved("1", "Executor killed by driver.", kBegin + 120'000);
    if (each.lost_a_task) store.TaskEnded({40, 5, 0, 0, 0, "1", TaskOutcome::kLost, "ExecutorLostFailure", kBegin + 120'001});
    const Json deaths = Deaths(store);
    ASSERT_EQ(deaths.size(), each.told ? 1u : 0u) << each.heard_ms;
    if (!each.told) continue;
    EXPECT_EQ(deaths[0]["unknown"], true);
    EXPECT_THAT(deaths[0]["how"].get<std::string>(), ::testing::HasSubstr("nobody has heard from it"));
  }
}

}  // namespace
}  // namespace memprof
