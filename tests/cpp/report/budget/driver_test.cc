#include "budget/driver.h"

#include <gtest/gtest.h>

#include <string>

#include "budget/memory_size.h"
#include "report/budget/region.h"

namespace memprof {
namespace {

using testing::Region;

Budget BudgetOfDriver(const std::string& master, const SparkSettings& settings, BudgetInput input = {}) {
  input.settings = &settings;
  return ClusterManagerOfDriver(master)->BudgetOf(input);
}

TEST(DriverBudget, ADriverInClientModeHasNoContainer) {
  BudgetInput input;
  input.heap_max_bytes = 1300 * kMib;
  input.host_memory_bytes = 8 * kGib;
  const SparkSettings settings = {{"spark.driver.memory", "1300m"}, {"spark.executor.memory", "9g"}, {"spark.driver.memoryOverhead", "2g"}};
  for (const char* master : {"yarn", "k8s://https://host", "spark://host:7077", "local-cluster[2,1,1024]"}) {
    const Budget budget = BudgetOfDriver(master, settings, input);
    EXPECT_EQ(Region(budget, "heap.storage"), 300 * kMib);  // (1300 - 300) × 0.6 × 0.5
    EXPECT_EQ(Region(budget, "overhead"), 0u);
    EXPECT_EQ(budget.requested_bytes, 1300 * kMib);
    EXPECT_EQ(budget.limit_bytes, 8 * kGib);
    EXPECT_EQ(budget.limit_source, LimitSource::kHost);
  }
  input.cgroup_limit_bytes = 2 * kGib;
  EXPECT_EQ(BudgetOfDriver("yarn", settings, input).limit_source, LimitSource::kCgroup);
}

TEST(DriverBudget, ADriverInClusterModeHasAnOverheadOfItsOwn) {
  SparkSettings settings = {{"spark.driver.memory", "5g"}, {"spark.submit.deployMode", "cluster"}, {"spark.executor.memoryOverhead", "9g"}};
  EXPECT_EQ(Region(BudgetOfDriver("yarn", settings), "overhead"), 512 * kMib);  // a tenth of 5120 MiB
  EXPECT_EQ(BudgetOfDriver("yarn", settings).limit_bytes, 5632 * kMib);
  settings["spark.kubernetes.resource.type"] = "python";
  EXPECT_EQ(Region(BudgetOfDriver("k8s://https://host", settings), "overhead"), 2048 * kMib);  // 0.4
  settings["spark.driver.memoryOverheadFactor"] = "0.2";
  EXPECT_EQ(Region(BudgetOfDriver("yarn", settings), "overhead"), 1024 * kMib);
  settings["spark.driver.memoryOverhead"] = "700m";
  EXPECT_EQ(Region(BudgetOfDriver("yarn", settings), "overhead"), 700 * kMib);
  EXPECT_EQ(BudgetOfDriver("spark://host:7077", settings).requested_bytes, 5 * kGib);  // standalone reserves the heap alone
  settings = {{"spark.submit.deployMode", "cluster"}};
  EXPECT_EQ(Region(BudgetOfDriver("yarn", settings), "overhead"), 384 * kMib);
}

TEST(DriverBudget, InClusterModeItIsHeldToWhatItWasGranted) {
  SparkSettings settings = {{"spark.driver.memory", "600m"},
                            {"spark.driver.memoryOverhead", "600m"},
                            {"spark.executor.memory", "9g"},
                            {"spark.master", "yarn"},
                            {"yarn.scheduler.minimum-allocation-mb", "64"}};
  EXPECT_EQ(GrantedToDriver(settings), 0u) << "client mode";
  settings["spark.submit.deployMode"] = "cluster";
  EXPECT_EQ(GrantedToDriver(settings), 1216 * kMib) << "as YARN rounds it up";
  settings["spark.master"] = "k8s://https://host";
  EXPECT_EQ(GrantedToDriver(settings), 1200 * kMib);
  settings["spark.master"] = "spark://host:7077";
  EXPECT_EQ(GrantedToDriver(settings), 0u) << "nobody ends it";
}

// spark-submit runs in the driver's pod, in client mode.
TEST(DriverBudget, InAPodOfKubernetesItIsInClusterMode) {
  SparkSettings settings = {
      {"spark.driver.memory", "5g"}, {"spark.submit.deployMode", "client"}, {"spark.kubernetes.submitInDriver", "true"}};
  EXPECT_EQ(BudgetOfDriver("k8s://https://host", settings).requested_bytes, 5632 * kMib);
  settings["spark.kubernetes.submitInDriver"] = "false";
  EXPECT_EQ(BudgetOfDriver("k8s://https://host", settings).requested_bytes, 5 * kGib);
}

TEST(DriverBudget, InLocalModeTheDriverIsTheExecutor) {
  EXPECT_EQ(ClusterManagerOfDriver("local[2]"), nullptr);
  EXPECT_EQ(ClusterManagerOfDriver("program"), nullptr);
}

}  // namespace
}  // namespace memprof
