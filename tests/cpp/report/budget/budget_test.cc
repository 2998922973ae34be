// Numbers worked out by hand from Spark's documentation (Memory Management Overview, Running on YARN, Running on
// Kubernetes, Standalone Mode); the arithmetic stands beside each.
#include "budget/budget.h"

#include <gtest/gtest.h>

#include "budget/driver.h"
#include "budget/memory_size.h"
#include "report/budget/region.h"

namespace memprof {
namespace {

using testing::Region;

Budget BudgetOn(const std::string& master, const SparkSettings& settings, BudgetInput input = {}) {
  input.settings = &settings;
  return ClusterManagerOf(master)->BudgetOf(input);
}

TEST(Budget, HeapIsDividedAsUnifiedMemoryManagerDoes) {
  BudgetInput input;
  input.heap_max_bytes = 4 * kGib;
  Budget budget = BudgetOn("yarn", {{"spark.executor.memory", "4g"}}, input);
  // (4096 - 300) MiB = 3,980,394,496 B; × 0.6 = 2,388,236,697; half of it storage.
  EXPECT_EQ(Region(budget, "heap.reserved"), 300 * kMib);
  EXPECT_EQ(Region(budget, "heap.storage"), 1'194'118'348u);
  EXPECT_EQ(Region(budget, "heap.execution"), 1'194'118'349u);
  EXPECT_EQ(Region(budget, "heap.user"), 3'980'394'496u - 2'388'236'697u);
  EXPECT_FALSE(budget.heap_from_request);
}

TEST(Budget, HeapFollowsTheFractions) {
  BudgetInput input;
  input.heap_max_bytes = 1300 * kMib;
  Budget budget = BudgetOn("yarn", {{"spark.memory.fraction", "0.8"}, {"spark.memory.storageFraction", "0.25"}}, input);
  // 1000 MiB usable, 800 of it Spark's, 200 of these storage.
  EXPECT_EQ(Region(budget, "heap.storage"), 200 * kMib);
  EXPECT_EQ(Region(budget, "heap.execution"), 600 * kMib);
  EXPECT_EQ(Region(budget, "heap.user"), 200 * kMib);
}

TEST(Budget, HeapRegionsAddUpToMaxMemory) {
  for (uint64_t heap : {uint64_t{1}, 299 * kMib, 300 * kMib, 300 * kMib + 7, uint64_t{12'345'678'901}}) {
    BudgetInput input;
    input.heap_max_bytes = heap;
    Budget budget = BudgetOn("spark://host:7077", {}, input);
    EXPECT_EQ(*Region(budget, "heap.reserved") + *Region(budget, "heap.storage") + *Region(budget, "heap.execution") +
                  *Region(budget, "heap.user"),
              heap);
  }
}

TEST(Budget, WithoutMaxMemoryTheHeapAskedForIsDivided) {
  Budget budget = BudgetOn("spark://host:7077", {{"spark.executor.memory", "1300m"}});
  EXPECT_TRUE(budget.heap_from_request);
  EXPECT_EQ(Region(budget, "heap.user"), 400 * kMib);
}

uint64_t Granted(const SparkSettings& settings) {
  BudgetInput input;
  input.settings = &settings;
  return GrantedBytes(input);
}

TEST(Budget, ExecutorsAreHeldToItWhereTheClusterManagerWatches) {
  const SparkSettings settings = {{"spark.executor.memory", "512m"}, {"spark.executor.memoryOverhead", "77m"}};
  const auto granted = [&](const char* master) {
    SparkSettings with_master = settings;
    with_master["spark.master"] = master;
    return Granted(with_master);
  };
  EXPECT_EQ(granted("yarn"), 589 * kMib);
  EXPECT_EQ(granted("k8s://host:6443"), 589 * kMib);
  EXPECT_EQ(granted("spark://host:7077"), 0u) << "it reserves heap only, and watches over nothing";
  EXPECT_EQ(granted("local[2]"), 0u);
  EXPECT_EQ(Granted(settings), 0u) << "no master";
  EXPECT_EQ(GrantedBytes({}), 0u);
}

TEST(Budget, AnExecutorIsHeldToWhatItsOwnProfileAskedFor) {
  const SparkSettings settings = {{"spark.executor.memory", "512m"},
                                  {"spark.executor.memoryOverhead", "77m"},
                                  {"spark.master", "yarn"},
                                  {"spark.memory.offHeap.enabled", "true"},
                                  {"spark.yarn.isPython", "true"}};
  BudgetInput input;
  input.settings = &settings;
  input.heap_mib = 700;
  EXPECT_EQ(GrantedBytes(input), 777 * kMib);
  input.overhead_mib = 30;
  EXPECT_EQ(GrantedBytes(input), 730 * kMib);
  input.offheap_mib = 5;
  input.pyspark_mib = 1000;
  EXPECT_EQ(GrantedBytes(input), 1735 * kMib);
}

// DefaultResourceCalculator.normalize: up to a whole number of steps, which are the least allocation.
TEST(YarnBudget, TheLimitIsWhatYarnGrants) {
  const std::string least = "yarn.scheduler.minimum-allocation-mb", most = "yarn.scheduler.maximum-allocation-mb";
  SparkSettings settings = {{"spark.executor.memory", "1g"}, {"spark.master", "yarn"}};  // 1024 + 384 = 1408
  const auto limit_mib = [&settings] {
    const Budget budget = BudgetOn("yarn", settings);
    EXPECT_EQ(budget.requested_bytes, 1408 * kMib) << "which is rounded up";
    EXPECT_EQ(Granted(settings), budget.limit_bytes);
    return *budget.limit_bytes / kMib;
  };
  EXPECT_EQ(limit_mib(), 1408u) << "nobody says how";
  settings[least] = "64";
  EXPECT_EQ(limit_mib(), 1408u) << "22 × 64";
  settings[least] = "1024";
  EXPECT_EQ(limit_mib(), 2048u);
  settings[most] = "1500";
  EXPECT_EQ(limit_mib(), 1500u);
  settings[most] = "1000";
  EXPECT_EQ(limit_mib(), 1408u) << "then none was granted";
  settings.erase(most);
  settings[least] = "3000";
  EXPECT_EQ(limit_mib(), 3000u);
  settings["yarn.resourcemanager.scheduler.class"] = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler";
  settings[least] = "1024";
  EXPECT_EQ(limit_mib(), 1408u) << "its steps are not known";
  settings["yarn.scheduler.increment-allocation-mb"] = "512";
  EXPECT_EQ(limit_mib(), 1536u);
  settings[least] = "0";
  settings["yarn.scheduler.increment-allocation-mb"] = "0";
  EXPECT_EQ(limit_mib(), 1408u);
}

TEST(YarnBudget, ADriversContainerIsRoundedToo) {
  const SparkSettings settings = {{"spark.submit.deployMode", "cluster"},
                                  {"spark.driver.memory", "600m"},
                                  {"spark.driver.memoryOverhead", "600m"},
                                  {"yarn.scheduler.minimum-allocation-mb", "64"}};
  BudgetInput input;
  input.settings = &settings;
  const Budget budget = ClusterManagerOfDriver("yarn")->BudgetOf(input);
  EXPECT_EQ(budget.requested_bytes, 1200 * kMib);
  EXPECT_EQ(budget.limit_bytes, 1216 * kMib);
}

TEST(YarnBudget, SmallHeapGetsTheMinimumOverhead) {
  Budget budget = BudgetOn("yarn", {{"spark.executor.memory", "2g"}});
  EXPECT_EQ(Region(budget, "overhead"), 384 * kMib);  // 0.1 × 2048 = 204 < 384
  EXPECT_EQ(budget.requested_bytes, (2048 + 384) * kMib);
  EXPECT_EQ(budget.limit_bytes, budget.requested_bytes);
  EXPECT_EQ(budget.limit_source, LimitSource::kSpark);
  EXPECT_TRUE(budget.limit_enforced);
}

TEST(YarnBudget, LargeHeapGetsATenthInWholeMebibytes) {
  EXPECT_EQ(Region(BudgetOn("yarn", {{"spark.executor.memory", "9999m"}}), "overhead"), 999 * kMib);
}

TEST(YarnBudget, OverheadSettings) {
  EXPECT_EQ(Region(BudgetOn("yarn", {{"spark.executor.memory", "8g"}, {"spark.executor.memoryOverheadFactor", "0.25"}}), "overhead"),
            2 * kGib);
  EXPECT_EQ(Region(BudgetOn("yarn", {{"spark.executor.memoryOverhead", "700"}}), "overhead"), 700 * kMib);
  EXPECT_EQ(Region(BudgetOn("yarn", {{"spark.executor.minMemoryOverhead", "1g"}}), "overhead"), kGib);
  EXPECT_EQ(Region(BudgetOn("yarn", {{"spark.executor.memoryOverheadFactor", "a lot"}}), "overhead"), 384 * kMib);
}

TEST(YarnBudget, ResourceProfileWins) {
  BudgetInput input;
  input.heap_mib = 10'240;
  Budget budget = BudgetOn("yarn", {{"spark.executor.memory", "2g"}}, input);
  // A profile with another heap keeps the overhead that the default heap gets.
  EXPECT_EQ(Region(budget, "overhead"), 384 * kMib);
  EXPECT_EQ(budget.requested_bytes, (10'240 + 384) * kMib);
  input.overhead_mib = 555;
  EXPECT_EQ(BudgetOn("yarn", {{"spark.executor.memoryOverhead", "1g"}}, input).requested_bytes, (10'240 + 555) * kMib);
}

TEST(YarnBudget, PysparkMemoryCountsOnlyWhereYarnKnowsOfPython) {
  SparkSettings settings = {{"spark.executor.memory", "1g"}, {"spark.executor.pyspark.memory", "512m"}};
  EXPECT_EQ(BudgetOn("yarn", settings).requested_bytes, (1024 + 384) * kMib);
  EXPECT_EQ(Region(BudgetOn("yarn", settings), "pyspark"), 0u);
  for (const char* as_spark_reads_it : {"true", "TRUE", " True "}) {
    settings["spark.yarn.isPython"] = as_spark_reads_it;
    EXPECT_EQ(BudgetOn("yarn", settings).requested_bytes, (1024 + 384 + 512) * kMib) << as_spark_reads_it;
  }
}

TEST(YarnBudget, OffHeapCountsOnlyIfEnabled) {
  SparkSettings settings = {{"spark.memory.offHeap.size", "1073741824"}};
  EXPECT_EQ(Region(BudgetOn("yarn", settings), "offHeap"), 0u);
  settings["spark.memory.offHeap.enabled"] = "True";
  EXPECT_EQ(Region(BudgetOn("yarn", settings), "offHeap"), kGib);
  EXPECT_EQ(BudgetOn("yarn", settings).requested_bytes, (1024 + 384 + 1024) * kMib);
}

TEST(KubernetesBudget, PythonSubmittedInClusterModeGetsFortyPercent) {
  SparkSettings settings = {
      {"spark.executor.memory", "4g"}, {"spark.kubernetes.resource.type", "python"}, {"spark.submit.deployMode", "cluster"}};
  Budget budget = BudgetOn("k8s://https://host:6443", settings);
  EXPECT_EQ(Region(budget, "overhead"), 1638 * kMib);  // 0.4 × 4096 = 1638.4
  EXPECT_EQ(budget.requested_bytes, (4096 + 1638) * kMib);
  EXPECT_TRUE(budget.limit_enforced);
}

TEST(KubernetesBudget, ClientModeDriverKeepsATenth) {
  SparkSettings settings = {{"spark.executor.memory", "4g"}, {"spark.submit.deployMode", "client"}};
  EXPECT_EQ(Region(BudgetOn("k8s://host", settings), "overhead"), 409 * kMib);  // 0.1 × 4096 = 409.6
}

TEST(KubernetesBudget, FactorsInOrder) {
  SparkSettings settings = {{"spark.executor.memory", "10g"}, {"spark.kubernetes.memoryOverheadFactor", " 0.2"}};
  EXPECT_EQ(Region(BudgetOn("k8s://host", settings), "overhead"), 2048 * kMib);
  settings["spark.executor.memoryOverheadFactor"] = "0.3";
  EXPECT_EQ(Region(BudgetOn("k8s://host", settings), "overhead"), 3072 * kMib);
}

TEST(StandaloneBudget, ReservesTheHeapAlone) {
  SparkSettings settings = {{"spark.executor.memory", "2g"},
                            {"spark.executor.memoryOverhead", "1g"},
                            {"spark.memory.offHeap.enabled", "true"},
                            {"spark.memory.offHeap.size", "512m"},
                            {"spark.executor.pyspark.memory", "1g"}};
  for (const char* master : {"spark://host:7077", "local-cluster[2,1,2048]"}) {
    Budget budget = BudgetOn(master, settings);
    EXPECT_EQ(budget.requested_bytes, 2 * kGib) << master;
    EXPECT_EQ(Region(budget, "overhead"), 0u);
    EXPECT_EQ(Region(budget, "pyspark"), 0u);
    EXPECT_EQ(Region(budget, "offHeap"), 512 * kMib);
    EXPECT_FALSE(budget.limit_enforced);
  }
}

TEST(LocalBudget, IsTheDriversHeap) {
  Budget budget = BudgetOn("local[*]", {{"spark.executor.memory", "8g"}, {"spark.driver.memory", "3g"}});
  EXPECT_EQ(budget.requested_bytes, 3 * kGib);
  EXPECT_EQ(BudgetOn("local", {}).requested_bytes, kGib);
}

TEST(Limit, IsTheCgroupsWhereThereIsOne) {
  BudgetInput input;
  input.cgroup_limit_bytes = 1'100'000'007;
  Budget budget = BudgetOn("spark://host:7077", {{"spark.executor.memory", "512m"}}, input);
  EXPECT_EQ(budget.limit_bytes, 1'100'000'007u);
  EXPECT_EQ(budget.limit_source, LimitSource::kCgroup);
  EXPECT_TRUE(budget.limit_enforced);
  EXPECT_EQ(budget.requested_bytes, 512 * kMib);
}

TEST(Limit, IsTheHostsWhereMoreWasRequested) {
  BudgetInput input;
  input.host_memory_bytes = kGib;
  Budget budget = BudgetOn("yarn", {{"spark.executor.memory", "2g"}}, input);
  EXPECT_EQ(budget.limit_bytes, kGib);
  EXPECT_EQ(budget.limit_source, LimitSource::kHost);
}

}  // namespace
}  // namespace memprof
