// A heap that ran out while several tasks ran.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/advice/scene.h"

namespace memprof {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ExecutorCores, FewerDoNotHelpAgainstOneLargeTask) {
  Scene scene(4, 0);
  scene.input.of_heap = true;
  scene.input.heap_by_task = {900 * kMi, 20 * kMi, 10 * kMi, 30 * kMi};
  EXPECT_FALSE(AdviseExecutorCores(scene.Input()));
  EXPECT_EQ(AdviseExecutorMemory(scene.Input())->to, "2048m");
  EXPECT_THAT(
      AdviseExecutorMemory(scene.Input())->because,
      HasSubstr("one task, which allocated 900.0 MiB while the 3 beside it allocated 30.0 MiB at most, filled the heap of 1.0 GiB"));

  scene.input.task_bytes = 900 * kMi;
  scene.input.peer_bytes = {700 * kMi, 800 * kMi, 900 * kMi};
  EXPECT_TRUE(AdviseExecutorCores(scene.Input())) << "it is like those that have finished: the others have only begun";
  EXPECT_FALSE(AdviseExecutorMemory(scene.Input()));
  scene.input.peer_bytes = {20 * kMi, 30 * kMi, 40 * kMi};
  EXPECT_FALSE(AdviseExecutorCores(scene.Input()));

  scene.input.heap_by_task = {400 * kMi, 20 * kMi, 10 * kMi, 30 * kMi};
  EXPECT_TRUE(AdviseExecutorCores(scene.Input())) << "less than half of the heap can't have filled it";
  scene.input.heap_by_task = {900 * kMi, 20 * kMi, 10 * kMi, 400 * kMi};
  EXPECT_TRUE(AdviseExecutorCores(scene.Input())) << "two large ones share it";
  scene.input.heap_by_task = {30 * kMi, 900 * kMi, 10 * kMi, 20 * kMi};
  EXPECT_TRUE(AdviseExecutorCores(scene.Input())) << "whose error it was had little: who filled the heap is not known";
}

TEST(ExecutorMemory, ADriversThatWasSetTooLateIsNamed) {
  constexpr const char* kTooLate = "; the driver's JVM didn't get what is set: set it for spark-submit or in spark-defaults.conf";
  Scene scene(1, 0);
  scene.input.of_heap = true;
  scene.executor.id = "driver";
  scene.settings["spark.driver.memory"] = "8g";  // by the program, in a JVM that runs
  EXPECT_EQ(AdviseExecutorMemory(scene.Input())->to, "2048m");
  EXPECT_THAT(AdviseExecutorMemory(scene.Input())->because, HasSubstr(kTooLate));
  scene.settings["spark.driver.memory"] = "1g";
  EXPECT_THAT(AdviseExecutorMemory(scene.Input())->because, Not(HasSubstr(kTooLate)));
  scene.settings.erase("spark.driver.memory");
  EXPECT_THAT(AdviseExecutorMemory(scene.Input())->because, Not(HasSubstr(kTooLate)));
}

// Kubernetes reserves 40 % for Python in cluster mode.
TEST(HeapBounds, TheOverheadGrowsAsSparkComputesIt) {
  Scene scene(1, 0);
  scene.input.of_heap = true;
  scene.executor.heap_max_bytes = 10'240 * kMi;
  scene.executor.regions[0].budget_bytes = 4096 * kMi;
  scene.executor.requested_bytes = 14'336 * kMi;
  scene.executor.host_memory_bytes = 24'576 * kMi;
  scene.settings = {
      {"spark.master", "k8s://https://api"}, {"spark.executor.memory", "10240m"}, {"spark.kubernetes.memoryOverheadFactor", "0.4"}};
  EXPECT_EQ(AdviseExecutorMemory(scene.Input())->to, "17554m");  // + 7021 MiB
  EXPECT_THAT(AdviseExecutorMemory(scene.Input())->because, HasSubstr("and the host it ran on has 24.0 GiB at most"));
  scene.executor.host_memory_bytes = 24'000 * kMi;
  scene.settings["spark.executor.memoryOverhead"] = "4096m";
  EXPECT_EQ(AdviseExecutorMemory(scene.Input())->to, "19904m") << "what is set does not grow: 24000 - 4096";
  scene.settings.erase("spark.executor.memoryOverhead");
  scene.executor.resource_profile.id = 1;
  scene.executor.resource_profile.requests = ReportResourceProfile::kMemory;
  EXPECT_EQ(AdviseExecutorMemory(scene.Input())->to, "19904m") << "nor does it grow with the heap of a ResourceProfile";
  scene.executor.resource_profile.requests = ReportResourceProfile::kMemoryOverhead;
  scene.executor.regions[0].budget_bytes = 1024 * kMi;
  scene.executor.requested_bytes = 11'264 * kMi;
  scene.executor.host_memory_bytes = 14'336 * kMi;
  EXPECT_EQ(AdviseExecutorMemory(scene.Input())->to, "13312m") << "a profile's own overhead";
}

// spark.executor.memoryOverhead=0: its container is made of the settings all the same, and is no bound.
TEST(HeapBounds, AContainerWithoutAnOverheadGrowsToo) {
  Scene scene(1, 0);
  scene.input.of_heap = true;
  scene.executor.regions[0].budget_bytes = 0;
  scene.executor.requested_bytes = scene.executor.limit_bytes = 1024 * kMi;
  scene.executor.limit_source = "cgroup";
  scene.executor.host_memory_bytes = 65'536 * kMi;
  scene.settings = {{"spark.master", "k8s://https://api"}, {"spark.executor.memoryOverhead", "0"}};
  EXPECT_EQ(AdviseExecutorMemory(scene.Input())->to, "2048m");
}

// Locally and on standalone clusters nothing is reserved beside the heap.
TEST(HeapBounds, WhereNothingIsReservedThereMustBeRoomForWhatWasMeasured) {
  for (const bool of_driver : {true, false}) {
    Scene scene(4, 300 * kMi);
    scene.input.of_heap = true;
    scene.input.tasks_at_once = 1;
    scene.executor.id = of_driver ? "driver" : "1";
    scene.settings["spark.master"] = of_driver ? "local[4]" : "spark://h:7077";
    scene.executor.regions[0].budget_bytes = 0;
    scene.executor.limit_source = "cgroup";
    scene.executor.limit_bytes = 4000 * kMi;
    EXPECT_EQ(AdviseExecutorMemory(scene.Input())->to, "2048m");
    scene.executor.limit_bytes = 3500 * kMi;
    EXPECT_EQ(AdviseExecutorMemory(scene.Input())->to, "1971m");  // 3500 - 1.1 * (1200 + 190)
    EXPECT_THAT(AdviseExecutorMemory(scene.Input())->because,
                HasSubstr("its cgroup has 3.4 GiB at most (beside the heap: Python workers together held 1.2 GiB (4 at once) + JVM native "
                          "190.0 MiB + 10 %)"));
    scene.executor.limit_bytes = 2500 * kMi;
    EXPECT_EQ(AdviseExecutorMemory(scene.Input())->conf, "");
  }
}

}  // namespace
}  // namespace memprof
