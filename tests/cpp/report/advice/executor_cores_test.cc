// Fewer tasks at once: how many fit, and when that is no advice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advice/figures.h"
#include "report/advice/scene.h"

namespace memprof {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

// With a heap that has grown to its size: the JVM can't become larger.
Scene GrownScene(size_t workers, uint64_t each) {
  Scene scene(workers, each);
  scene.executor.heap_max_bytes = 512 * kMi;
  return scene;
}

TEST(ExecutorCores, ATaskMayTakeSeveral) {
  Scene scene = GrownScene(2, 900 * kMi);
  scene.settings["spark.task.cpus"] = "2";
  EXPECT_EQ(AdviseExecutorCores(scene.Input())->to, "2") << "one task";
  scene.input.of_heap = true;
  EXPECT_EQ(AdviseExecutorCores(scene.Input())->to, "2");
  scene.settings["spark.task.cpus"] = "4";
  EXPECT_FALSE(AdviseExecutorCores(scene.Input())) << "one runs at once already";
}

TEST(ExecutorCores, AsManyAsFit) {
  std::optional<ReportAdvice> advice = AdviseExecutorCores(GrownScene(4, 480 * kMi).Input());
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->conf, "spark.executor.cores");
  EXPECT_EQ(advice->from, "4");
  EXPECT_EQ(advice->to, "2");  // (2048 - 702) / 528
}

TEST(ExecutorCores, AHeapGrows) {
  const std::optional<ReportAdvice> advice = AdviseExecutorCores(Scene(4, 480 * kMi).Input());
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->to, "1");  // (2048 - 1024 - 190) / 528
  EXPECT_THAT(advice->because, HasSubstr("480.0 MiB each; beside the JVM's 1.2 GiB with a full heap the limit of 2.0 GiB has room for 1"));
  Scene full(4, 480 * kMi);
  full.executor.heap_max_bytes = 1900 * kMi;
  EXPECT_FALSE(AdviseExecutorCores(full.Input())) << "not even one";
}

TEST(ExecutorCores, TheLargestTasksMustFit) {
  Scene scene = GrownScene(2, 100 * kMi);
  scene.death.processes.push_back({110, {}, "python-worker", 800 * kMi, {}, 0, std::nullopt, true});
  scene.death.processes.push_back({111, {}, "python-worker", 500 * kMi, {}, 0, std::nullopt, true});
  const std::optional<ReportAdvice> advice = AdviseExecutorCores(scene.Input());
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->to, "1");  // 1346 for 880 and 550; four as large as the mean would be 1650
  EXPECT_THAT(advice->because, HasSubstr("held 1.5 GiB (4 at once), up to 800.0 MiB each; "));
}

