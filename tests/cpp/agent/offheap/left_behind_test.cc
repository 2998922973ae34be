#include "offheap/left_behind.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "offheap/left_message.h"

namespace memprof {
namespace {

class Scene {
 public:
  TaskTag Begin(int64_t task, int32_t stage, std::shared_ptr<JvmStacks> stacks) {
    return tasks.Begin({task, stage, 0, 0, 0}, std::move(stacks), 0);
  }
  void Allocate(TaskTag tag, uint64_t address, uint64_t stack_hash, double bytes) {
    OffHeapBlock block;
    block.size = static_cast<uint64_t>(bytes);
    block.amount = {bytes, 1, 0};
    block.task = tag;
    tasks.WithTask(tag, [&](TaskFigures& task) {
      block.place = task.offheap.Allocated(stack_hash, static_cast<JvmStackId>(stack_hash), block.amount);
    });
    ASSERT_TRUE(blocks.Put(address, block));
  }
  void Free(uint64_t address) {
    const std::optional<OffHeapBlock> block = blocks.Take(address);
    ASSERT_TRUE(block);
    tasks.WithTask(block->task, [&](TaskFigures& task) { task.offheap.Freed(block->place, block->amount); });
  }
  void End(TaskTag tag, int64_t task) { left.Keep(tag, *tasks.End(task)); }
  std::shared_ptr<JvmStacks> Stacks() { return std::make_shared<JvmStacks>(&dropped); }

