#include "stacks/sample_rate.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

constexpr int64_t kMs = 1'000'000;

TEST(SampleRate, ManySamplesInAShortTimeAreOftenForGood) {
  SampleRate rate{};
  for (uint32_t i = 1; i < SampleRate::kOften; ++i) EXPECT_FALSE(rate.IsOften(5'000 * kMs + i)) << i;
  EXPECT_TRUE(rate.IsOften(5'001 * kMs));
  EXPECT_TRUE(rate.IsOften(900'000 * kMs)) << "what was made for it stays";
}

TEST(SampleRate, ManySamplesInALongTimeAreNotOften) {
  SampleRate rate{};
  for (int64_t ms = 0; ms < 1'000'000; ms += 200) ASSERT_FALSE(rate.IsOften(ms * kMs)) << ms;
}

}  // namespace
}  // namespace memprof
