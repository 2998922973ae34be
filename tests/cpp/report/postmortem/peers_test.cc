// A dead task beside the finished ones of its stage: which of them count, and what is left out of the comparison.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "intake/delivery.h"
#include "report/postmortem/heap_scene.h"
#include "report/postmortem/worker_scene.h"
#include "rollup/bounds.h"
#include "store/report_builder.h"

namespace memprof {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using namespace testing;

constexpr uint64_t kOfRow = 40'000'003;

// A finished task of the stage that held kOfRow at a line of its own, and gave it back.
ProfileBuilder Peer(int64_t id, uint64_t held = kOfRow) {
  ProfileBuilder done(id, 5, static_cast<int>(id - 40), "1");
  done.profile().set_taken_ms(kBegin + 5'000);
  proto::Site& site = done.Site(proto::ORIGIN_PYTHON, {Python("enrich", "/jobs/job.py", 99)}, held, 1);
  site.set_live_at_peak_bytes(held);
  site.set_live_bytes(0);
  return done;
}

void End(ProfileStore& store, const ProfileBuilder& task, int64_t id, TaskOutcome outcome = TaskOutcome::kSucceeded) {
  ASSERT_TRUE(store.Ingest(task.Bytes()).ok());
  store.TaskEnded({id, 5, 0, static_cast<int>(id - 40), 0, "1", outcome, "", kBegin + 5'000});
}

std::string AdviceOfTheDead(ProfileStore& store) {
  static_cast<void>(store.Ingest(WorkerDeath(1)));
  FailTask40(store, "Python worker exited unexpectedly (crashed)");
  return TheDeath(store)["advice"].dump();
}

// Those that failed or were killed had not all of their data yet.
TEST(Peers, AreTasksThatSucceeded) {
  for (const TaskOutcome outcome : {TaskOutcome::kSucceeded, TaskOutcome::kFailed, TaskOutcome::kKilled}) {
    ProfileStore store;
    FillWorkerScene(store);
    for (int64_t id = 50; id < 54; ++id) End(store, Peer(id), id, outcome);
    const std::string advice = AdviceOfTheDead(store);
    const auto told = HasSubstr("task 40 held 773.5 MiB, 20× the median of 38.1 MiB of 4 finished tasks");
    if (outcome == TaskOutcome::kSucceeded) {
      EXPECT_THAT(advice, told);
    } else {
      EXPECT_THAT(advice, Not(HasSubstr("the median")));
    }
  }
}

// The first task of each worker loads a model, which stays; the one that died was a first one, too.
TEST(Peers, WhatAWorkerLoadsOnceMakesNoTaskLarge) {
  for (const uint64_t model : {kDeadlyBytes, uint64_t{50'000'021}}) {
    ProfileStore store;
    FillWorkerScene(store);
    for (int64_t id = 50; id < 52; ++id) {
      ProfileBuilder first = RunningTask(id, model);
      first.profile().set_final(true);
      first.profile().mutable_sites(0)->set_live_at_peak_bytes(model);
      End(store, first, id);
    }
    for (int64_t id = 52; id < 56; ++id) End(store, Peer(id), id);
    const std::string advice = AdviceOfTheDead(store);
    if (model == kDeadlyBytes) {
      EXPECT_THAT(advice, Not(HasSubstr("the median")));
    } else {
      EXPECT_THAT(advice, HasSubstr("task 40 held 725.8 MiB beside 47.7 MiB that each worker keeps, 19× the median of 38.1 MiB of 6 "
                                    "finished tasks"));
    }
  }
}

// The task that unpacks a table for its executor allocates as much more as the table has.
TEST(Peers, ABroadcastTableMakesNoTaskLarge) {
  for (const bool of_broadcast : {true, false}) {
    ProfileStore store;
    FillScene(store, "Command exited with code 52", kContainer / 3);
    ProfileBuilder dead = RunningTask(40, kDeadlyBytes);
    dead.profile().set_sequence(2);
    const char* reader = of_broadcast ? "org.apache.spark.broadcast.TorrentBroadcast.getValue" : "org.acme.Tables.read";
    proto::Site& table = dead.Site(
        proto::ORIGIN_JVM_HEAP,
        {Java("", reader, "A.scala", 7), Java("", "org.apache.spark.sql.execution.joins.LongToUnsafeRowMap.<init>", "B.scala", 9)},
        900'000'001, 3);
    table.set_sampled(true);
    ASSERT_TRUE(store.Ingest(dead.Bytes()).ok());
    for (int64_t id = 50; id < 54; ++id) {
      ProfileBuilder done = Peer(id);
      done.Site(proto::ORIGIN_JVM_HEAP, {Java("org.example.Rows", "read", "Rows.java", 9)}, 30'000'001, 3).set_sampled(true);
      End(store, done, id);
    }
    Tell(store, HeapError(false));
    const std::string advice = TheDeath(store)["advice"].dump();
    if (of_broadcast) {
      EXPECT_THAT(advice, Not(HasSubstr("the median")));
    } else {
      EXPECT_THAT(advice, HasSubstr("task 40 allocated 886.9 MiB, 31× the median of 28.6 MiB of 4 finished tasks"));
    }
  }
}

// Of a running stage with very many tasks, the store keeps only rows of those that have ended.
TEST(Peers, TasksWhoseDetailWasDroppedCountToo) {
  StoreState state(uint64_t{1} << 30);
  state.application.master = "spark://m:7077";
  state.Executor("1").added = true;
  state.Stage({5, 0}).submitted = true;
  const auto end = [&](int64_t id, TaskOutcome outcome) {
    TaskFacts& task = state.tasks[id];
    task.ended = true;
    task.outcome = outcome;
    task.end_ms = kBegin + 5'000;
  };
  for (int64_t id = 50; id < 1050; ++id) {
    ASSERT_TRUE(Deliver(Peer(id).Bytes(), state).ok());
    end(id, TaskOutcome::kSucceeded);
  }
  ProfileBuilder first = RunningTask(2000, 50'000'021);  // whose worker has loaded something at the line where the dead one held most
  first.profile().set_final(true);
  ASSERT_TRUE(Deliver(first.Bytes(), state).ok());
  end(2000, TaskOutcome::kSucceeded);
  ProfileBuilder dead = EndedTask();
  proto::Leftovers& left = dead.Leftovers(4131, 9);
  left.set_open(true);
  left.add_sites()->set_stack(dead.Stack({Python("remember", "/jobs/job.py", 22)}));
  left.mutable_sites(0)->set_live_bytes(3'000'017);
  ASSERT_TRUE(Deliver(dead.Bytes(), state).ok());
  state.limit_bytes = state.memory.bytes() / 2;
  KeepWithinLimit(state);
  state.limit_bytes = uint64_t{1} << 30;
  ASSERT_EQ(state.tasks.size(), 1u) << "the dead one's";
  ASSERT_EQ(state.folded_tasks.size(), 1001u);
  ASSERT_TRUE(Deliver(LastSnapshot(kFull / 2).SerializeAsString(), state).ok());
  end(40, TaskOutcome::kFailed);
  ASSERT_TRUE(Deliver(WorkerDeath(1), state).ok());
  const Report report = BuildReport(state, false).report;
  ASSERT_EQ(report.post_mortems.size(), 1u);
  const std::vector<ReportSite>& sites = report.post_mortems[0].sites;
  const auto remembered = std::find_if(sites.begin(), sites.end(), [](const ReportSite& site) { return site.left_by_earlier_tasks; });
  ASSERT_NE(remembered, sites.end());
  EXPECT_EQ(remembered->frames.at(0).function, "remember") << "names have moved with the rest";
  std::string advice;
  for (const ReportAdvice& piece : report.post_mortems[0].advice) advice += piece.because + "\n";
  EXPECT_THAT(advice, HasSubstr("task 40 held 725.8 MiB beside 47.7 MiB that each worker keeps, 19× the median of 38.1 MiB of 1001 "
                                "finished tasks"));
}

}  // namespace
}  // namespace memprof
