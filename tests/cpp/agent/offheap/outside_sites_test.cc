#include "offheap/outside_sites.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "offheap/left_message.h"

namespace memprof {
namespace {

class Scene {
 public:
  void Allocate(uint64_t address, uint32_t site, double bytes) {
    OffHeapBlock block;
    block.amount = {bytes, 1, 0};
    block.place.site = site;
    ASSERT_TRUE(blocks.Put(address, block));
  }
  std::shared_ptr<JvmStacks> Stacks() { return std::make_shared<JvmStacks>(&dropped); }
  std::vector<LeftSite> Sites() {
    std::vector<LeftSite> found = sites.Sites(current, [](uint32_t bucket) { return "thread " + std::to_string(bucket); });
    std::sort(found.begin(), found.end(), [](const LeftSite& a, const LeftSite& b) { return a.live.bytes > b.live.bytes; });
    return found;
  }

  std::atomic<uint64_t> dropped{0};
  OffHeapBlocks blocks;
  OutsideSites sites{&blocks};
  std::shared_ptr<JvmStacks> current = Stacks();
};

TEST(OutsideSites, LiveBlocksBySiteAndThread) {
  Scene scene;
  EXPECT_EQ(scene.sites.Find(77), OutsideSites::kNoSite);
  const uint32_t first = scene.sites.Add(77, {scene.current, 5, 3}), second = scene.sites.Add(78, {scene.current, 5, 4});
  EXPECT_EQ(scene.sites.Add(77, {scene.current, 6, 9}), first) << "another thread was faster";
  EXPECT_EQ(scene.sites.Find(77), first);
  scene.Allocate(0x1000, first, 10'007);
  scene.Allocate(0x2000, first, 1'000);
  scene.Allocate(0x3000, second, 500);
  OffHeapBlock of_task;
  of_task.task = {1, 1};
  of_task.amount = {77'777, 1, 0};
  ASSERT_TRUE(scene.blocks.Put(0x4000, of_task));
  std::vector<LeftSite> found = scene.Sites();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].live.bytes, 11'007);
  EXPECT_EQ(found[0].live.blocks, 2);
  EXPECT_EQ(found[0].thread, "thread 3");
  EXPECT_EQ(found[0].stack, 5u);
  EXPECT_EQ(found[0].stage_id, -1);
  EXPECT_EQ(found[1].thread, "thread 4");
  static_cast<void>(scene.blocks.Take(0x1000));
  static_cast<void>(scene.blocks.Take(0x2000));
  found = scene.Sites();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].live.bytes, 500);
}

TEST(OutsideSites, SitesWithoutBlocksMakeRoomButNotAtOnce) {
  Scene scene;
  for (uint64_t key = 0; key < OutsideSites::kMostSites; ++key)
    ASSERT_NE(scene.sites.Add(key, {scene.current, 1, 1}), OutsideSites::kNoSite);
  EXPECT_FALSE(scene.sites.HasRoom());
  EXPECT_EQ(scene.sites.Add(9999, {scene.current, 1, 1}), OutsideSites::kNoSite);
  scene.Allocate(0x1000, scene.sites.Find(7), 100);
  scene.Allocate(0x2000, OutsideSites::kNoSite, 30);
  EXPECT_EQ(scene.Sites().size(), 2u);
  EXPECT_FALSE(scene.sites.HasRoom()) << "their first blocks may not be followed yet";
  const std::vector<LeftSite> found = scene.Sites();
  EXPECT_TRUE(scene.sites.HasRoom());
  EXPECT_NE(scene.sites.Find(7), OutsideSites::kNoSite);
  EXPECT_EQ(scene.sites.Find(8), OutsideSites::kNoSite);
  const uint32_t later = scene.sites.Add(9999, {scene.current, 1, 1});
  EXPECT_GE(later, OutsideSites::kMostSites) << "no number comes again";
  const proto::LeftMemory message = BuildLeft(found, 1'700'000'000'123);
  ASSERT_EQ(message.sites_size(), 1);
  EXPECT_EQ(message.names().strings(static_cast<int>(message.sites(0).thread())), "thread 1");
  EXPECT_EQ(message.sites(0).stage_id(), -1);
  EXPECT_EQ(message.other_bytes(), 30u) << "nothing is known of it but that it is there";
}

TEST(OutsideSites, OldGenerationsOfStacksAreGivenBack) {
  Scene scene;
  std::weak_ptr<JvmStacks> old = scene.current;
  scene.Allocate(0x1000, scene.sites.Add(1, {scene.current, 0, 1}), 100);
  scene.current = scene.Stacks();
  const std::vector<LeftSite> found = scene.Sites();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].stacks, scene.current);
  EXPECT_TRUE(old.expired());
}

}  // namespace
}  // namespace memprof
