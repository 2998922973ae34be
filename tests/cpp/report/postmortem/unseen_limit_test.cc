#include <gtest/gtest.h>

#include "report/postmortem/worker_scene.h"

namespace memprof {
namespace {

using namespace testing;

// Use is far below what Spark requested, and farther below the host's memory.
proto::Envelope WithoutAVisibleLimit(bool unseen) {
  proto::Envelope envelope = LastSnapshot(kContainer / 9);
  proto::ExecutorSnapshot& snapshot = *envelope.mutable_executor();
  snapshot.clear_cgroup();
  snapshot.clear_cgroup_limit_bytes();
  snapshot.clear_oom_kills();
  snapshot.clear_oom_kills_at_start();
  snapshot.set_cgroup_unseen(unseen);
  snapshot.mutable_last()->set_host_available_bytes(60'000 * kMi);
  return envelope;
}

void FillUnseen(ProfileStore& store, const char* master, bool unseen, const char* reason = kCode137) {
  store.ApplicationStarted("app-1", "scene", "4.0.0", "3.11.7", master, kBegin);
  store.ExecutorAdded({"1", "node7", 2, 512, -1, -1, -1, kBegin + 100});
  ASSERT_TRUE(store.Ingest(WithoutAVisibleLimit(unseen).SerializeAsString()).ok());
  store.ExecutorRemoved("1", reason, kBegin + 10'000);
}

TEST(UnseenLimit, AKillAtALowUseIsOfUnknownCauseWhereAContainerShowsNoGroups) {
  for (const bool unseen : {true, false}) {
    ProfileStore store;
    FillUnseen(store, "spark://m:7077", unseen);
    const Json death = TheDeath(store);
    EXPECT_EQ(death["unknown"], unseen);
    EXPECT_EQ(death["outOfMemory"], false);
    EXPECT_EQ(death["how"].get<std::string>().find("can't be seen from inside") != std::string::npos, unseen);
    const Json executor = Json::parse(store.ReportJson(false))["executors"][0];
    EXPECT_EQ(executor["limitUnseen"], unseen);
  }
}

TEST(UnseenLimit, WhereTheManagerEnforcesWhatWasRequestedThatIsTheLimit) {
  ProfileStore store;
  FillUnseen(store, "yarn", true);
  EXPECT_EQ(TheDeath(store)["unknown"], false) << "far below it";
}

TEST(UnseenLimit, ALimitThatIsSeenLaterIsSeen) {
  ProfileStore store;
  proto::Envelope later = LastSnapshot(kContainer / 3);
  later.mutable_executor()->set_taken_ms(kBegin + 9'600);
  FillUnseen(store, "spark://m:7077", true);
  ASSERT_TRUE(store.Ingest(later.SerializeAsString()).ok());
  EXPECT_EQ(Json::parse(store.ReportJson(false))["executors"][0]["limitUnseen"], false);
}

}  // namespace
}  // namespace memprof
