#include "tasks/offheap_sites.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "offheap/offheap_blocks.h"

namespace memprof {
namespace {

Amount Exact(double bytes) { return {bytes, 1, 0}; }

double AtPeak(const OffHeapSites& sites, JvmStackId stack) {
  for (const auto& site : sites.table().sites()) {
    if (site.stack == stack) return sites.LiveAtPeak(site.figures).bytes;
  }
  return -1;
}

TEST(OffHeapSites, LiveAtThePeakIsEverySitesShareOfOneMoment) {
  SiteBudget budget;
  OffHeapSites sites(&budget);
  const auto a = sites.Allocated(1, 1, Exact(50));
  const auto b = sites.Allocated(2, 2, Exact(30));  // the peak: 80
  sites.Freed(a, Exact(50));
  sites.Allocated(3, 3, Exact(20));
  EXPECT_EQ(AtPeak(sites, 1), 50);
  EXPECT_EQ(AtPeak(sites, 2), 30);
  EXPECT_EQ(AtPeak(sites, 3), 0);
  sites.Allocated(1, 1, Exact(90));  // a new one: 140
  EXPECT_EQ(sites.peak_bytes(), 140);
  EXPECT_EQ(AtPeak(sites, 1), 90);
  EXPECT_EQ(AtPeak(sites, 2), 30);
  EXPECT_EQ(AtPeak(sites, 3), 20);
  sites.Freed(b, Exact(30));
  EXPECT_EQ(AtPeak(sites, 2), 30);
}

TEST(OffHeapSites, ShrinkingABlockShrinksThePeakItIsPartOf) {
  SiteBudget budget;
  OffHeapSites sites(&budget);
  const auto a = sites.Allocated(1, 1, Exact(56));
  sites.Shrunk(a, 3);
  EXPECT_EQ(AtPeak(sites, 1), 53);
  EXPECT_EQ(sites.peak_bytes(), 53);
  EXPECT_EQ(sites.live_bytes(), 53);
  sites.Freed(a, Exact(53));
  const auto b = sites.Allocated(1, 1, Exact(24));  // no peak: that was 53
  sites.Shrunk(b, 4);
  EXPECT_EQ(AtPeak(sites, 1), 53);
  EXPECT_EQ(sites.peak_bytes(), 53);
  EXPECT_EQ(sites.live_bytes(), 20);
}

// Against a model that remembers every site at every peak.
TEST(OffHeapSites, AgreesWithASlowModel) {
  std::mt19937 random(7);
  SiteBudget budget;
  OffHeapSites sites(&budget);
  struct Block {
    JvmStackId stack;
    double bytes;
    OffHeapSites::Place place;
  };
  std::vector<Block> blocks;
  std::map<JvmStackId, double> live, at_peak;
  double total = 0, peak = 0;
  for (int step = 0; step < 20'000; ++step) {
    if (blocks.empty() || random() % 5 < 3) {
      const JvmStackId stack = 1 + random() % 7;
      const double bytes = 1 + random() % 1000;
      blocks.push_back({stack, bytes, sites.Allocated(stack, stack, Exact(bytes))});
      live[stack] += bytes;
      total += bytes;
    } else {
      const size_t victim = random() % blocks.size();
      const Block block = blocks[victim];
      blocks.erase(blocks.begin() + static_cast<long>(victim));
      sites.Freed(block.place, Exact(block.bytes));
      live[block.stack] -= block.bytes;
      total -= block.bytes;
    }
    if (total > peak) {
      peak = total;
      at_peak = live;
    }
    if (step % 100 != 0) continue;
    ASSERT_EQ(sites.peak_bytes(), peak);
    for (const auto& site : sites.table().sites()) ASSERT_EQ(sites.LiveAtPeak(site.figures).bytes, at_peak[site.stack]) << step;
  }
}

TEST(OffHeapBlocks, AFullTableRefusesAndTheFilterKnowsWhoIsGone) {
  const auto blocks = std::make_unique<OffHeapBlocks>();
  for (uint64_t i = 0; i < OffHeapBlocks::kMaxBlocks; ++i) ASSERT_TRUE(blocks->Put(4096 * (i + 1), {}));
  EXPECT_FALSE(blocks->Put(1, {}));
  EXPECT_TRUE(blocks->MayContain(4096));
  for (uint64_t i = 0; i < OffHeapBlocks::kMaxBlocks; ++i) ASSERT_TRUE(blocks->Take(4096 * (i + 1)).has_value());
  EXPECT_FALSE(blocks->Take(4096).has_value());
  for (uint64_t i = 0; i < OffHeapBlocks::kMaxBlocks; ++i) ASSERT_FALSE(blocks->MayContain(4096 * (i + 1)));
  EXPECT_TRUE(blocks->Put(1, {}));
}

TEST(OffHeapBlocks, AnAddressHeldAgainReplacesWhatWasThere) {
  const auto blocks = std::make_unique<OffHeapBlocks>();
  OffHeapBlock block;
  block.size = 10;
  blocks->Put(8, block);
  block.size = 20;
  blocks->Put(8, block);
  EXPECT_EQ(blocks->Take(8)->size, 20u);
  EXPECT_FALSE(blocks->MayContain(8));
}

}  // namespace
}  // namespace memprof
