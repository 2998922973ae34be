#include "tasks/task_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace memprof {
namespace {

TaskKey Key(int64_t id) { return {id, 1, 0, 0, 0}; }

TEST(TaskTable, ATagExpiresWithItsTask) {
  TaskTable table;
  const TaskTag first = table.Begin(Key(1), nullptr, 0);
  EXPECT_TRUE(table.IsRunning(first));
  EXPECT_TRUE(table.WithTask(first, [](TaskFigures& task) { EXPECT_EQ(task.key.task_attempt_id, 1); }));
  EXPECT_NE(table.End(1), nullptr);
  EXPECT_FALSE(table.WithTask(first, [](TaskFigures&) { FAIL(); }));
  EXPECT_EQ(table.End(1), nullptr);

  const TaskTag second = table.Begin(Key(2), nullptr, 0);  // in the slot of the first
  EXPECT_EQ(second.slot, first.slot);
  EXPECT_FALSE(table.IsRunning(first));
  EXPECT_TRUE(table.IsRunning(second));
}

TEST(TaskTable, NoTaskIsNeverRunning) {
  TaskTable table;
  EXPECT_FALSE(table.IsRunning({0, 0}));
  EXPECT_FALSE(table.IsRunning({1, 0}));
  EXPECT_FALSE(table.IsRunning({TaskTable::kMaxTasks + 7, 0}));
}

TEST(TaskTable, BeginningTwiceIsTheSameTask) {
  TaskTable table;
  const TaskTag tag = table.Begin(Key(5), nullptr, 0);
  EXPECT_EQ(table.Begin(Key(5), nullptr, 0).generation, tag.generation);
  EXPECT_THAT(table.Running(), testing::ElementsAre(5));
}

TEST(TaskTable, AFullTableForgetsTheOldest) {
  TaskTable table;
  const TaskTag oldest = table.Begin(Key(0), nullptr, 0);
  for (int64_t id = 1; id <= TaskTable::kMaxTasks; ++id) table.Begin(Key(id), nullptr, 0);
  EXPECT_FALSE(table.IsRunning(oldest));
  EXPECT_EQ(table.replaced(), 1u);
  EXPECT_EQ(table.Find(0).slot, 0u);
  EXPECT_NE(table.Find(1).slot, 0u);
}

TEST(TaskTable, SitesBeyondTheBoundAreSummedInTheRest) {
  SiteBudget budget;
  HeapSites sites(&budget);
  for (uint64_t hash = 0; hash < HeapSites::kMaxSites + 10; ++hash) sites.At(sites.FindOrAdd(hash, 1)) += Amount{3, 1, 0};
  EXPECT_EQ(sites.sites().size(), HeapSites::kMaxSites);
  EXPECT_EQ(sites.rest().bytes, 30);
}

TEST(TaskTable, AllTablesTogetherAreBounded) {
  SiteBudget budget;
  std::vector<std::unique_ptr<HeapSites>> tables;
  size_t kept = 0;
  for (int i = 0; i < 8; ++i) {
    tables.push_back(std::make_unique<HeapSites>(&budget));
    for (uint64_t hash = 0; hash < HeapSites::kMaxSites; ++hash) tables.back()->FindOrAdd(hash, 1);
    kept += tables.back()->sites().size();
  }
  EXPECT_EQ(kept, SiteBudget::kMaxSitesOfAllTasks);
  tables.clear();  // gives back
  HeapSites again(&budget);
  EXPECT_NE(again.FindOrAdd(1, 1), HeapSites::kNoSite);
}

// Threads that keep charging while tasks come and go: every byte is in exactly one task or was refused.
TEST(TaskTable, NothingIsLostOrChargedTwiceWhileTasksChange) {
  TaskTable table;
  std::atomic<uint64_t> tag{0};
  std::atomic<bool> stop{false};
  std::atomic<int64_t> charged{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!stop) {
        const uint64_t now = tag.load();
        const TaskTag mine{static_cast<uint32_t>(now >> 32), static_cast<uint32_t>(now)};
        if (table.WithTask(mine, [](TaskFigures& task) { task.heap.At(task.heap.FindOrAdd(1, 1)) += Amount{1, 1, 0}; })) ++charged;
      }
    });
  }
  double found = 0;
  for (int64_t id = 1; id <= 300; ++id) {
    const TaskTag current = table.Begin(Key(id), nullptr, 0);
    tag = static_cast<uint64_t>(current.slot) << 32 | current.generation;
    std::this_thread::yield();
    const auto ended = table.End(id);
    for (const auto& site : ended->heap.sites()) found += site.figures.bytes;
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(found, static_cast<double>(charged));
}

}  // namespace
}  // namespace memprof
