#include "store/told_deaths.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "postmortem/post_mortems.h"
#include "report/postmortem/worker_scene.h"

namespace memprof {
namespace {

using namespace testing;

// The report has no row for each of so many executors.
TEST(ToldDeaths, OfManyDeathsTheNewestAndTheLargestStayAndAllAreTold) {
  constexpr int kExecutors = 620;
  ProfileStore store;
  store.ApplicationStarted("app-1", "scene", "4.0.0", "3.11.7", "spark://m:7077", kBegin);
  for (int i = 0; i < kExecutors; ++i) {
    const std::string id = std::to_string(i);
    store.ExecutorAdded({id, "node7", 2, 512, -1, -1, -1, kBegin});
    const uint64_t used = i == 7 ? kFull + 1'000'003 : kFull - static_cast<uint64_t>(i) * kMi;
    static_cast<void>(store.Ingest(LastSnapshot(used, id).SerializeAsString()));
    store.ExecutorRemoved(id, kCode137, kBegin + 10'000 + i);
  }
  const Json deaths = Deaths(store);
  ASSERT_EQ(deaths.size(), kMaxPostMortems);
  EXPECT_EQ(deaths[0]["executorId"], "0");
  EXPECT_EQ(deaths[7]["usedBytes"], kFull + 1'000'003);
  EXPECT_EQ(deaths[49]["executorId"], "49") << "the largest";
  EXPECT_EQ(deaths[50]["executorId"], "570");
  EXPECT_EQ(deaths[99]["executorId"], "619") << "the newest, though its row has no room";
  EXPECT_EQ(Json::parse(store.ReportJson(false))["counters"]["droppedPostMortems"], kExecutors - 100);

  constexpr int64_t kSeen = 50'000, kCounted = kSeen + ToldDeaths::kPatienceMs;
  EXPECT_EQ(store.TakePostMortems(kSeen, false).size(), 1u) << "those without an entry are counted";
  std::vector<std::string> told = store.TakePostMortems(kCounted, false);
  EXPECT_EQ(told.size(), ToldDeaths::kMostInFull);
  EXPECT_TRUE(store.TakePostMortems(kSeen + ToldDeaths::kCountEveryMs - 1, false).empty());
  told = store.TakePostMortems(kSeen + ToldDeaths::kCountEveryMs, false);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0], "80 more deaths; the report has the newest and the largest");
  EXPECT_TRUE(store.TakePostMortems(kSeen + 10 * ToldDeaths::kCountEveryMs, true).empty());
}

// Those that were seen and not told yet lose their entry to newer and larger ones.
TEST(ToldDeaths, ASecondWaveOfDeathsHidesNoneOfTheFirst) {
  ProfileStore store;
  store.ApplicationStarted("app-1", "scene", "4.0.0", "3.11.7", "spark://m:7077", kBegin);
  const auto lose = [&](int from, int to, uint64_t used) {
    for (int i = from; i < to; ++i) {
      const std::string id = std::to_string(i);
      store.ExecutorAdded({id, "node7", 2, 512, -1, -1, -1, kBegin});
      static_cast<void>(store.Ingest(LastSnapshot(used, id).SerializeAsString()));
      store.ExecutorRemoved(id, kCode137, kBegin + 10'000 + i);
    }
  };
  lose(0, 60, kFull);
  EXPECT_TRUE(store.TakePostMortems(50'000, false).empty());
  lose(60, 210, kFull + 1'000'003);
  size_t in_full = 0, counted = 0;
  for (const bool all : {false, true}) {
    for (const std::string& text : store.TakePostMortems(52'000, all)) {
      size_t more = 0;
      if (sscanf(text.c_str(), "%zu more deaths", &more) == 1)
        counted += more;
      else
        ++in_full;
    }
  }
  EXPECT_EQ(in_full, ToldDeaths::kMostInFull);
  EXPECT_EQ(in_full + counted, 210u);
}

}  // namespace
}  // namespace memprof
