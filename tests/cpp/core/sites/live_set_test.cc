#include "sites/live_set.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <vector>

namespace memprof {
namespace {

class LiveSetTest : public testing::Test {
 protected:
  void Make(uint32_t slots) {
    Arena needed;
    LiveSet::Measure(slots, needed);
    memory_ = std::make_unique<uint64_t[]>(needed.used() / 8 + 8);
    size_t space = needed.used() + 64;
    void* at = memory_.get();
    Arena arena(std::align(64, needed.used(), at, space), needed.used());
    set_.Attach(slots, arena);
  }

  static LiveBlock Block(uintptr_t address, uint64_t size) {
    LiveBlock block;
    block.address = address;
    block.size = block.weight = size;
    return block;
  }

  std::unique_ptr<uint64_t[]> memory_;
  LiveSet set_;
};

TEST_F(LiveSetTest, AllLargeBlocksAreVisitedHoweverMany) {
  Make(8192);
  constexpr uintptr_t kBlocks = 5000;  // more than are listed
  for (uintptr_t i = 1; i <= kBlocks; ++i) set_.Insert(Block(i << 21, kLargeBlock + i));
  set_.Insert(Block(64, 4096));
  const auto visited = [this] {
    std::map<uintptr_t, int> times;
    set_.VisitLarge([&](const LiveBlock& block) { ++times[block.address]; });
    for (const auto& [address, count] : times) EXPECT_EQ(count, 1);
    return times.size();
  };
  EXPECT_EQ(visited(), kBlocks);
  for (uintptr_t i = 1; i <= kBlocks - 10; ++i) set_.Erase(set_.Find(i << 21));
  EXPECT_EQ(visited(), 10u) << "those that had no place when they came, too";
}

TEST_F(LiveSetTest, AgreesWithAMapUnderRandomInsertionAndRemoval) {
  Make(2048);
  std::map<uintptr_t, uint64_t> model;
  std::mt19937_64 random(11);
  for (int step = 0; step < 60'000; ++step) {
    uintptr_t address = (random() % 3000 + 1) * 16;
    auto known = model.find(address);
    if (known != model.end()) {
      ASSERT_TRUE(set_.filter().May(address));
      LiveBlock* block = set_.Find(address);
      ASSERT_NE(block, nullptr);
      ASSERT_EQ(block->size, known->second);
      set_.Erase(block);
      model.erase(known);
    } else if (!set_.Full()) {
      ASSERT_EQ(set_.Find(address), nullptr);
      uint64_t size = random() % 1'000'000;
      set_.Insert(Block(address, size));
      model[address] = size;
    }
    ASSERT_EQ(set_.count(), model.size());
  }
  for (const auto& [address, size] : model) ASSERT_NE(set_.Find(address), nullptr);
  set_.Sweep([](const LiveBlock&) { return false; });
  EXPECT_EQ(set_.count(), 0u);
  for (uintptr_t address = 16; address < 3001 * 16; address += 16) ASSERT_FALSE(set_.filter().May(address));
}

TEST_F(LiveSetTest, SweepErasesExactlyWhatItIsTold) {
  Make(1000);
  for (uintptr_t i = 1; i <= 700; ++i) set_.Insert(Block(i * 48, i));
  set_.Sweep([](const LiveBlock& block) { return block.size % 3 == 0; });
  for (uintptr_t i = 1; i <= 700; ++i) EXPECT_EQ(set_.Find(i * 48) != nullptr, i % 3 == 0) << i;
}

TEST_F(LiveSetTest, HoldsThreeQuartersOfItsSlots) {
  Make(400);
  uintptr_t address = 16;
  while (!set_.Full()) set_.Insert(Block(address += 16, 1));
  EXPECT_EQ(set_.count(), 300u);
}

TEST_F(LiveSetTest, FindsTheMappingsOfARange) {
  Make(400);
  constexpr uintptr_t kPage = 4096;
  set_.Insert(Block(10 * kPage, 3 * kPage));
  set_.Insert(Block(20 * kPage, kPage / 2));
  set_.Insert(Block(15 * kPage + 16, 5000));  // not page-aligned: no mapping
  EXPECT_EQ(set_.MappingIn(0, 10 * kPage), 0u);
  EXPECT_EQ(set_.MappingIn(0, 11 * kPage), 10 * kPage);
  EXPECT_EQ(set_.MappingIn(12 * kPage, 13 * kPage), 10 * kPage);
  EXPECT_EQ(set_.MappingIn(13 * kPage, 20 * kPage), 0u);
  EXPECT_EQ(set_.MappingIn(13 * kPage, 21 * kPage), 20 * kPage);
  EXPECT_EQ(set_.MappingIn(20 * kPage, 21 * kPage), 20 * kPage);
  set_.Erase(set_.Find(10 * kPage));
  EXPECT_EQ(set_.MappingIn(0, 19 * kPage), 0u);
}

TEST_F(LiveSetTest, MoreMappingsThanItsListHolds) {
  Make(12'000);
  for (uintptr_t i = 1; i <= 6000; ++i) set_.Insert(Block(i * 8192, 4096));
  // Those that are not listed are still found by their start, and can all be taken out.
  for (uintptr_t i = 6000; i >= 1; --i) {
    ASSERT_EQ(set_.MappingIn(i * 8192, i * 8192 + 4096), i * 8192) << i;
    set_.Erase(set_.Find(i * 8192));
  }
  EXPECT_EQ(set_.MappingIn(0, ~uintptr_t{0}), 0u);
}

// The filter's counters stop at 255 and then stay: an address must never be denied while it is there.
TEST(LiveFilter, ASaturatedCounterStays) {
  std::vector<std::atomic<uint8_t>> counts(LiveFilter::kBytes);
  LiveFilter filter(counts.data());
  for (int i = 0; i < 300; ++i) filter.Add(0x1000);
  for (int i = 0; i < 299; ++i) filter.Remove(0x1000);
  EXPECT_TRUE(filter.May(0x1000));
}

}  // namespace
}  // namespace memprof
