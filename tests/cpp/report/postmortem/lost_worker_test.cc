// Executors of a standalone cluster that were lost together with their Worker.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "report/postmortem/worker_scene.h"
#include "timeline/packing.h"

namespace memprof {
namespace {

using namespace testing;

constexpr const char* kWorker = "worker lost: 10.0.0.7:34581 got disassociated";

// Executor 1 has just filled its container. What fills that takes no other container along: it was the Worker's own end.
TEST(LostWorker, ThatTookAnotherContainerAlongDiedForItself) {
  struct Case {
    const char* name;
    const char* cgroup;  // of the other executor
    uint64_t used;       // by it
    int64_t said_ms, removed_ms;
    const char* reason;
    bool of_memory;
  };
  constexpr const char *kOwn = "/sys/fs/cgroup/memory/box", *kOthers = "/sys/fs/cgroup/memory/other";
  constexpr const char* kOther = "worker lost: 10.0.0.8:34581 got disassociated";
  for (const Case& each : {Case{"one that had room", kOthers, kContainer / 3, 9'500, 10'010, kWorker, false},
                           Case{"one that was full, too", kOthers, kFull, 9'500, 10'010, kWorker, true},
                           Case{"of the same container, a while before", kOwn, kContainer / 3, 2'000, 10'010, kWorker, true},
                           Case{"nothing came lately", kOthers, kContainer / 3, -60'000, 10'010, kWorker, true},
                           Case{"at another time", kOthers, kContainer / 3, 9'500, 20'000, kWorker, true},
                           Case{"of another Worker", kOthers, kContainer / 3, 9'500, 10'010, kOther, true}}) {
    ProfileStore store;
    proto::Envelope life = EnvelopeOf("1");
    std::vector<TimeSample> samples(2);
    samples[0].time_ms = kBegin + 4'500;
    samples[0].Set(Gauge::kUsed, kContainer / 2);
    samples[1].time_ms = kBegin + 9'500;
    samples[1].Set(Gauge::kUsed, kFull);
    PackSamples(samples, life.mutable_time_line());
    Tell(store, life);
    store.ExecutorAdded({"2", "node7", 2, 512, -1, -1, -1, kBegin + 100});
    FillScene(store, kWorker, kFull);
    proto::Envelope other = LastSnapshot(each.used, "2");
    other.mutable_executor()->set_cgroup(each.cgroup);
    other.mutable_executor()->mutable_last()->set_time_ms(kBegin + each.said_ms);
    Tell(store, other);
    store.ExecutorRemoved("2", each.reason, kBegin + each.removed_ms);
    const Json deaths = Deaths(store);
    const auto first = std::find_if(deaths.begin(), deaths.end(), [](const Json& row) { return row["executorId"] == "1"; });
    ASSERT_NE(first, deaths.end()) << deaths;
    EXPECT_EQ((*first)["outOfMemory"], each.of_memory) << each.name << ": " << (*first)["how"];
    EXPECT_EQ((*first)["unknown"], !each.of_memory) << each.name;
  }
}

}  // namespace
}  // namespace memprof
