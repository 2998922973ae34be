// YARN's NodeManager in a control group of its own, with a limit, in which its containers are, too. What is said of a host is said of that.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/postmortem/evidence.h"
#include "report/postmortem/worker_scene.h"

namespace memprof {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using namespace testing;

constexpr const char* kDisassociated = "Remote RPC client disassociated. Likely due to containers exceeding thresholds, or network issues.";
constexpr uint64_t kGroup = 8'192 * kMi;

// Who was granted 4 GiB, and held a part of that, when others had filled the group. `id`: of an executor, or the driver.
void FillNode(ProfileStore& store, const std::string& id, bool is_group) {
  store.ApplicationStarted("app-1", "scene", "4.0.0", "3.11.7", "yarn", kBegin);
  store.Configuration({{"spark.driver.memory", "3584m"},
                       {"spark.driver.memoryOverhead", "512m"},
                       {"spark.master", "yarn"},
                       {"spark.submit.deployMode", "cluster"}});
  store.ExecutorAdded({id, "node7", 2, 3'584, 512, -1, -1, kBegin + 100});
  proto::Envelope last = LastSnapshot(1'400 * kMi, id);
  proto::ExecutorSnapshot& snapshot = *last.mutable_executor();
  snapshot.clear_cgroup_limit_bytes();
  snapshot.set_host_memory_bytes(kGroup);
  snapshot.set_host_is_group(is_group);
  snapshot.mutable_last()->set_host_available_bytes(kGroup / 100);
  Tell(store, last);
}

TEST(NodesGroup, ItIsCalledWhatItIs) {
  for (const bool is_group : {true, false}) {
    ProfileStore store;
    FillNode(store, "1", is_group);
    store.ExecutorRemoved("1", kCode137, kBegin + 10'000);
    const Json report = Json::parse(store.ReportJson(false));
    const Json &row = report["executors"][0], &death = report["postMortems"][0];
    EXPECT_EQ(row["hostMemoryBytes"], kGroup);
    EXPECT_EQ(row["hostIsGroup"], is_group);
    EXPECT_EQ(row["limitBytes"], 4'096 * kMi);
    EXPECT_EQ(death["unknown"], true) << death["how"];
    EXPECT_THAT(death["how"].get<std::string>(),
                HasSubstr(is_group ? "34 % of the limit in use at the last sample; but its NodeManager's control group was full: all in it "
                                     "together used 99 %"
                                   : "but its host was full: all on it together used 99 %"));
  }
}

// At first it had room for one container only, and again later. In any order of arrival.
TEST(NodesGroup, ALimitThatWasRaisedSoFarIsTheExecutorsNoMore) {
  for (const auto& [limited_ms, limited_first] : {std::pair(10, false), std::pair(10, true), std::pair(30, false), std::pair(30, true)}) {
    ProfileStore store;
    FillNode(store, "1", true);
    proto::Envelope group = EnvelopeOf("1"), limited = EnvelopeOf("1");
    group.mutable_executor()->set_host_memory_bytes(2 * kGroup);
    group.mutable_executor()->set_host_is_group(true);
    group.mutable_executor()->set_host_memory_clock_ms(20);
    limited.mutable_executor()->set_cgroup_limit_bytes(kContainer);
    limited.mutable_executor()->set_cgroup_limit_clock_ms(limited_ms);
    limited.mutable_executor()->set_host_memory_bytes(8 * kGroup);
    limited.mutable_executor()->set_host_memory_clock_ms(limited_ms);
    for (const proto::Envelope* said : {limited_first ? &limited : &group, limited_first ? &group : &limited}) Tell(store, *said);
    const Json row = Json::parse(store.ReportJson(false))["executors"][0];
    const bool is_limited = limited_ms > 20;
    EXPECT_EQ(row["limitSource"], is_limited ? "cgroup" : "spark");
    EXPECT_EQ(row["hostIsGroup"], !is_limited);
    EXPECT_EQ(row["hostMemoryBytes"], (is_limited ? 8 : 2) * kGroup);
  }
}

// Where nothing but its NodeManager holds it to what was granted, which gives its own status and words when it ends a container.
TEST(NodesGroup, WithoutAWordOfYarnsItWasNotYarnsLimit) {
  ProfileStore store;
  FillNode(store, "1", false);
  proto::Envelope last = EnvelopeOf("1");
  proto::Moment& moment = *last.mutable_executor()->mutable_last();
  last.mutable_executor()->set_taken_ms(kBegin + 9'800);
  moment.set_time_ms(kBegin + 9'800);
  moment.set_used_bytes(4'000 * kMi);
  moment.set_host_available_bytes(kGroup / 2);
  AddProcess(*moment.add_processes(), 4100, "jvm", 3'700 * kMi, {});
  AddProcess(*moment.add_processes(), 4131, "python-worker", 300 * kMi, {});
  Tell(store, last);
  store.ExecutorRemoved("1", "Container from a bad node: container_1. Exit status: 137. Diagnostics: Killed by external signal",
                        kBegin + 10'000);
  const Json death = TheDeath(store);
  EXPECT_EQ(death["unknown"], true) << death["how"];
  EXPECT_EQ(death["headline"],
            "Executor 1 was killed, but not by YARN, which would say so: 98 % of the limit was in use (3.9 GiB of 4.0 GiB), so the kernel, "
            "earlyoom or systemd-oomd may have killed it for its memory, exit code 137 (SIGKILL)");
  EXPECT_FALSE(death["advice"].empty());
}

// A group below twice of what was granted may be a container's own, whose size YARN has rounded up. Its words tell.
TEST(NodesGroup, TheLimitThatYarnNamesIsTheOneThatKilled) {
  const auto death = [](const char* words) {
    ProfileStore store;
    FillNode(store, "1", false);
    proto::Envelope group = EnvelopeOf("1");
    group.mutable_executor()->set_cgroup_limit_bytes(7'000 * kMi);
    group.mutable_executor()->set_cgroup_limit_clock_ms(30);
    Tell(store, group);
    store.ExecutorRemoved("1", std::string("Container killed by YARN for exceeding physical memory limits. ") + words, kBegin + 10'000);
    return TheDeath(store);
  };
  EXPECT_EQ(death("4.5 GB of 4 GB physical memory used.")["limitBytes"], 4'096 * kMi);
  EXPECT_EQ(death("4.5 GB of 4 GB physical memory used.")["usedBytes"], 4'608 * kMi);
  EXPECT_EQ(death("4.0 GB of 3.9 GB physical memory used.")["limitBytes"], 4'096 * kMi) << "no less than was requested";
  EXPECT_THAT(death("4.5 GB of 4 GB physical memory used.")["advice"].dump(), Not(HasSubstr("would be granted"))) << "of the group's limit";
  EXPECT_EQ(death("7.1 GB of 6.8 GB physical memory used.")["limitBytes"], 7'000 * kMi) << "as it is, but for their rounding";
  EXPECT_EQ(death("")["limitBytes"], 7'000 * kMi);
}

// To a tenth of their unit: a difference that is larger is what YARN has rounded the request by.
TEST(NodesGroup, ASmallStepOfYarnsIsKnownByItsWords) {
  ProfileStore store;
  FillNode(store, "1", false);
  store.ExecutorRemoved("1", "Container killed by YARN for exceeding physical memory limits. 4.4 GB of 4.3 GB physical memory used.",
                        kBegin + 10'000);
  EXPECT_EQ(TheDeath(store)["limitBytes"], 4'617'089'843u) << "4.3 GiB where 4 were requested";
}

// The kernel kills the largest process of a full group, be it far from its own grant.
TEST(NodesGroup, WhoWasKilledForItIsToldSo) {
  for (const bool is_group : {true, false}) {
    ProfileStore store;
    FillNode(store, "driver", is_group);
    proto::Envelope killed = EnvelopeOf("driver");
    proto::WorkerDeath& python = *killed.mutable_worker_death();
    python.set_drivers_own(true);
    python.set_time_ms(kBegin + 9'800);
    python.set_pid(5001);
    python.set_task_attempt_id(-1);
    python.set_stage_id(-1);
    python.set_oom_kills(1);
    python.mutable_before()->set_time_ms(kBegin + 9'760);
    python.mutable_before()->set_used_bytes(1'400 * kMi);
    python.mutable_before()->set_host_available_bytes(kGroup / 100);
    Tell(store, killed);
    const Json death = TheDeath(store);
    EXPECT_THAT(death["headline"].get<std::string>(),
                HasSubstr(is_group ? "was killed for its NodeManager's memory: 34 % of the limit" : "was killed for its host's memory"));
    const std::string advice = death["advice"][0]["because"];
    EXPECT_EQ(advice, is_group
                          ? "fewer or smaller containers under the driver's NodeManager, or a larger limit for its control group: that "
                            "of 8.0 GiB ran short, of which the driver had 1.4 GiB"
                          : "fewer executors or other programs on the driver's host, or smaller ones: its memory of 8.0 GiB ran short, "
                            "of which the driver had 1.4 GiB");
  }
}

// Where the group itself is what limits it.
TEST(NodesGroup, AsALimitItHasItsName) {
  DeathEvidence evidence = Killed(kLimit / 100 * 30);
  evidence.limit_is_hosts = evidence.host_is_group = true;
  const auto how = [&evidence](uint64_t available) {
    evidence.host_available_bytes = available;
    return Judge(evidence).how;
  };
  EXPECT_THAT(how(kLimit / 100), HasSubstr(", which is the limit of its NodeManager's control group; all in it together used 99 %"));
  EXPECT_TRUE(Judge(evidence).of_group);
  EXPECT_THAT(how(kLimit / 2), HasSubstr(", which is the limit of its NodeManager's control group; all in it together used 50 %"));
  evidence.loss = ParseLossReason("Command exited with code 143");
  EXPECT_THAT(how(kLimit / 100), HasSubstr("; all in its NodeManager's control group together used 99 %, and a killer"));
  evidence.loss = ParseLossReason("Command exited with code 1");
  EXPECT_THAT(how(kLimit / 100), HasSubstr("; all in its NodeManager's control group together used 99 %: a program that ends itself"));
  evidence.loss = ParseLossReason(kDisassociated);
  EXPECT_THAT(how(kLimit / 100), HasSubstr("; all in its NodeManager's control group together used 99 %; a broken connection"));
  for (const char* end : {kCode137, kDisassociated, "Command exited with code 143"}) {
    evidence.loss = ParseLossReason(end);
    evidence.host_available_bytes.reset();
    EXPECT_THAT(Judge(evidence).how, Not(HasSubstr("host"))) << end;
  }
}

}  // namespace
}  // namespace memprof
