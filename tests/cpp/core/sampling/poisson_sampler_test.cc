#include "sampling/poisson_sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <type_traits>
#include <vector>

#include "sampling/estimator.h"

namespace memprof {
namespace {

static_assert(std::is_trivially_default_constructible_v<PoissonSampler> && std::is_trivially_destructible_v<PoissonSampler>);

constexpr uint64_t kInterval = 64 << 10;

struct Sum {
  double bytes = 0, blocks = 0, variance = 0;
  uint64_t samples = 0;
};

SampleWeight Ask(PoissonSampler& sampler, uint64_t size, uint64_t interval) {
  return sampler.Crosses(size) ? sampler.Draw(size, interval) : SampleWeight();
}

Sum Allocate(PoissonSampler& sampler, uint64_t size, uint64_t count, uint64_t interval) {
  Sum sum;
  for (uint64_t i = 0; i < count; ++i) {
    SampleWeight weight = Ask(sampler, size, interval);
    if (!weight.taken()) continue;
    ++sum.samples;
    sum.bytes += static_cast<double>(weight.bytes);
    sum.blocks += static_cast<double>(weight.blocks);
    sum.variance += VarianceOf(static_cast<double>(weight.bytes), static_cast<double>(size));
  }
  return sum;
}

// Every size by itself: 400 streams each, whose mean must lie within 4 standard deviations of the truth, the deviation
// being the stated one; and the stated variance must be that of the 400 sums.
TEST(PoissonSampler, EverySizeIsUnbiasedWithTheStatedVariance) {
  constexpr int kStreams = 400;
  for (uint64_t size : {17u, 512u, 4'099u, 65'521u, 99'991u, 262'139u}) {
    const uint64_t count = 4'000'037 / size + 3;
    const double truth = static_cast<double>(size * count);
    const double p = SampleProbability(size, kInterval);
    const double variance = static_cast<double>(count) * static_cast<double>(size) * static_cast<double>(size) * (1 - p) / p;
    double sum = 0, squares = 0, blocks = 0, stated = 0;
    for (int stream = 0; stream < kStreams; ++stream) {
      PoissonSampler sampler = {};
      sampler.Seed(size * 1000 + static_cast<uint64_t>(stream) * 7919 + 1);
      Sum found = Allocate(sampler, size, count, kInterval);
      sum += found.bytes;
      squares += (found.bytes - truth) * (found.bytes - truth);
      blocks += found.blocks;
      stated += found.variance;
    }
    const double deviation_of_mean = std::sqrt(variance / kStreams);
    EXPECT_NEAR(sum / kStreams, truth, 4 * deviation_of_mean) << "size " << size;
    // Random rounding of the block count adds at most a quarter to each sample's variance.
    const double blocks_variance = static_cast<double>(count) * ((1 - p) / p + p * 0.25);
    EXPECT_NEAR(blocks / kStreams, static_cast<double>(count), 4 * std::sqrt(blocks_variance / kStreams)) << "size " << size;
    EXPECT_NEAR(squares / kStreams / variance, 1, 0.3) << "size " << size;
    EXPECT_NEAR(stated / kStreams / variance, 1, 0.05) << "size " << size;
  }
}

// A thread's sampler seeds itself with its first block, which must not be taken for certain.
TEST(PoissonSampler, SamplersOfShortThreadsAreUnbiased) {
  constexpr int kThreads = 300'000, kBlocks = 3;
  constexpr uint64_t kSize = 1'009;
  double found = 0;
  for (int thread = 0; thread < kThreads; ++thread) {
    PoissonSampler sampler = {};
    found += Allocate(sampler, kSize, kBlocks, kInterval).bytes;
  }
  const double blocks = kThreads * kBlocks, p = SampleProbability(kSize, kInterval);
  EXPECT_NEAR(found, blocks * kSize, 6 * kSize * std::sqrt(blocks * (1 - p) / p));
}

TEST(PoissonSampler, AMixOfSizesIsUnbiased) {
  const uint64_t sizes[] = {24, 31, 100'003, 517, 33, 20'011, 300'007, 64, 1'999'993};
  double truth = 0, found = 0, variance = 0;
  PoissonSampler sampler = {};
  sampler.Seed(20'240'607);
  for (int i = 0; i < 400'000; ++i) {
    uint64_t size = sizes[static_cast<size_t>(i) % std::size(sizes)];
    SampleWeight weight = Ask(sampler, size, kInterval);
    truth += static_cast<double>(size);
    if (!weight.taken()) continue;
    found += static_cast<double>(weight.bytes);
    variance += VarianceOf(static_cast<double>(weight.bytes), static_cast<double>(size));
  }
  EXPECT_NEAR(found, truth, 4 * std::sqrt(variance));
}

TEST(PoissonSampler, LargeBlocksAreAlwaysExactAndLeaveTheStreamAlone) {
  PoissonSampler alone = {}, mixed = {};
  alone.Seed(5);
  mixed.Seed(5);
  for (int i = 0; i < 300'000; ++i) {
    SampleWeight a = Ask(alone, 48, kInterval);
    SampleWeight b = Ask(mixed, 48, kInterval);
    ASSERT_EQ(a.bytes, b.bytes) << i;
    if (i % 10 != 0) continue;
    for (uint64_t large : {4 * kInterval, uint64_t{1'999'993}, uint64_t{8} << 30}) {
      SampleWeight weight = Ask(mixed, large, kInterval);
      ASSERT_EQ(weight.bytes, large);
      ASSERT_EQ(weight.blocks, 1u);
    }
  }
}

TEST(PoissonSampler, IntervalOneCountsEveryBlock) {
  PoissonSampler sampler = {};
  for (uint64_t size : {uint64_t{0}, uint64_t{1}, uint64_t{2}, uint64_t{3}, uint64_t{17}, uint64_t{1} << 40, uint64_t{0}}) {
    SampleWeight weight = Ask(sampler, size, 1);
    EXPECT_EQ(weight.bytes, size);
    EXPECT_EQ(weight.blocks, 1u);
  }
}

TEST(PoissonSampler, AZeroFilledOneSeedsItselfAndThreadsDiffer) {
  PoissonSampler first = {}, second = {};
  std::vector<int> a, b;
  for (int i = 0; i < 200'000; ++i) {
    if (Ask(first, 64, kInterval).taken()) a.push_back(i);
    if (Ask(second, 64, kInterval).taken()) b.push_back(i);
  }
  EXPECT_GT(a.size(), 100u);
  EXPECT_LT(a.size(), 320u);
  EXPECT_NE(a, b);
}

TEST(PoissonSampler, EmptyBlocksAreNeverSampled) {
  PoissonSampler sampler = {};
  sampler.Seed(1);
  for (int i = 0; i < 100'000; ++i) ASSERT_FALSE(Ask(sampler, 0, 2).taken());
}

// A failed allocation between two blocks, however large, must change nothing for them.
TEST(PoissonSampler, WhatIsTakenBackLeavesTheStreamAlone) {
  PoissonSampler one = {}, other = {};
  one.Seed(7);
  other.Seed(7);
  for (int i = 0; i < 50'000; ++i) {
    if (i % 3 == 0) {
      const uint64_t failed = uint64_t{1} << (i % 40);
      one.Crosses(failed);
      one.TakeBack(failed);
    }
    const SampleWeight a = Ask(one, 1000, kInterval), b = Ask(other, 1000, kInterval);
    ASSERT_EQ(a.bytes, b.bytes) << i;
    ASSERT_EQ(a.blocks, b.blocks);
  }
}

// The gaps themselves, in whole bytes: mean 1/(1 - e^(-1/interval)), P(gap > 3 intervals) = e^-3.
TEST(PoissonSampler, GapsAreExponential) {
  PoissonSampler sampler = {};
  sampler.Seed(42);
  constexpr int kGaps = 400'000;
  constexpr uint64_t kSmall = 20;
  double sum = 0, squares = 0;
  int long_ones = 0;
  for (int i = 0; i < kGaps; ++i) {
    uint64_t gap = 1;
    while (!Ask(sampler, 1, kSmall).taken()) ++gap;
    sum += static_cast<double>(gap);
    squares += static_cast<double>(gap) * static_cast<double>(gap);
    long_ones += gap > 3 * kSmall;
  }
  double mean = sum / kGaps;
  EXPECT_NEAR(mean, 1 / (1 - std::exp(-1.0 / kSmall)), 4 * kSmall / std::sqrt(kGaps));
  EXPECT_NEAR(std::sqrt(squares / kGaps - mean * mean), kSmall, 0.02 * kSmall);
  EXPECT_NEAR(static_cast<double>(long_ones) / kGaps, std::exp(-3), 4 * std::sqrt(0.05 / kGaps));
}

}  // namespace
}  // namespace memprof
