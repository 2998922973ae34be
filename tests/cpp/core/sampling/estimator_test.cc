#include "sampling/estimator.h"

#include <gtest/gtest.h>

#include <cmath>

namespace memprof {
namespace {

TEST(Estimator, OneMinusExpAgreesWithLibm) {
  for (double x = 1e-9; x < 60; x *= 1.03) {
    EXPECT_NEAR(OneMinusExp(x) / -std::expm1(-x), 1, 1e-13) << "x " << x;
  }
  EXPECT_EQ(OneMinusExp(0), 0);
}

TEST(Estimator, AWeightTimesItsProbabilityIsTheSize) {
  for (uint64_t size : {1u, 16u, 511u, 65'521u, 262'143u}) {
    double p = SampleProbability(size, 65'536);
    EXPECT_NEAR(UnbiasedBytes(size, 65'536) * p, static_cast<double>(size), 1e-9 * static_cast<double>(size));
    EXPECT_NEAR(UnbiasedBlocks(size, 65'536) * p, 1, 1e-12);
  }
  // At size = interval the weight is 1.58 times the size; max(size, interval) would say 1, and lose 37 %.
  EXPECT_NEAR(UnbiasedBytes(65'536, 65'536) / 65'536, 1 / (1 - std::exp(-1)), 1e-12);
}

TEST(Estimator, FromFourIntervalsOnABlockIsCountedExactly) {
  EXPECT_FALSE(IsCountedExactly(4 * 65'536 - 1, 65'536));
  EXPECT_TRUE(IsCountedExactly(4 * 65'536, 65'536));
  EXPECT_TRUE(IsCountedExactly(1, 1));
  EXPECT_TRUE(IsCountedExactly(0, 1));
  EXPECT_TRUE(IsCountedExactly(5, 0));
  EXPECT_FALSE(IsCountedExactly(~uint64_t{0} / 8, ~uint64_t{0} / 4));
}

TEST(Estimator, TheVarianceOfASampleIsUnbiasedForTheTrueOne) {
  // E[sampled · w(w - size)] = p · w(w - size) must be size²(1-p)/p.
  for (double size : {16.0, 4'099.0, 65'521.0, 200'003.0}) {
    double p = SampleProbability(static_cast<uint64_t>(size), 65'536);
    double weight = size / p;
    EXPECT_NEAR(p * VarianceOf(weight, size) / (size * size * (1 - p) / p), 1, 1e-9);
  }
  EXPECT_EQ(VarianceOf(1'999'993, 1'999'993), 0);
}

}  // namespace
}  // namespace memprof
