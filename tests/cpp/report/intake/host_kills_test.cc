#include "intake/host_kills.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/postmortem/worker_scene.h"

namespace memprof {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int64_t kRemoved = kBegin + 10'000;
constexpr const char* kNothing = "executor 2, another one on its host, found that the kernel killed nothing there";

// In a container of its own, on the host with this boot id.
proto::Envelope Reading(const char* executor, uint64_t used, uint64_t kills, int64_t taken_ms, const char* boot = "boot-1") {
  proto::Envelope envelope = LastSnapshot(used, executor);
  proto::ExecutorSnapshot& snapshot = *envelope.mutable_executor();
  snapshot.set_cgroup(std::string("/sys/fs/cgroup/memory/box-") + executor);
  snapshot.set_taken_ms(taken_ms);
  snapshot.set_boot_id(boot);
  snapshot.set_host_oom_kills(kills);
  return envelope;
}

// Executors 1 and 2 live on one host, where the kernel has killed 7 processes so far, until 1 is killed.
class HostKillsTest : public ::testing::Test {
 protected:
  Json DeathAfter(uint64_t used, std::initializer_list<proto::Envelope> readings) {
    ProfileStore store;
    store.ApplicationStarted("app-1", "scene", "4.0.0", "3.11.7", "spark://m:7077", kBegin);
    for (const char* id : {"1", "2"}) store.ExecutorAdded({id, "node7", 2, 512, -1, -1, -1, kBegin + 100});
    EXPECT_TRUE(store.Ingest(Reading("1", used, 7, kBegin + 9'500).SerializeAsString()).ok());
    store.ExecutorRemoved("1", kCode137, kRemoved);
    for (const proto::Envelope& each : readings) EXPECT_TRUE(store.Ingest(each.SerializeAsString()).ok());
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

TEST_F(HostKillsTest, TheFirstCountAfterItsEndIsTaken) {
  EXPECT_EQ(DeathAfter(kFull, {Reading("2", kFull / 9, 7, kRemoved + 3'000), Reading("2", kFull / 9, 9, kRemoved + 60'000)})["unknown"],
            true);
  EXPECT_EQ(DeathAfter(kFull, {Reading("2", kFull / 9, 8, kRemoved + 3'000)})["outOfMemory"], true);
  const Json roomy = DeathAfter(kContainer / 3, {Reading("2", kFull / 9, 8, kRemoved + 3'000)});
  EXPECT_THAT(roomy["how"].get<std::string>(), HasSubstr("the kernel killed something on its host meanwhile"));
}

TEST_F(HostKillsTest, WhatProvesNothing) {
  for (const proto::Envelope& reading :
       {Reading("2", kFull / 9, 7, kRemoved + 2'999), Reading("2", kFull / 9, 7, kRemoved + 3'000, "boot-2"),
        Reading("2", kFull / 9, 7, kRemoved + 3'000, ""), Reading("1", kFull, 7, kRemoved + 3'000)}) {
    const Json death = DeathAfter(kFull, {reading});
    EXPECT_EQ(death["outOfMemory"], true) << reading.ShortDebugString();
    EXPECT_THAT(death["how"].get<std::string>(), Not(HasSubstr("found that the kernel")));
  }
}

TEST(HostKills, OnlyTheNewestEndsAreWaitedFor) {
  StoreState state(UINT64_MAX);
  for (size_t i = 0; i < StoreState::kMostWantedHostKills + 2; ++i) {
    const std::string id = std::to_string(i);
    state.Executor(id).snapshot = Reading(id.c_str(), kFull, 7, kBegin).executor().SerializeAsString();
    WantHostKills(id, state);
  }
  EXPECT_EQ(state.wanted_host_kills.size(), StoreState::kMostWantedHostKills);
  EXPECT_EQ(state.wanted_host_kills.front().executor_id, "2");
  TakeHostKills("reader", Reading("reader", kFull, 8, kRemoved).executor(), state);
  EXPECT_TRUE(state.wanted_host_kills.empty());
  EXPECT_EQ(state.Executor("5").host_kills_after->count, 8u);
  EXPECT_FALSE(state.Executor("1").host_kills_after);
}

}  // namespace
}  // namespace memprof
