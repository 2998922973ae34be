// PoissonSampler: decides which allocations are recorded. One per thread, plain old data that works when zero-filled, so
// that it can live in initial-exec thread-local storage. Not thread-safe: it belongs to its thread.
//
//   thread_local PoissonSampler sampler;                        // zero-filled: the first block seeds it
//   if (sampler.Crosses(size)) {                                // fast path: one subtraction, one comparison
//     SampleWeight weight = sampler.Draw(size, interval);       // slow path
//     if (weight.taken()) recorder->Allocated({... weight.bytes, weight.blocks ...});
//   }
//
// It counts down the bytes to the next point of a Poisson process (gaps are exponential, mean `interval`). The process is
// memoryless, so a new gap may start after each sampled block. The gap is rounded up to whole bytes: P(ceil(g) <= size) = P(g <=
// size) for whole sizes, so rounding changes nothing.
//
// Blocks of at least kExactIntervals intervals must always be seen, yet the fast path must not compare twice. So the
// countdown never exceeds that threshold: a longer gap is walked in pieces, and a block that large always crosses. Such a
// block leaves the countdown as it was: it takes no part in the sampled stream.
//
// Interval 1 (or 0) is the exact mode: the countdown stays at 0 and every block crosses, empty ones too.
//
// Bytes and blocks are rounded to whole numbers at random in proportion (1.3 blocks: 2 in three of ten cases), so that
// the rounded figures stay unbiased: rounding 1.29 blocks down would lose 22 % of the blocks of that size.
#pragma once

#include <cstdint>

namespace memprof {

// What a block represents; blocks == 0 means it is not recorded.
struct SampleWeight {
  uint64_t bytes = 0;
  uint64_t blocks = 0;
  bool taken() const { return blocks != 0; }
};

class PoissonSampler {
 public:
  // HOOK. Counts a block of `size` bytes (below 2^62). True: call Draw() with the same size before the next call.
  bool Crosses(uint64_t size) {
    countdown_ -= static_cast<int64_t>(size);
    return countdown_ <= 0;
  }

  // HOOK. Takes back the block that was counted last: it was not allocated.
  void TakeBack(uint64_t size) { countdown_ += static_cast<int64_t>(size); }

  // HOOK, slow path. `interval` in bytes; the same for every call of a process.
  SampleWeight Draw(uint64_t size, uint64_t interval);

  // Restarts with a given seed: for tests, and for a forked child, whose samples would otherwise repeat its parent's.
  void Seed(uint64_t seed);

 private:
  uint64_t NextRandom();
  void StartGap(uint64_t interval);
  uint64_t RoundAtRandom(double value);

  int64_t countdown_;  // bytes until Crosses() says true
  uint64_t rest_;      // of the gap beyond the countdown; 0: a sample is due at its end
  uint64_t random_;    // splitmix64's counter; 0: not seeded yet
};

}  // namespace memprof
