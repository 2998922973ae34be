#include "intake/host_kills.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "intake/delivery.h"
#include "report/postmortem/worker_scene.h"

namespace memprof {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int64_t kRemoved = kBegin + 10'000;
constexpr const char* kNothing = "executor 2, on the same host, found that the kernel killed nothing there";

// In a container of its own, on the host with this boot id.
proto::Envelope Reading(const char* executor, uint64_t used, uint64_t kills, int64_t read_ms, const char* boot = "boot-1") {
  proto::Envelope envelope = LastSnapshot(used, executor);
  proto::ExecutorSnapshot& snapshot = *envelope.mutable_executor();
  snapshot.set_cgroup(std::string("/sys/fs/cgroup/memory/box-") + executor);
  snapshot.mutable_last()->set_time_ms(read_ms);
  snapshot.mutable_last()->set_clock_ms(read_ms - kBegin + 1);
  snapshot.set_taken_ms(read_ms + 5'000);
  snapshot.set_boot_id(boot);
  snapshot.set_host_oom_kills(kills);
  snapshot.set_host_oom_kills_ms(read_ms);
  return envelope;
}

// By the driver's clock, a message of an executor whose own is so far ahead.
Instant ArrivalOf(const proto::Envelope& envelope, int64_t ahead_ms = 0) {
  const int64_t time_ms = envelope.executor().last().time_ms() - ahead_ms;
  return {time_ms, time_ms - kBegin + 1};
}

// Executors 1 and 2 live on one host, where the kernel has killed 7 processes so far, until 1 is killed.
class HostKillsTest : public ::testing::Test {
 protected:
  Json DeathAfter(uint64_t used, std::initializer_list<proto::Envelope> readings, const char* reason = kCode137, int64_t ahead_ms = 0) {
    ProfileStore store;
    store.ApplicationStarted("app-1", "scene", "4.0.0", "3.11.7", "spark://m:7077", kBegin);
    for (const char* id : {"1", "2"}) store.ExecutorAdded({id, "node7", 2, 512, -1, -1, -1, kBegin + 100});
    EXPECT_TRUE(store.Ingest(Reading("1", used, 7, kBegin + 9'500).SerializeAsString()).ok());
    store.ExecutorRemoved("1", reason, kRemoved);
    for (const proto::Envelope& each : readings) EXPECT_TRUE(store.Ingest(each.SerializeAsString(), ArrivalOf(each, ahead_ms)).ok());
    return TheDeath(store);
  }
};

TEST_F(HostKillsTest, ThatTheKernelKilledNothingThereIsEvidence) {
  const Json full = DeathAfter(kFull, {Reading("2", kFull / 9, 7, kRemoved + 3'000)});
  EXPECT_EQ(full["outOfMemory"], false);
  EXPECT_EQ(full["unknown"], true) << "somebody else may have killed it for its memory";
  EXPECT_THAT(full["how"].get<std::string>(), HasSubstr(kNothing));
  const Json roomy = DeathAfter(kContainer / 3, {Reading("2", kFull / 9, 7, kRemoved + 3'000)});
  EXPECT_EQ(roomy["unknown"], false);
  EXPECT_THAT(roomy["how"].get<std::string>(), HasSubstr(std::string(kNothing) + ": killed from outside"));
}

TEST_F(HostKillsTest, TheDriverMayCountToo) {
  const Json death = DeathAfter(kFull, {Reading("driver", kFull / 9, 7, kRemoved + 3'000)});
  EXPECT_THAT(death["how"].get<std::string>(), HasSubstr("the driver, on the same host, found that the kernel killed nothing there"));
}

TEST_F(HostKillsTest, TheFirstCountAfterItsEndIsTaken) {
  EXPECT_EQ(DeathAfter(kFull, {Reading("2", kFull / 9, 7, kRemoved + 3'000), Reading("2", kFull / 9, 9, kRemoved + 60'000)})["unknown"],
            true);
  EXPECT_EQ(DeathAfter(kFull, {Reading("2", kFull / 9, 8, kRemoved + 3'000)})["outOfMemory"], true);
  const Json roomy = DeathAfter(kContainer / 3, {Reading("2", kFull / 9, 8, kRemoved + 3'000)});
  EXPECT_THAT(roomy["how"].get<std::string>(), HasSubstr("the kernel killed something on its host meanwhile"));
  const Json later = DeathAfter(kContainer / 3, {Reading("2", kFull / 9, 8, kRemoved + 64'000)});
  EXPECT_EQ(later["unknown"], false) << "a kill a minute later says nothing of it";
}

TEST_F(HostKillsTest, AnOldReadingHidesNoLaterOne) {
  EXPECT_EQ(DeathAfter(kFull, {Reading("2", kFull / 9, 6, kRemoved + 3'000), Reading("2", kFull / 9, 7, kRemoved + 4'000)})["unknown"],
            true);
}

TEST_F(HostKillsTest, TimesAreByTheDriversClock) {
  constexpr int64_t kHour = 3'600'000;
  const auto death = [&](int64_t after_ms) {
    return DeathAfter(kFull, {Reading("2", kFull / 9, 7, kRemoved + after_ms + kHour)}, kCode137, kHour);
  };
  EXPECT_EQ(death(2'000)["outOfMemory"], true) << "an hour ahead, it was read a second before the end can have been seen";
  EXPECT_EQ(death(4'000)["unknown"], true);
}

TEST_F(HostKillsTest, WhatProvesNothing) {
  for (const proto::Envelope& reading :
       {Reading("2", kFull / 9, 7, kRemoved + 2'999), Reading("2", kFull / 9, 7, kRemoved + 3'000, "boot-2"),
        Reading("2", kFull / 9, 7, kRemoved + 3'000, ""), Reading("1", kFull, 7, kRemoved + 3'000)}) {
    const Json death = DeathAfter(kFull, {reading});
    EXPECT_EQ(death["outOfMemory"], true) << reading.ShortDebugString();
    EXPECT_THAT(death["how"].get<std::string>(), Not(HasSubstr("found that the kernel")));
  }
  const Json lost = DeathAfter(kFull, {Reading("2", kFull / 9, 7, kRemoved + 3'000)}, "Remote RPC client disassociated");
  EXPECT_THAT(lost["how"].get<std::string>(), Not(HasSubstr("found that the kernel"))) << "it may live on";
}

TEST(HostKills, WhatCameLateIsNoEvidence) {
  StoreState state(UINT64_MAX);
  state.Executor("1").snapshot = Reading("1", kFull, 7, kBegin).executor().SerializeAsString();
  state.Executor("1").removed_reason = kCode137;
  WantHostKills("1", state);
  ASSERT_TRUE(Deliver(Reading("2", kFull, 7, kRemoved).SerializeAsString(), state).ok());
  EXPECT_FALSE(state.Executor("1").host_kills_after) << "somebody had kept it meanwhile";
  const proto::Envelope reading = Reading("2", kFull, 7, kRemoved);
  ASSERT_TRUE(Deliver(reading.SerializeAsString(), state, ArrivalOf(reading)).ok());
  EXPECT_TRUE(state.Executor("1").host_kills_after);
}

TEST(HostKills, OnlyTheNewestEndsAreWaitedFor) {
  StoreState state(UINT64_MAX);
  for (size_t i = 0; i < StoreState::kMostWantedHostKills + 2; ++i) {
    const std::string id = std::to_string(i);
    state.Executor(id).snapshot = Reading(id.c_str(), kFull, 7, kBegin).executor().SerializeAsString();
    state.Executor(id).removed_reason = kCode137;
    WantHostKills(id, state);
  }
  EXPECT_EQ(state.wanted_host_kills.size(), StoreState::kMostWantedHostKills);
  EXPECT_EQ(state.wanted_host_kills.front().executor_id, "2");
  TakeHostKills("reader", Reading("reader", kFull, 7, kRemoved).executor(), state);
  EXPECT_TRUE(state.wanted_host_kills.empty());
  ASSERT_TRUE(state.Executor("5").host_kills_after);
  EXPECT_EQ(state.Executor("5").host_kills_after->reader, "reader");
  EXPECT_FALSE(state.Executor("1").host_kills_after);
}

// Spark says of one that was being decommissioned nothing else, and it was far from its limit at its last sample.
TEST(HostKills, OneThatWasBeingDecommissionedMayHaveBeenKilled) {
  struct Case {
    uint64_t counted;
    uint64_t of_workers;  // of the kernel's kills, as their executor told
    const char* whose;
    bool with_tasks;
    bool told;
  };
  for (const Case& each :
       {Case{8, 0, "1", true, true}, Case{7, 0, "1", true, false}, Case{8, 1, "1", true, false}, Case{9, 1, "1", true, true},
        Case{8, 0, "1", false, false}, Case{8, 1, "2", true, false}, Case{9, 1, "2", true, true}}) {
    ProfileStore store;
    store.ApplicationStarted("app-1", "scene", "4.0.0", "3.11.7", "k8s://host", kBegin);
    for (const char* id : {"1", "2"}) store.ExecutorAdded({id, "node7", 2, 512, -1, -1, -1, kBegin + 100});
    proto::Envelope own = Reading("1", kContainer / 3, 7, kBegin + 9'500);
    own.mutable_executor()->set_taken_ms(kBegin + 9'500);
    ASSERT_TRUE(store.Ingest(own.SerializeAsString()).ok());
    if (each.of_workers != 0) {
      proto::Envelope worker = EnvelopeOf(each.whose);
      worker.mutable_worker_death()->set_time_ms(kBegin + 9'700);
      worker.mutable_worker_death()->set_pid(4711);
      worker.mutable_worker_death()->set_oom_kills(each.of_workers);
      ASSERT_TRUE(store.Ingest(worker.SerializeAsString()).ok());
    }
    store.ExecutorRemoved("1", "Executor decommission: spot", kRemoved);
    if (each.with_tasks) store.TaskEnded({40, 5, 0, 0, 0, "1", TaskOutcome::kLost, "ExecutorLostFailure", kRemoved + 1});
    const proto::Envelope beside = Reading("2", kFull / 9, each.counted, kRemoved + 5'000);
    ASSERT_TRUE(store.Ingest(beside.SerializeAsString(), ArrivalOf(beside)).ok());
    const Json deaths = Deaths(store);
    const auto of_jvm = std::find_if(deaths.begin(), deaths.end(), [](const Json& row) { return row["process"] == "jvm"; });
    ASSERT_EQ(of_jvm != deaths.end(), each.told) << each.counted << each.of_workers << each.whose << each.with_tasks;
    if (!each.told) continue;
    EXPECT_EQ((*of_jvm)["unknown"], true);
    EXPECT_EQ((*of_jvm)["outOfMemory"], false);
    EXPECT_THAT((*of_jvm)["how"].get<std::string>(),
                HasSubstr("33 % of the limit in use at the last sample; the kernel killed something on its host meanwhile"));
  }
}

}  // namespace
}  // namespace memprof
