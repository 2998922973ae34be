#include "sites/young_blocks.h"

#include <gtest/gtest.h>

#include <vector>

namespace memprof {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr uint64_t kSize = 3'200'000;

std::vector<uintptr_t> Grown(YoungBlocks& blocks, int64_t now_ns) {
  std::vector<uintptr_t> grown;
  blocks.TakeGrown(now_ns, [&](uintptr_t address) { grown.push_back(address); });
  return grown;
}

TEST(YoungBlocks, AReadingIsTooEarlyWhileABlockIsYoungAndNearlyUntouched) {
  YoungBlocks blocks;
  EXPECT_FALSE(blocks.IsTooEarly(0x1000, kSize, 0, 0));
  blocks.Add(0x1000, 5 * kMs);
  EXPECT_TRUE(blocks.IsTooEarly(0x1000, kSize, 0, 6 * kMs));
  EXPECT_TRUE(blocks.IsTooEarly(0x1000, kSize, kSize / YoungBlocks::kUntouched - 1, 104 * kMs));
  EXPECT_FALSE(blocks.IsTooEarly(0x1000, kSize, kSize / YoungBlocks::kUntouched, 6 * kMs)) << "it is being filled";
  EXPECT_FALSE(blocks.IsTooEarly(0x1000, kSize, 0, 105 * kMs)) << "it is older";
  EXPECT_FALSE(blocks.IsTooEarly(0x2000, kSize, 0, 6 * kMs)) << "another one";
}

TEST(YoungBlocks, EachIsReadOnceWhenItIsOlder) {
  YoungBlocks blocks;
  blocks.Add(0x1000, 0);
  blocks.Add(0x2000, 50 * kMs);
  EXPECT_EQ(Grown(blocks, 99 * kMs), std::vector<uintptr_t>{});
  EXPECT_EQ(Grown(blocks, 100 * kMs), std::vector<uintptr_t>{0x1000});
  EXPECT_EQ(Grown(blocks, 150 * kMs), std::vector<uintptr_t>{0x2000});
  EXPECT_EQ(Grown(blocks, 999 * kMs), std::vector<uintptr_t>{});
}

TEST(YoungBlocks, AnAddressThatIsUsedAgainIsAnotherBlock) {
  YoungBlocks blocks;
  blocks.Add(0x1000, 0);
  blocks.Add(0x1000, 95 * kMs);
  EXPECT_EQ(Grown(blocks, 101 * kMs), std::vector<uintptr_t>{});
  EXPECT_TRUE(blocks.IsTooEarly(0x1000, kSize, 0, 101 * kMs));
  EXPECT_EQ(Grown(blocks, 195 * kMs), std::vector<uintptr_t>{0x1000});
}

TEST(YoungBlocks, TheNewestAreKept) {
  YoungBlocks blocks;
  for (uintptr_t i = 1; i <= YoungBlocks::kMost + 1; ++i) blocks.Add(i << 12, 0);
  EXPECT_FALSE(blocks.Has(1 << 12, kMs));
  EXPECT_TRUE(blocks.Has(2 << 12, kMs));
  EXPECT_EQ(Grown(blocks, 100 * kMs).size(), YoungBlocks::kMost);
}

}  // namespace
}  // namespace memprof