// What fills them is more than they had touched.
TEST(ExecutorCores, LiveBlocksAreTheLargestWorkersAboveAll) {
  Scene scene = GrownScene(1, 600 * kMi);
  scene.death.processes.push_back({110, {}, "python-worker", 200 * kMi, {}, 0, std::nullopt, true});
  scene.AddSite(1'200 * kMi, "", {});
  EXPECT_EQ(BytesOfTasks(LargestPythonSum(scene.Input()), 1), 900 * kMi);
  EXPECT_EQ(BytesOfTasks(LargestPythonSum(scene.Input()), 2), 1'200 * kMi);
}

TEST(ExecutorCores, ATaskOfTwoFunctionsHasTwoWorkers) {
  Scene scene = GrownScene(8, 240 * kMi);  // on four cores
  const std::optional<ReportAdvice> advice = AdviseExecutorCores(scene.Input());
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->to, "2");
  EXPECT_THAT(advice->because, HasSubstr("480.0 MiB for each task"));
  Scene idle = GrownScene(0, 0);
  for (int32_t pid : {101, 102}) idle.death.processes.push_back({pid, {}, "python-worker", 900 * kMi, {}, 0, std::nullopt, true});
  for (int32_t pid : {103, 104, 105}) idle.death.processes.push_back({pid, {}, "python-worker", 20 * kMi, {}, 0, std::nullopt, true});
  EXPECT_EQ(BytesOfTasks(LargestPythonSum(idle.Input()), 1), 920 * kMi) << "one more than there are cores";
}

// A worker's own post-mortem has the blocks of its task alone.
TEST(ExecutorCores, OfOneWorkersBlocksTheOthersKnowNothing) {
  Scene scene = GrownScene(4, 300 * kMi);
  scene.death.process = "python-worker";
  scene.death.pid = 102;
  scene.AddSite(1'100 * kMi, "", {});
  const PythonAtOnce python = LargestPythonSum(scene.Input());
  EXPECT_EQ(python.bytes, 2'000 * kMi);
  EXPECT_EQ(BytesOfTasks(python, 1), 1'100 * kMi);
  EXPECT_EQ(BytesOfTasks(python, 2), 1'400 * kMi);
  EXPECT_THAT(PythonPhrase(python), "Python workers together held, with all blocks of the one that died, 2.0 GiB (4 at once)");
  EXPECT_EQ(AdviseExecutorCores(scene.Input())->to, "1");
  scene.death.processes[1].last_task_attempt_id = 17;  // the same task's
  EXPECT_EQ(LargestPythonSum(scene.Input()).bytes, 1'700 * kMi);
  scene.death.processes[1].last_task_attempt_id.reset();
  scene.death.started_by_task = true;  // not a worker: the blocks may be of that
  EXPECT_EQ(LargestPythonSum(scene.Input()).bytes, 1'200 * kMi);
  scene.death.started_by_task = false;
  scene.death.pid = 7;  // no sample has seen it
  EXPECT_EQ(LargestPythonSum(scene.Input()).bytes, 2'300 * kMi);
  scene.death.sites.front().live_at_peak_bytes = 10 * kMi;
  EXPECT_EQ(LargestPythonSum(scene.Input()).bytes, 1'200 * kMi + 10 * kMi);
}

TEST(ExecutorCores, AStandaloneWorkerWouldStartAnotherExecutorForTheOthers) {
  Scene scene = GrownScene(4, 480 * kMi);
  scene.input.peer_bytes = {1};
  scene.settings["spark.master"] = "yarn";
  EXPECT_THAT(AdviseExecutorCores(scene.Input())->because, EndsWith("room for 2 of these + 10 %"));
  for (const char* master : {"spark://m:7077", "local-cluster[1,4,2048]"}) {
    scene.settings["spark.master"] = master;
    EXPECT_THAT(AdviseExecutorCores(scene.Input())->because, HasSubstr("also set spark.cores.max"));
  }
  scene.input.of_heap = true;
  EXPECT_THAT(AdviseExecutorCores(scene.Input())->because, HasSubstr("starts a second executor, which takes as much of the host again"));
  scene.settings["spark.master"] = "yarn";
  EXPECT_THAT(AdviseExecutorCores(scene.Input())->because, Not(HasSubstr("spark.cores.max")));
}

// Each task has a worker, and a program that it has started.
TEST(ExecutorCores, ProgramsAreAPartOfWhatATaskNeeds) {
  Scene scene = GrownScene(4, 100 * kMi);
  for (int32_t pid : {201, 202, 203, 204}) scene.death.processes.push_back({pid, {}, "program", 380 * kMi, {}, 0, std::nullopt, true});
  const std::optional<ReportAdvice> advice = AdviseExecutorCores(scene.Input());
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->to, "2");
  EXPECT_THAT(advice->because,
              HasSubstr("Python workers together held 400.0 MiB (4 at once) + 1.5 GiB in programs beside them, 480.0 MiB each"));
  scene.AddSite(500 * kMi, "SQL_SCALAR_PANDAS_UDF", {});
  EXPECT_THAT(PythonPhrase(LargestPythonSum(scene.Input())),
              HasSubstr("Python had 500.0 MiB in live blocks (4 at once) + 1.5 GiB in programs beside them"));
}

TEST(ExecutorCores, NotForOneWorkerNorWhereNoneFitsNorWhereAllDo) {
  EXPECT_FALSE(AdviseExecutorCores(Scene(1, 1900 * kMi).Input()));
  EXPECT_FALSE(AdviseExecutorCores(Scene(2, 1400 * kMi).Input()));
  EXPECT_FALSE(AdviseExecutorCores(Scene(4, 100 * kMi).Input()));
  Scene one_core(4, 480 * kMi);
  one_core.executor.cores = 1;
  EXPECT_FALSE(AdviseExecutorCores(one_core.Input()));
  Scene driver(4, 480 * kMi);
  driver.executor.id = "driver";
  EXPECT_FALSE(AdviseExecutorCores(driver.Input()));
}

TEST(ExecutorCores, AHeapIsSharedByItsTasks) {
  Scene scene(4, 0);
  scene.input.of_heap = true;
  EXPECT_EQ(AdviseExecutorCores(scene.Input())->to, "2");
  EXPECT_THAT(AdviseExecutorCores(scene.Input())->because, HasSubstr("256.0 MiB each"));
  EXPECT_FALSE(AdviseExecutorMemory(scene.Input())) << "fewer at once come first";
}

}  // namespace
}  // namespace memprof
