#include "sampling/thread_sampler.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace memprof {
namespace {

static_assert(std::is_trivially_default_constructible_v<ThreadSampler> && std::is_trivially_destructible_v<ThreadSampler>);

constexpr uint64_t kHuge = uint64_t{1} << 40, kSmall = 64;

TEST(ThreadSampler, AnotherStartDoesNotWaitForTheRestOfAHugeGap) {
  ThreadSampler sampler{};
  ASSERT_TRUE(sampler.Crosses(1000, 1)) << "the first block seeds it";
  sampler.Draw(1000, kHuge, 1);
  EXPECT_FALSE(sampler.Crosses(1000, 1)) << "nothing is due for a long time";
  ASSERT_TRUE(sampler.Crosses(4 * kSmall, 2));
  const SampleWeight weight = sampler.Draw(4 * kSmall, kSmall, 2);
  EXPECT_EQ(weight.bytes, 4 * kSmall) << "so large a block is counted exactly";
  EXPECT_EQ(weight.blocks, 1u);
}

TEST(ThreadSampler, PutOffItWaitsForTheNextStart) {
  ThreadSampler sampler{};
  ASSERT_TRUE(sampler.Crosses(1000, 7));
  sampler.PutOff(7);
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(sampler.Crosses(uint64_t{1} << 40, 7));
  ASSERT_TRUE(sampler.Crosses(4 * kSmall, 8));
  EXPECT_EQ(sampler.Draw(4 * kSmall, kSmall, 8).bytes, 4 * kSmall);
}

// Hides from the compiler what a sampler has counted.
void Hide(ThreadSampler& sampler) { __asm__ volatile("" : "+m"(sampler)); }

// A thread may rest while sampling is switched on and off again. Its countdown must not overflow.
TEST(ThreadSampler, PutOffAgainAndAgainItStillWaits) {
  ThreadSampler sampler{};
  for (uint32_t start = 2; start <= 8; start += 2) {
    ASSERT_TRUE(sampler.Crosses(kSmall, start));
    sampler.PutOff(start);
    Hide(sampler);
    for (int i = 0; i < 3; ++i) ASSERT_FALSE(sampler.Crosses(uint64_t{1} << 40, start)) << start;
  }
}

TEST(SamplingStarts, ANumberSaysWhetherSamplingIsOn) {
  SamplingStarts starts;
  const uint32_t before = starts.Now();
  EXPECT_FALSE(SamplingStarts::IsOn(before));
  starts.Begin();
  const uint32_t first = starts.Now();
  EXPECT_TRUE(SamplingStarts::IsOn(first));
  EXPECT_NE(first, 0u) << "a sampler that is zero-filled has not joined it";
  starts.End();
  const uint32_t ended = starts.Now();
  EXPECT_FALSE(SamplingStarts::IsOn(ended)) << "a thread that notices the end must not wait with the number of the start";
  starts.End();
  EXPECT_FALSE(SamplingStarts::IsOn(starts.Now()));
  starts.Begin();
  const uint32_t second = starts.Now();
  EXPECT_TRUE(SamplingStarts::IsOn(second));
  EXPECT_NE(second, first);
  starts.Begin();
  EXPECT_TRUE(SamplingStarts::IsOn(starts.Now())) << "anew without an end";
  EXPECT_NE(starts.Now(), second);
}

// What a thread does at a block, while another one begins and ends.
TEST(SamplingStarts, AThreadThatWasPutOffJoinsTheNextStart) {
  SamplingStarts starts;
  ThreadSampler sampler{};
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(sampler.Crosses(4 * kSmall, starts.Now())) << i;
    ASSERT_FALSE(SamplingStarts::IsOn(starts.Now()));
    sampler.PutOff(starts.Now());
    starts.Begin();
    ASSERT_TRUE(sampler.Crosses(4 * kSmall, starts.Now())) << i;
    EXPECT_EQ(sampler.Draw(4 * kSmall, kSmall, starts.Now()).bytes, 4 * kSmall);
    starts.End();
  }
}

// The block at which a thread notices the start counts as any other: neither certainly taken nor left out.
TEST(ThreadSampler, FirstBlocksOfAStartAreUnbiased) {
  constexpr uint64_t kSize = 1000, kInterval = 16 << 10;
  constexpr uint32_t kStarts = 400'000;
  ThreadSampler sampler{};
  double bytes = 0;
  for (uint32_t start = 1; start <= kStarts; ++start) {
    if (sampler.Crosses(kSize, start)) bytes += static_cast<double>(sampler.Draw(kSize, kInterval, start).bytes);
  }
  // A block is taken with probability 1 - exp(-1000 / 16384) and then stands for its size divided by that: the deviation of the sum is
  // 0.63 % of it, times 6.
  EXPECT_NEAR(bytes, double{kSize} * kStarts, 0.038 * kSize * kStarts);
}

}  // namespace
}  // namespace memprof
