#include <gtest/gtest.h>

#include <vector>

#include "report/postmortem/worker_scene.h"
#include "timeline/packing.h"

namespace memprof {
namespace {

using namespace testing;

constexpr uint64_t kRequested = 896 * kMi;  // of scene.h's executor on YARN: 512 + 384

// YARN rounds up what Spark requests, and where no file of the cluster's says how, the executor's own life does.
TEST(LivedAbove, ThatFigureIsNoLimitThen) {
  for (const bool lived : {false, true}) {
    ProfileStore store;
    proto::Envelope life = EnvelopeOf("1"), last = LastSnapshot(kRequested / 100 * 104);
    std::vector<TimeSample> samples(1'000);  // so many that those of the beginning are thinned
    for (size_t i = 0; i < samples.size(); ++i) {
      samples[i].time_ms = kBegin + (static_cast<int64_t>(i) - 990) * 1'000;
      samples[i].Set(Gauge::kUsed, kRequested / 100 * ((lived && i < 12) || i == 7 ? 104 : 80));
    }
    PackSamples(samples, life.mutable_time_line());
    last.mutable_executor()->clear_cgroup_limit_bytes();
    store.ApplicationStarted("app-1", "scene", "4.0.0", "3.11.7", "yarn", kBegin);
    store.ExecutorAdded({"1", "node7", 2, 512, -1, -1, -1, kBegin - 5'000});
    for (const proto::Envelope* said : {&life, &last}) ASSERT_TRUE(store.Ingest(said->SerializeAsString()).ok());
    const Json report = Json::parse(store.ReportJson(false));
    const Json& row = report["executors"][0];
    EXPECT_EQ(row["limitBytes"], kRequested);
    EXPECT_EQ(row["limitSource"], "spark");
    EXPECT_EQ(row["limitEnforced"], !lived);
    EXPECT_EQ(report["findings"].size(), lived ? 0u : 1u) << "a little more, and it may be ended";
    store.ExecutorRemoved("1", kCode137, kBegin + 10'000);
    EXPECT_EQ(TheDeath(store)["outOfMemory"], !lived);
  }
}

}  // namespace
}  // namespace memprof
