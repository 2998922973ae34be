#include "sampling/poisson_sampler.h"

#include <bit>

#include "base/clock.h"
#include "base/hash.h"
#include "sampling/estimator.h"

namespace memprof {
namespace {

constexpr double kLn2 = 0.693147180559945309417232;

// -ln((bits + 1) / 2^64), without libm: exponent and mantissa apart, the mantissa by atanh's series around sqrt(1/2)..sqrt(2),
// to 1e-11 absolute. At least 0.
double NegativeLog(uint64_t bits) {
  double u = (static_cast<double>(bits >> 11) + 1) * 0x1p-53;  // (0, 1]
  uint64_t raw = std::bit_cast<uint64_t>(u);
  int exponent = static_cast<int>(raw >> 52) - 1023;
  double mantissa = std::bit_cast<double>((raw & 0x000fffffffffffffu) | 0x3ff0000000000000u);  // [1, 2)
  if (mantissa > 1.4142135623730951) {
    mantissa *= 0.5;
    ++exponent;
  }
  double s = (mantissa - 1) / (mantissa + 1);
  double square = s * s;
  double series = 1 + square * (1.0 / 3 + square * (1.0 / 5 + square * (1.0 / 7 + square * (1.0 / 9 + square * (1.0 / 11 + square / 13)))));
  double log = exponent * kLn2 + 2 * s * series;
  return log < 0 ? -log : 0;
}

}  // namespace

uint64_t PoissonSampler::NextRandom() {
  random_ += 0x9e3779b97f4a7c15u;
  return Mix64(random_);
}

void PoissonSampler::Seed(uint64_t seed) {
  random_ = seed | 1;
  countdown_ = 0;
  rest_ = 0;
}

void PoissonSampler::StartGap(uint64_t interval) {
  double gap = static_cast<double>(interval) * NegativeLog(NextRandom());
  uint64_t bytes = static_cast<uint64_t>(gap);
  if (static_cast<double>(bytes) < gap) ++bytes;  // round up
  if (bytes == 0) bytes = 1;
  uint64_t longest = kExactIntervals * interval;
  uint64_t piece = bytes < longest ? bytes : longest;
  countdown_ = static_cast<int64_t>(piece);
  rest_ = bytes - piece;
}

uint64_t PoissonSampler::RoundAtRandom(double value) {
  uint64_t whole = static_cast<uint64_t>(value);
  double fraction = value - static_cast<double>(whole);
  return whole + (static_cast<double>(NextRandom() >> 11) * 0x1p-53 < fraction ? 1 : 0);
}

SampleWeight PoissonSampler::Draw(uint64_t size, uint64_t interval) {
  if (IsCountedExactly(size, interval)) {
    countdown_ = interval <= 1 ? 0 : countdown_ + static_cast<int64_t>(size);
    return {size, 1};
  }
  if (random_ == 0) {
    // A new thread: its gap starts with this block, which is counted already. Threads differ by the address of their state and by the
    // clock.
    random_ = (Mix64(reinterpret_cast<uintptr_t>(this)) ^ static_cast<uint64_t>(MonotonicNs())) | 1;
  }
  if (countdown_ == -static_cast<int64_t>(size)) {
    // The countdown was 0 before this block: no gap had been started yet.
    StartGap(interval);
    if (Crosses(size)) return Draw(size, interval);
    return {};
  }
  while (countdown_ <= 0 && rest_ > 0) {
    uint64_t longest = kExactIntervals * interval;
    uint64_t piece = rest_ < longest ? rest_ : longest;
    countdown_ += static_cast<int64_t>(piece);
    rest_ -= piece;
  }
  if (countdown_ > 0) return {};
  StartGap(interval);
  double probability = SampleProbability(size, interval);
  return {RoundAtRandom(static_cast<double>(size) / probability), RoundAtRandom(1 / probability)};
}

}  // namespace memprof
