#include "store/profile_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/profile_builder.h"

namespace memprof {
namespace {

using testing::Framework;
using testing::Java;
using testing::ProfileBuilder;
using testing::Python;
using testing::SymbolBytes;
using testing::Unnamed;
using Json = nlohmann::json;

constexpr uint64_t kScratch = 399'999'971;  // bytes nobody else allocates

Json ReportOf(const ProfileStore& store) { return Json::parse(store.ReportJson(false)); }

// The demo in small: one line of a UDF that calls a native library.
ProfileBuilder DemoTask(int64_t id, int partition, uint64_t live = kScratch) {
  ProfileBuilder builder(id, 2, partition);
  uint32_t udf = builder.Udf("aggregate", "/jobs/job.py", 41, "MAP_PANDAS_ITER");
  proto::Site& site = builder.Site(proto::ORIGIN_PYTHON,
                                   {Framework("main", "/pyspark/worker.py", 1200), Python("aggregate", "/jobs/job.py", 44),
                                    Python("with_cpp", "/jobs/averages.py", 27), Unnamed("/jobs/libweighted.so", "abcdef", 0x1230)},
                                   live + 1000, 3);
  site.set_udf(udf);
  site.set_live_at_peak_bytes(live);
  site.set_resident_at_peak_bytes(live);
  return builder;
}

void End(ProfileStore& store, int64_t id, int partition, TaskOutcome outcome = TaskOutcome::kSucceeded, int64_t time_ms = 100) {
  store.TaskEnded(id, 2, 0, partition, 0, "1", outcome, "", time_ms);
}

TEST(ProfileStore, ShowsLineAndNativeFrameOfATask) {
  ProfileStore store;
  ASSERT_TRUE(store.Ingest(DemoTask(7, 0).Bytes()).ok());
  End(store, 7, 0);
  EXPECT_TRUE(store.AwaitsSymbols());
  ASSERT_TRUE(store.Ingest(SymbolBytes("abcdef", 0x1230, "weighted_average", "weighted.cc", 12)).ok());
  EXPECT_FALSE(store.AwaitsSymbols());
  Json stage = ReportOf(store)["stages"][0];
  EXPECT_EQ(stage["tasks"], 1);
  ASSERT_EQ(stage["sites"].size(), 1u);
  Json site = stage["sites"][0];
  EXPECT_EQ(site["liveAtPeakBytes"], kScratch);
  EXPECT_EQ(site["residentAtPeakBytes"], kScratch);
  EXPECT_EQ(site["errorBytes"], 0);
  EXPECT_EQ(site["udf"], "aggregate (job.py:41)");
  EXPECT_EQ(site["udfKind"], "MAP_PANDAS_ITER");
  ASSERT_EQ(site["frames"].size(), 3u) << "the framework's frame before the user's first one is left out";
  EXPECT_EQ(site["frames"][1]["line"], 27);
  EXPECT_EQ(site["frames"][2]["function"], "weighted_average");
}

}  // namespace
}  // namespace memprof
