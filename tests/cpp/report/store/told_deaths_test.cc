#include "store/told_deaths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "report/many_deaths.h"
#include "report/postmortem/worker_scene.h"
#include "report/told.h"
#include "report/views/views.h"

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
  const Json report = Json::parse(store.ReportJson(false));
  const Json& others = report["otherDeaths"];
  ASSERT_EQ(others.size(), kExecutors - kMaxPostMortems);
  EXPECT_EQ(others[0]["executorId"], "569") << "newest first";
  EXPECT_EQ(others[519]["executorId"], "50");
  EXPECT_THAT(others[519]["headline"], ::testing::HasSubstr("Executor 50 was killed, but not by the kernel: 93 % of the limit was in use"))
      << "the next one saw no kill";
  EXPECT_EQ(others[519]["outOfMemory"], false);
  EXPECT_EQ(others[519]["timeMs"], kBegin + 10'050);
  EXPECT_FALSE(report["counters"].contains("droppedPostMortems"));
  const std::string text = *RenderText(report.dump(), {120, false, 0});
  EXPECT_THAT(text, ::testing::HasSubstr("Executor 569 died, not of memory"));
  EXPECT_THAT(text, ::testing::HasSubstr("… 420 more deaths")) << "of 520 a hundred have a line";

  constexpr int64_t kSeen = 50'000, kCounted = kSeen + ToldDeaths::kPatienceMs;
  EXPECT_TRUE(TakePostMortems(store, kSeen, false).empty());
  EXPECT_TRUE(TakePostMortems(store, kCounted - 1, false).empty());
  std::vector<std::string> told = TakePostMortems(store, kCounted, false);
  ASSERT_EQ(told.size(), ToldDeaths::kMostInFull + 1);
  for (size_t i = 0; i < ToldDeaths::kMostInFull; ++i) EXPECT_THAT(told[i], ::testing::HasSubstr("Executor " + std::to_string(i) + " "));
  EXPECT_EQ(told.back(), "600 more deaths; the report has a line for each, and post-mortems of the newest and the largest");
  store.ExecutorAdded({"one-more", "node7", 2, 512, -1, -1, -1, kBegin});
  store.ExecutorRemoved("one-more", kCode137, kBegin + 20'000);
  EXPECT_TRUE(TakePostMortems(store, kCounted + 1'000, false).empty());
  EXPECT_TRUE(TakePostMortems(store, kCounted + ToldDeaths::kCountEveryMs - 1, false).empty()) << "a count once a minute";
  told = TakePostMortems(store, kCounted + ToldDeaths::kCountEveryMs, false);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_THAT(told[0], ::testing::StartsWith("1 more death; "));
  EXPECT_TRUE(TakePostMortems(store, kCounted + 10 * ToldDeaths::kCountEveryMs, true).empty());
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
  EXPECT_TRUE(TakePostMortems(store, 50'000, false).empty());
  lose(60, 210, kFull + 1'000'003);
  size_t in_full = 0, counted = 0;
  for (const bool all : {false, true}) {
    for (const std::string& text : TakePostMortems(store, 52'000, all)) {
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

TEST(ToldDeaths, WhereResultsWereRefusedNobodyDied) {
  constexpr int kMoreJobs = 3;
  ProfileStore store;
  for (int job = 0; job < static_cast<int>(ToldDeaths::kMostInFull) + kMoreJobs; ++job) {
    JobStart start;
    start.job_id = job;
    start.call_site = "collect at /jobs/job.py:17";
    start.time_ms = kBegin;
    store.JobStarted(start);
    store.JobEnded(job, "Total size of serialized results of 3 tasks (2.2 MiB) is bigger than spark.driver.maxResultSize (2.0 MiB)",
                   kBegin + 700 + job);
  }
  EXPECT_THAT(TakePostMortems(store, 50'000, true).back(), ::testing::StartsWith("3 more refusals; "));
  store.ExecutorAdded({"1", "node7", 2, 512, -1, -1, -1, kBegin});
  store.ExecutorRemoved("1", kCode137, kBegin + 10'000);
  EXPECT_THAT(TakePostMortems(store, 60'000, true).back(), ::testing::StartsWith("1 more death; "));
}

TEST(ToldDeaths, OnABusyMachineLateMessagesHaveMoreTime) {
  constexpr int kPatience = 9;
  ProfileStore store(64u << 20, kPatience);
  store.ExecutorAdded({"1", "node7", 2, 512, -1, -1, -1, kBegin});
  store.ExecutorRemoved("1", kCode137, kBegin + 10'000);
  EXPECT_TRUE(TakePostMortems(store, 50'000, false).empty());
  EXPECT_TRUE(TakePostMortems(store, 50'000 + kPatience * ToldDeaths::kPatienceMs - 1, false).empty());
  EXPECT_EQ(TakePostMortems(store, 50'000 + kPatience * ToldDeaths::kPatienceMs, false).size(), 1u);
}

class Corrections : public ::testing::Test {
 protected:
  static constexpr int64_t kTold = 50'000;

  void SetUp() override {
    store_.ApplicationStarted("app-1", "scene", "4.0.0", "3.11.7", "spark://m:7077", kBegin);
    store_.ExecutorAdded({"1", "node7", 2, 512, -1, -1, -1, kBegin});
    static_cast<void>(store_.Ingest(LastSnapshot(kFull).SerializeAsString()));
    store_.ExecutorRemoved("1", kCode137, kBegin + 10'000);
    EXPECT_TRUE(TakePostMortems(store_, kTold - ToldDeaths::kPatienceMs, false).empty());
    const std::vector<std::string> told = TakePostMortems(store_, kTold, false);
    ASSERT_EQ(told.size(), 1u);
    EXPECT_THAT(told[0], ::testing::HasSubstr("Executor 1 was killed for its memory"));
  }

  // In the same cgroup: it finds the kernel's counter of kills there as it was.
  void Successor(const std::string& id) {
    store_.ExecutorAdded({id, "node7", 2, 512, -1, -1, -1, kBegin + 12'000});
    static_cast<void>(store_.Ingest(LastSnapshot(kFull / 9, id).SerializeAsString()));
  }

  ProfileStore store_;
};

TEST_F(Corrections, AVerdictThatChangesIsTold) {
  constexpr int64_t kLook = kTold + ToldDeaths::kBetweenLooksMs;
  EXPECT_TRUE(TakePostMortems(store_, kLook - 1, false).empty());
  Successor("2");
  EXPECT_TRUE(TakePostMortems(store_, kLook - 1, false).empty()) << "a report costs something";
  const std::vector<std::string> told = TakePostMortems(store_, kLook, false);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_THAT(told[0], ::testing::StartsWith("  Correction (the log said \"of memory\"): Executor 1 "));
  EXPECT_THAT(told[0], ::testing::HasSubstr("systemd-oomd"));
  EXPECT_LE(std::count(told[0].begin(), told[0].end(), '\n'), 30);
  EXPECT_TRUE(TakePostMortems(store_, kLook + 10 * ToldDeaths::kBetweenLooksMs, true).empty());
}

TEST_F(Corrections, NewDeathsDoNotPostponeThem) {
  Successor("2");
  size_t corrections = 0;
  int64_t now = kTold;
  for (int i = 3; now < kTold + 2 * ToldDeaths::kBetweenLooksMs; ++i, now += 5'000) {
    const std::string id = std::to_string(i);
    store_.ExecutorAdded({id, "node8", 2, 512, -1, -1, -1, kBegin});
    store_.ExecutorRemoved(id, kCode137, kBegin + 20'000);
    for (const std::string& text : TakePostMortems(store_, now, false)) corrections += text.starts_with("  Correction ");
  }
  EXPECT_EQ(corrections, 1u);
}

TEST_F(Corrections, WheneverASuccessorComes) {
  int64_t now = kTold;
  const auto looks = [&] {
    now += ToldDeaths::kBetweenLooksMs;
    return TakePostMortems(store_, now, false).size();
  };
  for (int look = 0; look < 5; ++look) EXPECT_EQ(looks(), 0u);
  store_.ExecutorAdded({"2", "node7", 2, 512, -1, -1, -1, kBegin + 12'000});
  for (int look = 0; look < ToldDeaths::kLooks; ++look) EXPECT_EQ(looks(), 0u) << "it has said nothing yet";
  Successor("2");
  EXPECT_EQ(looks(), 1u);
}

TEST_F(Corrections, AtTheEndAtTheLatest) {
  int64_t now = kTold;
  for (int look = 0; look <= ToldDeaths::kLooks; ++look) {
    store_.ExecutorAdded({"2", "node7", 2, 512, -1, -1, -1, kBegin + 12'000});
    EXPECT_TRUE(TakePostMortems(store_, now += ToldDeaths::kBetweenLooksMs, false).empty());
  }
  Successor("2");
  EXPECT_TRUE(TakePostMortems(store_, now += ToldDeaths::kBetweenLooksMs, false).empty()) << "nobody looks any more";
  EXPECT_EQ(TakePostMortems(store_, now, true).size(), 1u);
}

TEST_F(Corrections, NoneWhereTheVerdictStays) {
  for (const bool all : {false, true}) EXPECT_TRUE(TakePostMortems(store_, kTold + ToldDeaths::kBetweenLooksMs, all).empty());
}

}  // namespace
}  // namespace memprof
