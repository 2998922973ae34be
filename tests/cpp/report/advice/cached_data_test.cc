#include <gtest/gtest.h>

#include "advice/findings.h"

namespace memprof {
namespace {

// 100 MB of memory, half of it storage's own: 40 held by storage, the other 60 by execution, and 90 spilled in three tasks.
ReportStage SpillingStage() {
  ReportStage stage;
  stage.stage_id = 7;
  stage.memory.spilled_memory_bytes = 90'000'000;
  stage.memory.tasks_spilled = 3;
  stage.memory.fullest = {{false, 100'000'000, 50'000'000, 40'000'000, 60'000'000}};
  return stage;
}

CachedByMode Orders(uint64_t bytes = 61'000'000, uint64_t of_bytes = 100'000'000) {
  return {CachedDataset{3, "orders", bytes, of_bytes}, {}};
}

TEST(CachedDataThatSpills, SaysWhoseAndByHowMuch) {
  const std::optional<ReportFinding> finding = FindCachedDataThatSpills(SpillingStage(), Orders(), nullptr);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->headline,
            "Cached data `orders` holds 58.2 MiB, 61 % of storage, and has pushed execution into spilling in stage 7: 3 tasks spilled 85.8 "
            "MiB, 28.6 MiB a task on the average. Of 95.4 MiB of on-heap memory, storage held 38.1 MiB that execution could not evict, and "
            "execution had 57.2 MiB.");
  EXPECT_EQ(finding->stage_id, 7);
  ASSERT_EQ(finding->advice.size(), 2u);
  EXPECT_TRUE(finding->advice[0].conf.empty());
  EXPECT_NE(finding->advice[0].because.find("23.3 MiB more in an executor that holds its share of it: 80.5 MiB instead of 57.2 MiB"),
            std::string::npos)
      << finding->advice[0].because;
  EXPECT_EQ(finding->advice[1].conf, "spark.memory.storageFraction");
  EXPECT_EQ(finding->advice[1].from, "0.5");
  EXPECT_EQ(finding->advice[1].to, "0.1") << "60 and 30 more of 100";
}

TEST(CachedDataThatSpills, OneTaskHasNoAverage) {
  ReportStage stage = SpillingStage();
  stage.memory.tasks_spilled = 1;
  EXPECT_NE(FindCachedDataThatSpills(stage, Orders(), nullptr)->headline.find("1 task spilled 85.8 MiB. Of 95.4 MiB"), std::string::npos);
}

TEST(CachedDataThatSpills, NotWithoutSpills) {
  ReportStage stage = SpillingStage();
  stage.memory.spilled_memory_bytes = 0;
  EXPECT_FALSE(FindCachedDataThatSpills(stage, Orders(), nullptr));
  stage.memory.spilled_memory_bytes.reset();
  EXPECT_FALSE(FindCachedDataThatSpills(stage, Orders(), nullptr));
}

TEST(CachedDataThatSpills, NotWhereMemoryWasLeft) {
  ReportStage stage = SpillingStage();
  stage.memory.fullest[0].execution_bytes = 39'000'000;
  EXPECT_FALSE(FindCachedDataThatSpills(stage, Orders(), nullptr)) << "79 of 100 were taken: something else made it spill";
  stage.memory.fullest.clear();
  EXPECT_FALSE(FindCachedDataThatSpills(stage, Orders(), nullptr));
}

TEST(CachedDataThatSpills, NotByWhatExecutionCouldEvict) {
  ReportStage stage = SpillingStage();
  stage.memory.fullest[0].storage_region_bytes = 9'000'000;  // of 40 in storage all but 9
  EXPECT_FALSE(FindCachedDataThatSpills(stage, Orders(90, 90), nullptr));
  stage.memory.fullest[0].storage_region_bytes.reset();
  EXPECT_FALSE(FindCachedDataThatSpills(stage, Orders(90, 90), nullptr)) << "not known";
}

TEST(CachedDataThatSpills, NotWhereTasksWouldHaveSpilledAboutAsMuchWithoutIt) {
  ReportStage stage = SpillingStage();
  stage.memory.spilled_memory_bytes = 3 * 97'000'000;  // 24.4 MB are a quarter of what each spilled
  const std::optional<ReportFinding> finding = FindCachedDataThatSpills(stage, Orders(), nullptr);
  ASSERT_TRUE(finding);
  EXPECT_TRUE(finding->advice[0].because.ends_with("; a task that spilled 92.5 MiB would still spill, but less"));
  stage.memory.spilled_memory_bytes = 3 * 98'000'000;
  EXPECT_FALSE(FindCachedDataThatSpills(stage, Orders(), nullptr));
  stage.memory.spilled_memory_bytes = 3 * 24'000'000;
  EXPECT_TRUE(FindCachedDataThatSpills(stage, Orders(), nullptr)->advice[0].because.ends_with("instead of 57.2 MiB"));
}

TEST(CachedDataThatSpills, NotByOneAmongMany) {
  EXPECT_FALSE(FindCachedDataThatSpills(SpillingStage(), Orders(24, 100), nullptr));
  EXPECT_FALSE(FindCachedDataThatSpills(SpillingStage(), CachedByMode(), nullptr)) << "nothing was cached";
}

TEST(CachedDataThatSpills, LooksAtTheMemoryThatExecutionUsed) {
  ReportStage stage = SpillingStage();
  stage.memory.fullest[0].off_heap = true;
  stage.memory.fullest.insert(stage.memory.fullest.begin(), {false, 100'000'000, 50'000'000, 99'000'000, 0});
  EXPECT_FALSE(FindCachedDataThatSpills(stage, Orders(), nullptr)) << "orders lies on the heap";
  EXPECT_TRUE(
      FindCachedDataThatSpills(stage, {CachedDataset(), CachedDataset{3, "", 1, 1}}, nullptr)->headline.starts_with("Cached data `RDD 3`"));
}

TEST(CachedDataThatSpills, NoSettingWhereItIsSmallAlready) {
  const SparkSettings settings = {{"spark.memory.storageFraction", "0.1"}};
  EXPECT_EQ(FindCachedDataThatSpills(SpillingStage(), Orders(), &settings)->advice.size(), 1u);
}

}  // namespace
}  // namespace memprof
