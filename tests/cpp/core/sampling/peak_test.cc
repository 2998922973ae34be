#include "sampling/peak.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace memprof {
namespace {

constexpr size_t kSites = 7;

struct Block {
  size_t site;
  uint64_t size;
  double variance;
  uint64_t first_peak = 0;
  bool read = false;
  uint64_t resident = 0;
};

// Copies everything at every new maximum, which is what peak.h avoids.
struct BruteForce {
  uint64_t live = 0, peak = 0;
  std::map<int, Block> now, at_peak;  // blocks at the peak go on receiving their readings

  void Settle() {
    if (live <= peak) return;
    peak = live;
    at_peak = now;
  }
};

struct Machine {
  PeakTotal total;
  std::vector<PeakShare> shares{kSites, NewShare(total)};

  void Grow(const Block& block) {
    Touch(total, shares[block.site]);
    memprof::Grow(total, shares[block.site], block.size, block.variance);
  }
  void Shrink(const Block& block) {
    PeakShare& share = shares[block.site];
    Touch(total, share);
    memprof::Shrink(total, share, block.size, block.variance);
    if (!block.read) return;
    ForgetReading(share, block.size, block.resident);
  }
  void Read(Block& block, uint64_t reading) {
    PeakShare& share = shares[block.site];
    Touch(total, share);
    if (block.read && reading <= block.resident) return;
    if (block.read) {
      NoteReading(total, share, block.first_peak, block.resident, reading, false);
    } else {
      NoteFirstReading(total, share, block.first_peak, block.size, reading, false);
    }
    block.read = true;
    block.resident = reading;
  }
};

void Compare(const Machine& machine, const BruteForce& brute, int step) {
  ASSERT_EQ(machine.total.live, brute.live) << "step " << step;
  ASSERT_EQ(machine.total.peak, brute.peak) << "step " << step;
  std::vector<uint64_t> live(kSites), at_peak(kSites), resident(kSites), read(kSites);
  std::vector<double> variance(kSites);
  for (const auto& [id, block] : brute.now) live[block.site] += block.size;
  for (const auto& [id, block] : brute.at_peak) {
    at_peak[block.site] += block.size;
    variance[block.site] += block.variance;
    resident[block.site] += block.resident;
    if (block.read) read[block.site] += block.size;
  }
  for (size_t site = 0; site < kSites; ++site) {
    const ShareAtPeak found = AtPeak(machine.total, machine.shares[site]);
    ASSERT_EQ(machine.shares[site].live, live[site]) << "step " << step << " site " << site;
    ASSERT_EQ(found.live, at_peak[site]) << "step " << step << " site " << site;
    ASSERT_EQ(found.resident, resident[site]) << "step " << step << " site " << site;
    ASSERT_EQ(found.read, read[site]) << "step " << step << " site " << site;
    ASSERT_DOUBLE_EQ(found.variance, variance[site]) << "step " << step << " site " << site;
  }
}

void RunAgainstModel(uint64_t seed) {
  std::mt19937_64 random(seed);
  Machine machine;
  BruteForce brute;
  int next_id = 0;
  auto any_block = [&] {
    auto block = brute.now.begin();
    std::advance(block, static_cast<long>(random() % brute.now.size()));
    return block;
  };
  auto add = [&](size_t site) {
    Block block{.site = site, .size = 1024 * (1 + random() % 100), .variance = static_cast<double>(random() % 1000)};
    machine.Grow(block);
    brute.live += block.size;
    return brute.now.emplace(next_id++, block).first;
  };
  auto remove = [&](std::map<int, Block>::iterator block) {
    machine.Shrink(block->second);
    brute.live -= block->second.size;
    brute.now.erase(block);
  };
  auto settle = [&](Block* newcomer) {
    bool higher = Settle(machine.total);
    if (newcomer != nullptr) newcomer->first_peak = FirstPeak(machine.total, higher);
    brute.Settle();
  };
  for (int step = 0; step < 2000; ++step) {
    // Growing and shrinking phases, so that there are peaks to come back to.
    const bool growing = (step / 200) % 3 != 2;
    const uint64_t dice = random() % 10;
    if (brute.now.empty() || dice < (growing ? 5u : 3u)) {
      settle(&add(random() % kSites)->second);
    } else if (dice < 7) {
      remove(any_block());
      settle(nullptr);
    } else if (dice == 7) {  // realloc: one step
      auto old = any_block();
      size_t site = old->second.site;
      remove(old);
      settle(&add(site)->second);
    } else {
      auto block = any_block();
      machine.Read(block->second, random() % (block->second.size + 1));
      auto at_peak = brute.at_peak.find(block->first);
      if (at_peak != brute.at_peak.end()) {
        at_peak->second.read = true;
        at_peak->second.resident = block->second.resident;
      }
    }
    Compare(machine, brute, step);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Peak, AgreesWithCopyingEverythingAtEveryMaximum) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    RunAgainstModel(seed);
    if (HasFatalFailure()) return;
  }
}