  std::atomic<uint64_t> dropped{0};
  TaskTable tasks;
  OffHeapBlocks blocks;
  LeftBehind left{&blocks, &TaskFigures::offheap};
};

TEST(LeftBehind, WhatEndedTasksStillHoldBySiteAndStage) {
  Scene scene;
  const auto stacks = scene.Stacks();
  const TaskTag first = scene.Begin(1, 7, stacks), second = scene.Begin(2, 7, stacks), running = scene.Begin(3, 8, stacks);
  scene.Allocate(first, 0x1000, 5, 10'007);
  scene.Allocate(first, 0x2000, 6, 999);
  scene.Allocate(second, 0x3000, 5, 20'011);
  scene.Allocate(running, 0x4000, 5, 77'777);
  EXPECT_TRUE(scene.left.Sites(scene.tasks).empty());
  scene.Free(0x2000);
  scene.End(first, 1);
  scene.End(second, 2);
  std::vector<LeftSite> sites = scene.left.Sites(scene.tasks);
  ASSERT_EQ(sites.size(), 1u);
  EXPECT_EQ(sites[0].live.bytes, 30'018);
  EXPECT_EQ(sites[0].live.blocks, 2);
  EXPECT_EQ(sites[0].stage_id, 7);
  EXPECT_EQ(sites[0].tasks, 2u);
  EXPECT_EQ(sites[0].stacks, stacks);
  EXPECT_EQ(sites[0].stack, 5u);
  scene.Free(0x1000);  // long after its task
  sites = scene.left.Sites(scene.tasks);
  ASSERT_EQ(sites.size(), 1u);
  EXPECT_EQ(sites[0].live.bytes, 20'011);
  scene.Free(0x3000);
  EXPECT_TRUE(scene.left.Sites(scene.tasks).empty());
}

TEST(LeftBehind, TheHeaviestSitesOfATaskKeepTheirStacks) {
  Scene scene;
  const TaskTag tag = scene.Begin(1, 7, scene.Stacks());
  constexpr uint64_t kLast = LeftBehind::kMostSites + 1;
  for (uint64_t site = 1; site <= kLast; ++site) scene.Allocate(tag, 0x1000 * site, site, site == kLast ? 2e9 : 1000);
  scene.End(tag, 1);
  const std::vector<LeftSite> sites = scene.left.Sites(scene.tasks);
  EXPECT_TRUE(std::any_of(sites.begin(), sites.end(), [](const LeftSite& site) { return site.stacks && site.live.bytes == 2e9; }));
}

TEST(LeftBehind, StacksOfOldGenerationsGoAndTheirBytesStay) {
  Scene scene;
  for (int64_t task = 0; task < 4; ++task) {
    const TaskTag tag = scene.Begin(task, static_cast<int32_t>(task), scene.Stacks());
    scene.Allocate(tag, 0x1000 * static_cast<uint64_t>(task + 1), 5, 1'000 + static_cast<double>(task));
    scene.End(tag, task);
  }
  double known = 0, unknown = 0;
  for (const LeftSite& site : scene.left.Sites(scene.tasks)) (site.stacks == nullptr ? unknown : known) += site.live.bytes;
  EXPECT_EQ(known, 2'005) << "of the two youngest";
  EXPECT_EQ(unknown, 2'001);
  const proto::LeftMemory message = BuildLeft(scene.left.Sites(scene.tasks), 1'700'000'000'123);
  EXPECT_EQ(message.sites_size(), 2);
  EXPECT_EQ(message.other_bytes(), 2'001u);
}

TEST(LeftBehind, TasksThatHoldNothingMoreMakeRoom) {
  Scene scene;
  const auto stacks = scene.Stacks();
  const TaskTag holds = scene.Begin(0, 0, stacks);
  scene.Allocate(holds, 0x9, 5, 4'003);
  scene.End(holds, 0);
  for (int64_t task = 1; task <= static_cast<int64_t>(LeftBehind::kMostTasks) * 2; ++task) {
    const TaskTag tag = scene.Begin(task, 1, stacks);
    scene.Allocate(tag, 0x1000, 6, 11);
    scene.End(tag, task);
    scene.Free(0x1000);
  }
  const std::vector<LeftSite> sites = scene.left.Sites(scene.tasks);
  ASSERT_EQ(sites.size(), 1u);
  EXPECT_EQ(sites[0].stack, 5u);
  EXPECT_EQ(sites[0].live.bytes, 4'003);
}

TEST(LeftMessage, ANativeFrameHasItsPlaceAndTheNamesThatAreKnown) {
  std::atomic<uint64_t> dropped{0};
  const auto stacks = std::make_shared<JvmStacks>(&dropped);
  ModuleTable::Identity module;
  module.path = "/opt/libengine.so";
  module.path_size = 17;
  module.build_id_size = 6;
  std::memcpy(module.build_id, "6a1f77", 6);
  NativeCalls native = {};
  native.depth = 1;
  native.calls[0] = {&module, 0x1230};
  const LeftSite site = {stacks, stacks->Intern(nullptr, nullptr, {}, &native), -1, -1, 0, {5'000'003, 1, 0}, "native thread own"};
  for (const bool named : {false, true}) {
    SourceCalls calls;
    if (named) calls = {{"insert", "map.rs", 3}, {"grow", "table.rs", 7}};
    const proto::LeftMemory message = BuildLeft({site}, 7, [&](const auto&, const auto&, uint64_t) { return calls; });
    const proto::TaskProfile& names = message.names();
    ASSERT_EQ(names.frames_size(), named ? 2 : 1);
    ASSERT_EQ(names.stacks_size(), names.frames_size());
    const proto::Frame& frame = names.frames(names.frames_size() - 1);
    EXPECT_EQ(frame.language(), proto::NATIVE);
    EXPECT_EQ(names.strings(static_cast<int>(frame.module())), "/opt/libengine.so");
    EXPECT_EQ(names.strings(static_cast<int>(frame.build_id())), "6a1f77");
    EXPECT_EQ(frame.offset(), 0x1230u);
    EXPECT_EQ(names.strings(static_cast<int>(frame.function())), named ? "grow" : "");
    EXPECT_EQ(message.sites(0).stack(), static_cast<uint32_t>(names.stacks_size()));
  }
}

TEST(LeftMessage, IsCutToSize) {
  Scene scene;
  std::vector<LeftSite> sites;
  const auto stacks = scene.Stacks();
  for (int32_t i = 0; i < 300; ++i) sites.push_back({stacks, 0, i, 0, 3, {101, 2, 900}});
  const proto::LeftMemory message = BuildLeft(sites, 7, {}, 200);
  EXPECT_LE(message.ByteSizeLong(), 200u);
  EXPECT_GT(message.sites_size(), 2);
  EXPECT_EQ(static_cast<uint64_t>(message.sites_size()) * 101 + message.other_bytes(), 30'300u);
  EXPECT_EQ(message.sites(1).stage_id(), 1);
  EXPECT_EQ(message.sites(1).tasks(), 3u);
  EXPECT_EQ(message.sites(1).variance(), 900);
}

}  // namespace
}  // namespace memprof
