#include <gmock/gmock.h>

#include <functional>

#include "report/postmortem/worker_scene.h"

namespace memprof {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace testing;

// Executor 1 after its two tasks have ended well.
void FillQuietScene(ProfileStore& store, const proto::Envelope& snapshot, const std::string& master = "spark://m:7077") {
  store.ApplicationStarted("app-1", "scene", "4.0.0", "3.11.7", master, kBegin);
  store.ExecutorAdded({"1", "node7", 2, 512, -1, -1, -1, kBegin + 100});
  static_cast<void>(store.Ingest(snapshot.SerializeAsString()));
}

std::vector<std::string> Findings(const ProfileStore& store) {
  std::vector<std::string> headlines;
  const Json report = Json::parse(store.ReportJson(false));
  for (const Json& finding : report["findings"]) headlines.push_back(finding["headline"]);
  return headlines;
}

proto::Envelope Shared(const std::string& executor, uint64_t used) {
  proto::Envelope snapshot = LastSnapshot(used, executor);
  snapshot.mutable_executor()->set_cgroup_shared(true);
  return snapshot;
}

TEST(Findings, AFullContainerThatLived) {
  ProfileStore store;
  FillQuietScene(store, LastSnapshot(kFull));
  EXPECT_THAT(Findings(store), ElementsAre(HasSubstr("Executor 1 used 1.3 GiB of its limit of 1.4 GiB (97 %) and lived")));
}

TEST(Findings, NotOfAnExecutorWhoseDeathIsTold) {
  ProfileStore store;
  FillScene(store, kCode137, kFull);
  ASSERT_EQ(TheDeath(store)["process"], "jvm");
  EXPECT_THAT(Findings(store), IsEmpty());
}

// A worker that crashed for another reason leaves the container as full as it was.
TEST(Findings, AWorkersDeathHidesThemOnlyIfItWasForMemory) {
  for (const bool of_memory : {true, false}) {
    ProfileStore store;
    FillWorkerScene(store);
    static_cast<void>(store.Ingest(LastSnapshot(kFull, "1", of_memory ? 4 : 3).SerializeAsString()));
    ProfileBuilder task = EndedTask();
    AddIncident(task, 9'790, of_memory ? 9 : 11);
    if (of_memory) {
      ASSERT_TRUE(store.Ingest(WorkerDeath(1)).ok());
    } else {
      ASSERT_TRUE(store.Ingest(task.Bytes()).ok());
    }
    FailTask40(store, "Python worker exited unexpectedly (crashed)");
    ASSERT_EQ(TheDeath(store)["outOfMemory"], of_memory);
    EXPECT_EQ(Findings(store).size(), of_memory ? 0u : 1u);
  }
}

TEST(Findings, ASharedLimitIsToldOnceOfTheOneThatSawMost) {
  ProfileStore store;
  FillQuietScene(store, Shared("1", kContainer / 2));
  store.ExecutorAdded({"2", "node7", 2, 512, -1, -1, -1, kBegin + 100});
  store.ExecutorAdded({"3", "node7", 2, 512, -1, -1, -1, kBegin + 100});
  ASSERT_TRUE(store.Ingest(Shared("2", kContainer / 100 * 91).SerializeAsString()).ok());
  ASSERT_TRUE(store.Ingest(Shared("3", kFull).SerializeAsString()).ok());
  EXPECT_THAT(Findings(store), ElementsAre(HasSubstr("All that shares the limit of executor 3 used 1.3 GiB")));
}

// All of a node's executors may live in the node manager's group, which limits nobody: each has what YARN granted it.
TEST(Findings, AGroupWithoutALimitIsNoSharedLimit) {
  ProfileStore store;
  proto::Envelope snapshot = Shared("1", 880 * kMi);
  snapshot.mutable_executor()->clear_cgroup_limit_bytes();
  FillQuietScene(store, snapshot, "yarn");
  EXPECT_THAT(Findings(store), ElementsAre(HasSubstr("Executor 1 used 880.0 MiB of its limit of 896.0 MiB")));
}

TEST(Findings, ProcessesOfAProgramAreNoUnevenTasks) {
  for (const char* master : {"spark://m:7077", "program"}) {
    ProfileStore store;
    store.ApplicationStarted("app-1", "scene", "4.0.0", "3.11.7", master, kBegin);
    store.StageSubmitted(5, 0, "collect", "job.py:30", 8, kBegin + 1000);
    for (int task = 40; task < 48; ++task) {
      const uint64_t bytes = task == 47 ? 2'000 * kMi : 20 * kMi;
      ProfileBuilder profile(task, 5, task - 40, "1");
      profile.Site(proto::ORIGIN_PYTHON, {Python("enrich", "/jobs/job.py", 17)}, bytes, 2).set_live_at_peak_bytes(bytes);
      ASSERT_TRUE(store.Ingest(profile.Bytes()).ok());
      store.TaskEnded({task, 5, 0, task - 40, 0, "1", TaskOutcome::kSucceeded, "", kBegin + 9'900});
    }
    EXPECT_EQ(Findings(store).size(), std::string(master) == "program" ? 0u : 1u);
  }
}

// Eight tasks; `fill` adds what number 0 to 7 held or allocated.
std::vector<std::string> FindingsOfEight(const std::function<void(int task, ProfileBuilder&)>& fill) {
  ProfileStore store;
  store.ApplicationStarted("app-1", "scene", "4.0.0", "3.11.7", "spark://m:7077", kBegin);
  store.StageSubmitted(5, 0, "collect", "job.py:30", 8, kBegin + 1000);
  for (int task = 0; task < 8; ++task) {
    ProfileBuilder profile(40 + task, 5, task, "1");
    fill(task, profile);
    EXPECT_TRUE(store.Ingest(profile.Bytes()).ok());
    store.TaskEnded({40 + task, 5, 0, task, 0, "1", TaskOutcome::kSucceeded, "", kBegin + 9'900});
  }
  return Findings(store);
}

void Hold(ProfileBuilder& task, uint32_t line, uint64_t at_peak, uint64_t at_end) {
  proto::Site& site = task.Site(proto::ORIGIN_PYTHON, {Python("enrich", "/jobs/job.py", line)}, at_peak, 2);
  site.set_live_at_peak_bytes(at_peak);
  site.set_live_bytes(at_end);
}

// Two workers load a model with their first task; each of the others finds it.
TEST(Findings, WhatAWorkerLoadsOnceMakesNoUnevenTasks) {
  for (const bool stays : {true, false}) {
    const std::vector<std::string> found = FindingsOfEight([&](int task, ProfileBuilder& profile) {
      Hold(profile, 17, 50 * kMi, 0);
      if (task < 2) Hold(profile, 5, 1'000 * kMi, stays ? 1'000 * kMi : 0);
    });
    if (stays) {
      EXPECT_THAT(found, IsEmpty());
    } else {
      EXPECT_THAT(found,
                  ElementsAre(HasSubstr("held 1.0 GiB of Python and native memory at its peak, 21× the median of 8 tasks (50.0 MiB)")));
    }
  }
}

TEST(Findings, APartitionThatIsLargerIsToldBesideWhatItsWorkerKeeps) {
  const std::vector<std::string> found = FindingsOfEight([&](int task, ProfileBuilder& profile) {
    Hold(profile, 17, (task == 7 ? 800 : 50) * kMi, 0);
    if (task < 2 || task == 7) Hold(profile, 5, 1'000 * kMi, 1'000 * kMi);
  });
  EXPECT_THAT(found,
              ElementsAre("In stage 5 task 47 (partition 7) held 800.0 MiB of Python and native memory at its peak beside 1000.0 MiB "
                          "that its worker keeps, 16× the median of 8 tasks (50.0 MiB)."));
}

TEST(Findings, WhatEachWorkerKeepsHidesNoPartitionThatIsLarger) {
  const std::vector<std::string> found = FindingsOfEight([&](int task, ProfileBuilder& profile) {
    Hold(profile, 17, (task == 7 ? 5'000 : 100) * kMi, 0);
    Hold(profile, 5, 1'000 * kMi, 1'000 * kMi);
  });
  EXPECT_THAT(found, ElementsAre(HasSubstr("beside 1000.0 MiB that its worker keeps, 50× the median of 8 tasks (100.0 MiB)")));
}

// The first task in an executor that reads a broadcast table unpacks it for all.
TEST(Findings, ABroadcastTableMakesNoUnevenTasks) {
  for (const bool of_broadcast : {true, false}) {
    const std::vector<std::string> found = FindingsOfEight([&](int task, ProfileBuilder& profile) {
      profile.Site(proto::ORIGIN_JVM_HEAP, {Java("", "org.acme.Rows.read", "Rows.java", 9)}, 50 * kMi, 3);
      const char* reader = of_broadcast ? "org.apache.spark.broadcast.TorrentBroadcast.getValue" : "org.acme.Tables.read";
      const std::vector<TestFrame> frames = {Java("", reader, "A.scala", 7),
                                             Java("", "org.apache.spark.sql.execution.joins.LongToUnsafeRowMap.<init>", "B.scala", 9)};
      if (task == 3) profile.Site(proto::ORIGIN_JVM_HEAP, frames, 950 * kMi, 3);
    });
    if (of_broadcast) {
      EXPECT_THAT(found, IsEmpty());
    } else {
      EXPECT_THAT(found, ElementsAre(HasSubstr("task 43 (partition 3) allocated 1000.0 MiB of heap, 20× the median of 8 tasks")));
    }
  }
}

}  // namespace
}  // namespace memprof
