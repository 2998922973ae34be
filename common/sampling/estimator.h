// How many bytes and blocks one sampled block represents.
//
// Sample points lie along the stream of allocated bytes as a Poisson process with one point per `interval` bytes. A block
// of `size` bytes is sampled when at least one point falls into it, so with probability
//
//     p(size) = 1 - exp(-size / interval).
//
// Horvitz and Thompson: a sampled block stands for 1/p blocks and for
//
//     w = size / p   bytes.
//
// E[w · sampled] = p · size/p = size: unbiased for every size by itself, whatever the mix of sizes. That is why weights
// are computed *per sample and then summed*; dividing a sum of sizes by a mean probability, or weighing a block by
// max(size, interval), is biased (the latter loses 37 % at size = interval).
//
// Its variance is size² · (1-p)/p. What can be summed over the samples alone is the unbiased estimate of it: each sampled
// block adds
//
//     size² · (1-p)/p²  =  w · (w - size),
//
// and a block counted exactly (w = size) adds nothing. Two standard deviations of a sum are 2 · sqrt(Σ w(w - size)). For
// blocks much smaller than the interval w is about the interval, hence the rule of thumb sd ≈ sqrt(interval · bytes).
//
// Exact threshold: a block of 4 intervals would be missed with probability e⁻⁴ = 1.8 %, and at that size a miss would be noticed.
// From kExactIntervals on a block is therefore always counted, with w = size and no variance. Sampled and exact blocks are
// disjoint by size, so the sum stays unbiased. JVM heap samples come from the JVM's own sampler and are never exact.
//
// Pure functions of doubles, without libm (whose first call may go through the dynamic linker): callable from hooks.
#pragma once

#include <cstdint>

namespace memprof {

inline constexpr uint64_t kExactIntervals = 4;

// 1 - exp(-x) for x >= 0, to 1e-14 relative: Taylor below 1/16, and 1-exp(-2h) = e(2-e) for e = 1-exp(-h) above it.
inline double OneMinusExp(double x) {
  if (x > 40) return 1;  // the difference from 1 is below a double's precision
  int doublings = 0;
  while (x > 0.0625) {
    x *= 0.5;
    ++doublings;
  }
  double e = x * (1 - x / 2 * (1 - x / 3 * (1 - x / 4 * (1 - x / 5 * (1 - x / 6 * (1 - x / 7 * (1 - x / 8)))))));
  for (; doublings > 0; --doublings) e *= 2 - e;
  return e;
}

// True for blocks that are always counted: weight = size. Interval 0 and 1 mean: every block.
inline bool IsCountedExactly(uint64_t size, uint64_t interval) { return interval <= 1 || size / kExactIntervals >= interval; }

// The probability that a block of `size` bytes is sampled; in (0, 1] for size >= 1.
inline double SampleProbability(uint64_t size, uint64_t interval) {
  return interval == 0 ? 1 : OneMinusExp(static_cast<double>(size) / static_cast<double>(interval));
}

// Bytes and blocks that one sampled block stands for. size >= 1.
inline double UnbiasedBytes(uint64_t size, uint64_t interval) { return static_cast<double>(size) / SampleProbability(size, interval); }
inline double UnbiasedBlocks(uint64_t size, uint64_t interval) { return 1 / SampleProbability(size, interval); }

// What one sample adds to the variance of a sum of weights, in bytes². 0 for a block counted exactly.
inline double VarianceOf(double weight, double size) { return weight > size ? weight * (weight - size) : 0; }

}  // namespace memprof