TEST(Peak, ComingBackToTheSameMaximumIsNotANewOne) {
  PeakTotal total;
  PeakShare first = NewShare(total), second = NewShare(total);
  Grow(total, first, 100, 0);
  EXPECT_TRUE(Settle(total));
  Touch(total, first);
  Shrink(total, first, 100, 0);
  EXPECT_FALSE(Settle(total));
  Touch(total, second);
  Grow(total, second, 100, 0);
  EXPECT_FALSE(Settle(total));
  EXPECT_EQ(AtPeak(total, first).live, 100u);
  EXPECT_EQ(AtPeak(total, second).live, 0u);
  // The second block lives, but it was not there at the maximum: a reading of it is not the peak's.
  NoteFirstReading(total, second, FirstPeak(total, false), 100, 80, false);
  EXPECT_EQ(AtPeak(total, second).resident, 0u);
  EXPECT_EQ(AtPeak(total, second).read, 0u);
}

TEST(Peak, ALateReadingBelongsToThePeakOfItsBlock) {
  PeakTotal total;
  PeakShare share = NewShare(total);
  Grow(total, share, 4096, 0);
  uint64_t first_peak = FirstPeak(total, Settle(total));
  EXPECT_EQ(AtPeak(total, share).read, 0u) << "unread is not 0 resident";
  Touch(total, share);
  NoteFirstReading(total, share, first_peak, 4096, 390, false);
  Shrink(total, share, 4096, 0);
  ForgetReading(share, 4096, 390);
  Settle(total);
  EXPECT_EQ(AtPeak(total, share).live, 4096u);
  EXPECT_EQ(AtPeak(total, share).resident, 390u);
  EXPECT_EQ(AtPeak(total, share).read, 4096u);
}

TEST(Peak, WhatIsSeenWhenThePeakHasPassedIsKeptApartUntilTheNextOne) {
  PeakTotal total;
  PeakShare freed = NewShare(total), filled = NewShare(total);
  Grow(total, filled, 1 << 20, 0);
  const uint64_t first_peak = FirstPeak(total, Settle(total));
  Touch(total, freed);
  Grow(total, freed, 1 << 17, 0);
  Settle(total);
  EXPECT_FALSE(HasPassed(total));
  Touch(total, freed);
  Shrink(total, freed, 1 << 17, 0);
  Settle(total);
  EXPECT_TRUE(HasPassed(total)) << "an eighth has gone";
  Touch(total, filled);
  NoteFirstReading(total, filled, first_peak, 1 << 20, 300 << 10, false);
  NoteReading(total, filled, first_peak, 300 << 10, 700 << 10, true);
  EXPECT_EQ(AtPeak(total, filled).resident, 700u << 10);
  EXPECT_EQ(AtPeak(total, filled).later, 400u << 10);
  Touch(total, freed);
  Grow(total, freed, 1 << 18, 0);
  EXPECT_TRUE(Settle(total));
  EXPECT_EQ(AtPeak(total, filled).resident, 700u << 10);
  EXPECT_EQ(AtPeak(total, filled).later, 0u) << "at the new peak all of it was there";
  Touch(total, filled);
  EXPECT_EQ(AtPeak(total, filled).later, 0u) << "nor when it is saved";
}

}  // namespace
}  // namespace memprof
