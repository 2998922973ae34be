#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/postmortem/worker_scene.h"
#include "report/told.h"

namespace memprof {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;
using namespace testing;

constexpr uint64_t kUsed = kContainer / 100 * 93;

std::string DriversPython(uint64_t oom_kills) {
  proto::Envelope envelope = EnvelopeOf("driver");
  proto::WorkerDeath& death = *envelope.mutable_worker_death();
  death.set_drivers_own(true);
  death.set_time_ms(kBegin + 9'800);
  death.set_pid(5001);
  death.set_start_ticks(71'003);
  death.set_task_attempt_id(-1);
  death.set_stage_id(-1);
  death.set_oom_kills(oom_kills);
  death.set_limit_bytes(kContainer);
  death.mutable_before()->set_time_ms(kBegin + 9'760);
  death.mutable_before()->set_used_bytes(kUsed);
  AddProcess(*death.mutable_before()->add_processes(), 5001, "python-driver", 900 * kMi, {});
  AddProcess(*death.mutable_before()->add_processes(), 5000, "jvm", 400 * kMi, {});
  return envelope.SerializeAsString();
}

void FillDriver(ProfileStore& store, const char* master = "local[2]") {
  store.ApplicationStarted("app-1", "scene", "4.0.0", "3.11.7", master, kBegin);
  store.ExecutorAdded({"driver", "node7", 2, 512, -1, -1, -1, kBegin + 100});
  static_cast<void>(store.Ingest(LastSnapshot(kUsed, "driver").SerializeAsString()));
}

TEST(DriverPythonDeath, TheJvmTellsOfItWhereNobodyElseCan) {
  ProfileStore store;
  FillDriver(store);
  ASSERT_TRUE(store.Ingest(DriversPython(1)).ok());
  ASSERT_TRUE(store.Ingest(DriversPython(1)).ok()) << "told twice";
  const Json death = TheDeath(store);
  EXPECT_EQ(death["executorId"], "driver");
  EXPECT_EQ(death["process"], "python-driver");
  EXPECT_EQ(death["pid"], 5001);
  EXPECT_EQ(death["startTicks"], 71'003);
  EXPECT_EQ(death["exitCode"], nullptr);
  EXPECT_EQ(death["taskAttemptId"], nullptr);
  EXPECT_EQ(death["stageId"], nullptr);
  EXPECT_EQ(death["outOfMemory"], true);
  EXPECT_EQ(death["usedBytes"], kUsed);
  EXPECT_EQ(death["limitBytes"], kContainer);
  EXPECT_EQ(death["lastSampleAgeMs"], 40);
  EXPECT_EQ(death["headline"],
            "The driver's Python process 5001 was killed for its memory: 93 % of the limit was in use (1.3 GiB of 1.4 GiB)");
  EXPECT_EQ(death["how"], "the kernel's oom_kill counter of its cgroup rose by 1, as the driver's JVM found");
  EXPECT_THAT(death["advice"].back()["because"].get<std::string>(), HasSubstr("no setting of Spark bounds its Python process"));
}

// On YARN and Kubernetes, in cluster mode: spark.driver.memory and the overhead, in which all of Python lives.
TEST(DriverPythonDeath, AContainerThatTheSettingsSizeGrowsByThem) {
  const auto pieces = [](const char* deploy_mode, const char* grant) {
    ProfileStore store;
    FillDriver(store, "yarn");
    proto::Envelope heap = EnvelopeOf("driver");
    AddProcess(*heap.mutable_executor()->add_processes(), 5000, "jvm", 400 * kMi, {{"Java heap", 380 * kMi}});
    Tell(store, heap);
    store.Configuration({{"spark.master", "yarn"},
                         {"spark.submit.deployMode", deploy_mode},
                         {"spark.driver.memory", "1016m"},
                         {"yarn.scheduler.maximum-allocation-mb", grant}});
    EXPECT_TRUE(store.Ingest(DriversPython(1)).ok());
    return TheDeath(store)["advice"];
  };
  const auto advice = [&](const char* deploy_mode, const char* grant) { return pieces(deploy_mode, grant).back(); };
  const Json more = advice("cluster", "8192");
  EXPECT_EQ(more["conf"], "spark.driver.memoryOverhead") << more;
  EXPECT_EQ(more["from"], "384m");
  EXPECT_EQ(more["to"], "524m");  // 1400 MiB + 10 % = 1540 MiB
  EXPECT_THAT(more["because"].get<std::string>(),
              HasSubstr("the driver's container grows from 1.4 GiB to at least 1.5 GiB, and all of that is for its Python process"));
  EXPECT_EQ(pieces("client", "8192")[0]["conf"], "spark.driver.memory");
  for (const Json& piece : pieces("cluster", "8192")) EXPECT_NE(piece["conf"], "spark.driver.memory") << "its container would shrink";
  const Json beyond = advice("cluster", "1500");
  EXPECT_EQ(beyond["conf"], nullptr);
  EXPECT_THAT(beyond["because"].get<std::string>(),
              HasSubstr("a container of at least 1.5 GiB for the driver instead of 1.4 GiB, but yarn.scheduler.maximum-allocation-mb"));
  EXPECT_THAT(advice("client", "8192")["because"].get<std::string>(), HasSubstr("no setting of Spark bounds its Python process"));
}

TEST(DriverPythonDeath, TheDriversJvmMayDieBesideIt) {
  ProfileStore store;
  FillDriver(store);
  static_cast<void>(store.Ingest(DriversPython(1)));
  store.ExecutorRemoved("driver", "Command exited with code 137", kBegin + 10'000);
  EXPECT_EQ(Deaths(store).size(), 2u);
  EXPECT_THAT(TakePostMortems(store, kBegin + 20'000, true),
              UnorderedElementsAre(HasSubstr("The driver's Python process 5001"), HasSubstr("exit code 137")));
}

}  // namespace
}  // namespace memprof
