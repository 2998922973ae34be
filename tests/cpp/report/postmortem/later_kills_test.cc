// The kernel's kills that other executors count after a death: in its cgroup, on its host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "postmortem/post_mortems.h"
#include "proto/envelope.h"
#include "report/postmortem/worker_scene.h"

namespace memprof {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace testing;

TEST(LaterKills, TheNextExecutorInTheCgroupFindsTheKernelsCount) {
  struct Case {
    uint64_t found;
    bool out_of_memory;
    int64_t added_ms;
  };
  const int64_t later = kBegin + 12'000, set_back = kBegin - 3'600'000;  // a clock, by an hour
  for (const Case& each : {Case{4, true, later}, Case{3, false, later}, Case{4, true, set_back}}) {
    ProfileStore store;
    FillScene(store, kCode137, each.out_of_memory ? kContainer / 4 : kFull);  // the use says the contrary
    store.ExecutorAdded({"2", "node7", 2, 512, -1, -1, -1, each.added_ms});
    proto::Envelope next = LastSnapshot(kContainer / 9, "2", each.found);
    next.mutable_executor()->set_oom_kills_at_start(each.found);
    static_cast<void>(store.Ingest(next.SerializeAsString()));
    Json death = TheDeath(store);
    EXPECT_EQ(death["outOfMemory"], each.out_of_memory) << death["how"];
    EXPECT_THAT(death["how"].get<std::string>(), HasSubstr("executor 2, the next one in it"));
    EXPECT_FALSE(death["advice"].empty());
    if (each.out_of_memory) continue;
    EXPECT_EQ(death["unknown"], true);
    EXPECT_THAT(
        death["headline"].get<std::string>(),
        HasSubstr(
            "Executor 1 was killed, but not by the kernel: 97 % of the limit was in use (1.3 GiB of 1.4 GiB), so the cluster manager, "
            "earlyoom or systemd-oomd may have killed it for its memory, exit code 137 (SIGKILL)"));
  }
}

// One that died before it, and one of another cgroup of the same name, which saw fewer kills.
TEST(LaterKills, OnlyThoseThatCameAfterItTell) {
  for (const bool with_lower : {true, false}) {
    ProfileStore store;
    const auto start = [&](const std::string& id, uint64_t at_start) {
      store.ExecutorAdded({id, "node7", 2, 512, -1, -1, -1, kBegin});
      proto::Envelope said = LastSnapshot(kContainer / 9, id, at_start);
      said.mutable_executor()->set_oom_kills_at_start(at_start);
      static_cast<void>(store.Ingest(said.SerializeAsString()));
    };
    start("0", 3);
    start("9", 5);
    FillScene(store, kCode137, kFull);
    start("11", 2);
    start("12", 5);
    if (with_lower) start("13", 4);
    const std::string how = TheDeath(store)["how"];
    EXPECT_THAT(how, HasSubstr(with_lower ? "executor 13, the next one in it" : "executor 12, the next one in it"));
  }
}

// Spark says that alone of it, also where the kernel has killed it meanwhile.
TEST(LaterKills, OneThatWasBeingDecommissionedMayHaveBeenKilled) {
  constexpr const char* kReason = "Executor decommission: spot";
  for (const bool killed : {true, false}) {
    ProfileStore store;
    FillScene(store, kReason, kFull);
    store.ExecutorAdded({"2", "node7", 2, 512, -1, -1, -1, kBegin + 12'000});
    proto::Envelope next = LastSnapshot(kContainer / 9, "2", killed ? 4 : 3);
    next.mutable_executor()->set_oom_kills_at_start(killed ? 4 : 3);
    Tell(store, next);
    const Json death = TheDeath(store);
    EXPECT_EQ(death["outOfMemory"], killed) << death["how"];
    EXPECT_EQ(death["unknown"], !killed) << "its node may have gone";
    EXPECT_EQ(death["advice"].empty(), !killed);
    EXPECT_THAT(death["how"].get<std::string>(), StartsWith("it was being decommissioned; "));
  }
  ProfileStore unseen;
  FillScene(unseen, kReason, kFull);
  EXPECT_EQ(TheDeath(unseen)["unknown"], true) << TheDeath(unseen)["how"];
  EXPECT_THAT(TheDeath(unseen)["headline"].get<std::string>(), HasSubstr("Executor 1 was lost; why is not known: 97 % of the limit"));
  ProfileStore roomy;
  FillScene(roomy, kReason, kContainer / 3);
  EXPECT_EQ(Deaths(roomy), Json::array()) << "it went as it was to go";
  ProfileStore old;
  FillScene(old, kReason, kFull, "spark://m:7077", false, 61'000);
  EXPECT_EQ(Deaths(old), Json::array()) << "what it used then says nothing of its end";
  ProfileStore idle;
  idle.ApplicationStarted("app-1", "scene", "4.0.0", "3.11.7", "spark://m:7077", kBegin);
  idle.ExecutorAdded({"1", "node7", 2, 512, -1, -1, -1, kBegin + 100});
  Tell(idle, LastSnapshot(kFull));
  idle.ExecutorRemoved("1", kReason, kBegin + 10'000);
  EXPECT_EQ(Deaths(idle), Json::array()) << "it took no task along";
}

// Of stage-level scheduling: 512 + 384 MiB by the settings, 512 + 1536 by its own ResourceProfile.
TEST(LaterKills, OneThatWasBeingDecommissionedWasNearTheGrantOfItsOwnProfile) {
  for (const uint64_t used : {850 * kMi, 1'800 * kMi}) {
    ProfileStore store;
    store.ApplicationStarted("app-1", "scene", "4.0.0", "3.11.7", "yarn", kBegin);
    store.ExecutorAdded({"1", "node7", 2, 512, 1536, -1, -1, kBegin + 100});
    proto::Envelope last = LastSnapshot(used);
    last.mutable_executor()->clear_cgroup_limit_bytes();
    Tell(store, last);
    store.ExecutorRemoved("1", "Executor decommission: spot", kBegin + 10'000);
    store.TaskEnded({40, 5, 0, 0, 0, "1", TaskOutcome::kLost, "ExecutorLostFailure", kBegin + 10'001});
    EXPECT_EQ(Deaths(store).size(), used > 1'024 * kMi ? 1u : 0u) << used;
  }
}

// The kill may have been of the other one.
TEST(LaterKills, WhatIsCountedInACgroupOfSeveralExecutorsIsNoEvidence) {
  for (const bool shared : {false, true}) {
    ProfileStore store;
    FillScene(store, kCode137, kContainer / 4, "spark://m:7077", shared);
    store.ExecutorAdded({"2", "node7", 2, 512, -1, -1, -1, kBegin + 12'000});
    proto::Envelope next = LastSnapshot(kContainer / 9, "2", 4);
    next.mutable_executor()->set_oom_kills_at_start(4);
    static_cast<void>(store.Ingest(next.SerializeAsString()));
    const Json death = TheDeath(store);
    EXPECT_EQ(death["outOfMemory"], !shared) << death["how"];
    EXPECT_EQ(death["how"].get<std::string>().find("the next one in it") == std::string::npos, shared) << death["how"];
  }
}

TEST(LaterKills, OfThoseThatFindTheSameCountTheFirstIsTheNextOne) {
  ProfileStore store;
  FillScene(store, kCode137, kContainer / 4);
  for (const auto& [id, added_ms] : {std::pair("9", kBegin + 13'000), std::pair("10", kBegin + 3'600'000)}) {
    store.ExecutorAdded({id, "node7", 2, 512, -1, -1, -1, added_ms});
    proto::Envelope next = LastSnapshot(kContainer / 9, id, 4);
    next.mutable_executor()->set_oom_kills_at_start(4);
    static_cast<void>(store.Ingest(next.SerializeAsString()));
  }
  EXPECT_THAT(TheDeath(store)["how"].get<std::string>(), HasSubstr("rose by 1, as executor 9, the next one in it, found"));
}

// It may have been another application's executor, which ran there meanwhile. That nothing was killed is evidence at any time.
TEST(LaterKills, AKillThatTheNextExecutorFindsMuchLaterMayHaveBeenOfAnother) {
  for (const uint64_t found : {4, 3}) {
    ProfileStore store;
    FillScene(store, kCode137, kContainer / 4);
    store.ExecutorAdded({"2", "node7", 2, 512, -1, -1, -1, kBegin + 70'001});
    proto::Envelope next = LastSnapshot(kContainer / 9, "2", found);
    next.mutable_executor()->set_oom_kills_at_start(found);
    static_cast<void>(store.Ingest(next.SerializeAsString()));
    const Json death = TheDeath(store);
    EXPECT_EQ(death["outOfMemory"], false);
    EXPECT_EQ(death["unknown"], found == 4);
    EXPECT_THAT(death["how"].get<std::string>(),
                HasSubstr(found == 4 ? "the kernel killed something in its cgroup" : "the next one in it, found"));
  }
}

// An idle executor says nothing for hours. The kernel may have killed another process of its container meanwhile.
TEST(LaterKills, AKillSinceAnOldLookMayHaveBeenOfAnother) {
  for (const int64_t said_before_ms : {int64_t{500}, int64_t{3'600'000}}) {
    ProfileStore store;
    FillScene(store, kCode137, kContainer / 4, "spark://m:7077", false, said_before_ms);
    store.ExecutorAdded({"2", "node7", 2, 512, -1, -1, -1, kBegin + 12'000});
    proto::Envelope next = LastSnapshot(kContainer / 9, "2", 4);
    next.mutable_executor()->set_oom_kills_at_start(4);
    static_cast<void>(store.Ingest(next.SerializeAsString()));
    const Json death = TheDeath(store);
    const bool is_old = said_before_ms > 60'000;
    EXPECT_EQ(death["outOfMemory"], !is_old) << death["how"];
    EXPECT_EQ(death["unknown"], is_old) << death["how"];
    EXPECT_EQ(death["how"].get<std::string>().find("killed something in its cgroup") != std::string::npos, is_old) << death["how"];
  }
}

TEST(LaterKills, WhatKubernetesSaysMayBeOfAWorkerThatWasKilledBefore) {
  for (const int64_t killed_ms : {kBegin - 4'000, kBegin + 4'000}) {
    ProfileStore store;
    FillScene(store, "The executor with id 1 exited with exit code 137(SIGKILL, possible container OOM). reason: OOMKilled",
              kContainer / 5);
    proto::Envelope worker = EnvelopeOf("1");
    worker.mutable_worker_death()->set_time_ms(killed_ms);
    worker.mutable_worker_death()->set_pid(4711);
    worker.mutable_worker_death()->set_oom_kills(1);
    ASSERT_TRUE(store.Ingest(worker.SerializeAsString()).ok());
    const Json deaths = Json::parse(store.ReportJson(false))["postMortems"];
    const auto of_pod = std::find_if(deaths.begin(), deaths.end(), [](const Json& row) { return row["process"] != "python-worker"; });
    ASSERT_NE(of_pod, deaths.end()) << deaths;
    EXPECT_EQ((*of_pod)["unknown"], killed_ms < kBegin) << (*of_pod)["how"];
    EXPECT_EQ((*of_pod)["outOfMemory"], killed_ms > kBegin) << "of one shortage with the worker's";
  }
}

TEST(LaterKills, ThatTheKernelKilledNothingOnTheHostIsEvidence) {
  struct Case {
    uint64_t found;
    const char* boot;
    uint64_t used;
    bool out_of_memory, unknown;
    const char* told;
    int64_t read_ms = 12'000;
  };
  const char* nothing = "executor 2, the next one on its host, found that the kernel killed nothing there";
  for (const Case& each : {Case{7, "boot-1", kContainer / 3, false, false, nothing}, Case{7, "boot-1", kFull, false, true, nothing},
                           Case{8, "boot-1", kFull, true, false, ""}, Case{7, "boot-2", kFull, true, false, ""},
                           Case{8, "boot-1", kContainer / 3, false, true, "the kernel killed something on its host meanwhile"},
                           Case{8, "boot-1", kContainer / 3, false, false, "33 % of the limit", 70'001},
                           Case{7, "boot-1", kContainer / 3, false, false, nothing, 70'001}}) {
    ProfileStore store;
    FillScene(store, kCode137, each.used);
    proto::Envelope own = LastSnapshot(each.used);
    own.mutable_executor()->set_host_oom_kills(7);
    own.mutable_executor()->set_boot_id("boot-1");
    ASSERT_TRUE(store.Ingest(own.SerializeAsString()).ok());
    store.ExecutorAdded({"2", "pod-8", 2, 512, -1, -1, -1, kBegin + each.read_ms});
    proto::Envelope next = LastSnapshot(kContainer / 9, "2");
    next.mutable_executor()->set_host("pod-8");  // it is in another cgroup
    next.mutable_executor()->set_host_oom_kills_at_start(each.found);
    next.mutable_executor()->set_boot_id(each.boot);
    ASSERT_TRUE(store.Ingest(next.SerializeAsString()).ok());
    const Json death = TheDeath(store);
    EXPECT_EQ(death["outOfMemory"], each.out_of_memory) << each.boot << each.found;
    EXPECT_EQ(death["unknown"], each.unknown) << each.boot << each.found;
    EXPECT_THAT(death["how"].get<std::string>(), HasSubstr(each.told));
  }
}

// Its own count has the kill of a worker that died long before.
TEST(LaterKills, AnOldKillOfAWorkerDoesNotExplainANewOneOnTheHost) {
  for (const bool counted : {true, false}) {
    ProfileStore store;
    FillScene(store, kCode137, kContainer / 3);
    proto::Envelope worker = EnvelopeOf("1");
    worker.mutable_worker_death()->set_time_ms(counted ? kBegin + 1'000 : kBegin + 9'990);
    worker.mutable_worker_death()->set_pid(4711);
    worker.mutable_worker_death()->set_oom_kills(1);
    ASSERT_TRUE(store.Ingest(worker.SerializeAsString()).ok());
    proto::Envelope own = LastSnapshot(kContainer / 3);
    own.mutable_executor()->set_taken_ms(kBegin + 9'980);
    own.mutable_executor()->set_host_oom_kills(7);
    own.mutable_executor()->set_boot_id("boot-1");
    ASSERT_TRUE(store.Ingest(own.SerializeAsString()).ok());
    store.ExecutorAdded({"2", "pod-8", 2, 512, -1, -1, -1, kBegin + 12'000});
    proto::Envelope next = LastSnapshot(kContainer / 9, "2");
    next.mutable_executor()->set_host("pod-8");
    next.mutable_executor()->set_host_oom_kills_at_start(8);
    next.mutable_executor()->set_boot_id("boot-1");
    ASSERT_TRUE(store.Ingest(next.SerializeAsString()).ok());
    const Json deaths = Json::parse(store.ReportJson(false))["postMortems"];
    const auto of_jvm = std::find_if(deaths.begin(), deaths.end(), [](const Json& row) { return row["process"] == "jvm"; });
    ASSERT_NE(of_jvm, deaths.end()) << deaths;
    EXPECT_EQ((*of_jvm)["unknown"], counted) << (*of_jvm)["how"];
  }
}

}  // namespace
}  // namespace memprof
