// A pid that is used again, within one executor and one task.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "postmortem/last_moment.h"
#include "report/postmortem/worker_scene.h"

namespace memprof {
namespace {

using namespace testing;

constexpr uint64_t kFirst = 1'000, kSecond = 9'000;  // when they started, in ticks

std::string KilledAt(uint64_t start_ticks, int64_t at_ms) {
  proto::Envelope envelope;
  EXPECT_TRUE(envelope.ParseFromString(WorkerDeath(1)));
  envelope.mutable_worker_death()->set_start_ticks(start_ticks);
  envelope.mutable_worker_death()->set_time_ms(kBegin + at_ms);
  return envelope.SerializeAsString();
}

TEST(ReusedPids, TwoProcessesOfOnePidAreTwoDeaths) {
  ProfileStore store;
  FillWorkerScene(store);
  for (const std::string& death : {KilledAt(kFirst, 4'000), KilledAt(kSecond, 9'800), KilledAt(kFirst, 4'000)})
    ASSERT_TRUE(store.Ingest(death).ok());
  FailTask40(store, "lost worker");
  const Json deaths = Deaths(store);
  ASSERT_EQ(deaths.size(), 2u) << deaths;
  EXPECT_EQ(deaths[0]["startTicks"], kFirst);
  EXPECT_EQ(deaths[1]["startTicks"], kSecond);
  EXPECT_EQ(deaths[0]["pid"], deaths[1]["pid"]);
}

TEST(ReusedPids, ASignalIsThatOfTheProcessThatNotedIt) {
  ProfileStore store;
  FillWorkerScene(store);
  ProfileBuilder task = EndedTask();
  AddIncident(task, 4'000, 11).set_start_ticks(kFirst);
  ASSERT_TRUE(store.Ingest(task.Bytes()).ok());
  ASSERT_TRUE(store.Ingest(KilledAt(kSecond, 9'800)).ok());
  FailTask40(store, "lost worker");
  std::map<uint64_t, Json> by_start;
  for (const Json& death : Deaths(store)) by_start.emplace(death["startTicks"].get<uint64_t>(), death);
  ASSERT_EQ(by_start.size(), 2u);
  EXPECT_EQ(by_start[kFirst]["exitCode"], 139);
  EXPECT_EQ(by_start[kSecond]["exitCode"], nullptr);
  EXPECT_EQ(by_start[kSecond]["outOfMemory"], true);
}

TEST(ReusedPids, WhoLivesUnderThePidOfADeadOneIsStillThere) {
  proto::Moment moment;
  moment.set_time_ms(kBegin);
  moment.set_used_bytes(1'000);
  moment.set_unattributed_bytes(600);
  proto::Process& process = *moment.add_processes();
  process.set_pid(4131);
  process.set_start_ticks(kSecond);
  process.set_peak_rss_bytes(400);
  proto::WorkerDeath death;
  death.set_pid(4131);
  death.set_time_ms(kBegin + 1);
  for (const uint64_t start : {kFirst, kSecond, uint64_t{0}}) {
    death.set_start_ticks(start);
    const proto::Moment left = Without({death}, moment);
    EXPECT_EQ(left.processes_size(), start == kFirst ? 1 : 0) << start << "; 0: of an older agent";
    EXPECT_EQ(left.used_bytes(), start == kFirst ? 1'000u : 600u);
  }
}

}  // namespace
}  // namespace memprof
