#include "rollup/kept_deaths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "rollup/sent_deaths.h"

namespace memprof {
namespace {

// Number 7 used most.
proto::WorkerDeath DeathOf(int number) {
  proto::WorkerDeath death;
  death.set_pid(number);
  death.set_time_ms(1000 + number);
  death.mutable_before()->set_used_bytes(number == 7 ? 9'000'000 : 1'000'003);
  for (const int pid : {number, 99'999}) {
    proto::Process& process = *death.mutable_before()->add_processes();
    process.set_pid(pid);
    process.set_peak_rss_bytes(77'003);
  }
  death.mutable_before()->add_regions()->set_name("heap.usedAfterGc");
  return death;
}

TEST(KeptDeaths, TheNewestAndTheLargestAreWholeAndTheOthersShort) {
  WorkerDeaths deaths;
  for (int number = 0; number < 1000; ++number) ASSERT_TRUE(deaths.Put({"1", number, 0, -1}, DeathOf(number)));
  std::set<int> whole;
  int all = 0;
  deaths.ForEach([&](const WorkerDeathKey& key, const proto::WorkerDeath& death) {
    ++all;
    EXPECT_EQ(death.pid(), std::get<1>(key));
    EXPECT_EQ(death.time_ms(), 1000 + death.pid());
    EXPECT_EQ(death.before().used_bytes(), death.pid() == 7 ? 9'000'000u : 1'000'003u);
    if (death.before().processes_size() == 2) {
      whole.insert(death.pid());
      return;
    }
    ASSERT_EQ(death.before().processes_size(), 1) << "its own";
    EXPECT_EQ(death.before().processes(0).pid(), death.pid());
    EXPECT_EQ(death.before().processes(0).peak_rss_bytes(), 77'003u);
    EXPECT_EQ(death.before().regions_size(), 0);
  });
  EXPECT_EQ(all, 1000);
  EXPECT_EQ(whole.size(), WorkerDeaths::kMostWhole);
  EXPECT_TRUE(whole.contains(7));
  for (int number = 900; number < 1000; ++number) EXPECT_TRUE(whole.contains(number)) << number;
}

std::vector<std::string> AllOf(const WorkerDeaths& deaths) {
  std::vector<std::string> all;
  deaths.ForEach([&](const WorkerDeathKey&, const proto::WorkerDeath& death) { all.push_back(death.SerializeAsString()); });
  return all;
}

TEST(KeptDeaths, TheOrderInWhichTheyComeChangesNothing) {
  std::mt19937 random(7);
  std::vector<proto::WorkerDeath> sent;
  for (int number = 0; number < 700; ++number) {
    sent.push_back(DeathOf(number));
    sent.back().mutable_before()->set_used_bytes(1'000'003 + random() % 1000);
    if (number % 5 == 0) {
      sent.push_back(sent.back());
      sent.back().clear_before();  // a shorter account
    }
  }
  std::vector<std::string> expected;
  for (int round = 0; round < 3; ++round) {
    WorkerDeaths deaths;
    for (const proto::WorkerDeath& death : sent) deaths.Put({"1", death.pid(), 0, -1}, death);
    if (round == 0) expected = AllOf(deaths);
    EXPECT_EQ(AllOf(deaths), expected);
    std::shuffle(sent.begin(), sent.end(), random);
  }
}

TEST(KeptDeaths, WhatMayBeNoDeathBecomesShortFirst) {
  WorkerDeaths deaths;
  proto::WorkerDeath killed = DeathOf(7);
  killed.set_signal(6);
  deaths.Put({"1", 7, 0, -1}, killed);
  for (int number = 100; number < 1000; ++number) {
    proto::WorkerDeath cancelled = DeathOf(number);
    cancelled.mutable_before()->set_used_bytes(10'000'019);
    deaths.Put({"1", number, 0, -1}, cancelled);
  }
  deaths.ForEachFrom(
      {"1", 7, 0, -1}, [](const WorkerDeathKey& key) { return std::get<1>(key) == 7; },
      [&](const WorkerDeathKey&, const proto::WorkerDeath& death) { EXPECT_EQ(death.before().processes_size(), 2); });
}

TEST(KeptDeaths, WhatWasUnknownStaysUnknownInShort) {
  proto::WorkerDeath death;
  death.set_pid(3);
  EXPECT_FALSE(WorkerDeathRules::Shortened(death).has_before());
  EXPECT_FALSE(WorkerDeathRules::Shortened(death).has_oom_kills());
  EXPECT_FALSE(WorkerDeathRules::Shortened(death).has_limit_bytes());
  EXPECT_FALSE(WorkerDeathRules::Shortened(death).started_by_task());
  death.set_started_by_task(true);
  EXPECT_TRUE(WorkerDeathRules::Shortened(death).started_by_task());
}

TEST(KeptDeaths, AnErrorInShortIsOfTheSameKind) {
  for (const bool yes : {false, true}) {
    proto::HeapShortage error;
    error.set_of_jvm(yes);
    error.set_ends_jvm(yes);
    error.set_nearly_full(yes);
    const proto::HeapShortage brief = HeapShortageRules::Shortened(error);
    EXPECT_EQ(brief.of_jvm(), yes);
    EXPECT_EQ(brief.ends_jvm(), yes);
    EXPECT_EQ(brief.nearly_full(), yes);
  }
}

TEST(KeptDeaths, ThereIsABound) {
  WorkerDeaths deaths;
  proto::WorkerDeath death;
  for (int number = 0; number < static_cast<int>(WorkerDeaths::kMost); ++number) ASSERT_TRUE(deaths.Put({"1", number, 0, -1}, death));
  EXPECT_FALSE(deaths.Put({"1", -1, 0, -1}, death));
  EXPECT_TRUE(deaths.Put({"1", 5, 0, -1}, death)) << "one that is known";
  EXPECT_EQ(deaths.size(), WorkerDeaths::kMost);
}

TEST(KeptDeaths, OfTwoAccountsTheLongerOneStaysWhicheverComesFirst) {
  for (const bool longer_first : {true, false}) {
    WorkerDeaths deaths;
    proto::WorkerDeath brief;
    brief.set_pid(3);
    const proto::WorkerDeath longer = DeathOf(3);
    deaths.Put({"1", 3, 0, -1}, longer_first ? longer : brief);
    deaths.Put({"1", 3, 0, -1}, longer_first ? brief : longer);
    deaths.ForEach(
        [&](const WorkerDeathKey&, const proto::WorkerDeath& kept) { EXPECT_EQ(kept.SerializeAsString(), longer.SerializeAsString()); });
  }
}

TEST(KeptDeaths, ThoseOfOneExecutorAreFoundByTheirId) {
  HeapShortages shortages;
  proto::HeapShortage shortage;
  for (const char* id : {"1", "10", "2"}) {
    for (const int64_t time : {-5, 7}) {
      shortage.set_time_ms(time);
      shortage.set_thread(id);
      shortages.Put({id, time, -1}, shortage);
    }
  }
  int found = 0;
  ForEachShortageIn("10", shortages, [&](const proto::HeapShortage& each) {
    EXPECT_EQ(each.thread(), "10");
    EXPECT_EQ(each.time_ms(), found++ == 0 ? -5 : 7);
  });
  EXPECT_EQ(found, 2);
  std::vector<std::string> executors;
  shortages.ForEachExecutor([&](const std::string& id) { executors.push_back(id); });
  EXPECT_EQ(executors, (std::vector<std::string>{"1", "10", "2"}));
}

}  // namespace
}  // namespace memprof
