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

}  // namespace
}  // namespace memprof
