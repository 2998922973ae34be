#include <gmock/gmock.h>

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

}  // namespace
}  // namespace memprof
