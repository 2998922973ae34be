// LargeObjects: how many of the large objects of a call site are followed by a weak reference.
//
// G1 frees a dead large array of numbers at its next pause, without marking the heap, but not one that a weak reference points at:
// such a pause takes it for reachable, and only a marking shows that it isn't. If all of them were followed, an application that
// makes large garbage would fill its heap with it, and G1 would mark the heap many times as often (docs/decisions/1102).
//
// So after each marking each maker of large objects (the innermost methods of the stack) is judged by what was found of those that no
// marking had found reachable before. If most were gone, it makes garbage, and its next objects are thinned: one of size s is followed with
// p = 1-exp(-s/interval), as if sampled at that interval. The interval doubles, also for those that are followed already, when together
// they reach a small part of the heap (budget()), up to a bound; after a marking it is the first one again. Sums stay unbiased, and the
// printed error of what was followed includes it. G1 needs this, and generational ZGC, of whose minor collections the same is true; under
// other collectors all are followed.
//
// Bounds: kMaxMakers makers (256 KiB). Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "stacks/capture.h"

namespace memprof {

class LargeObjects {
 public:
  static constexpr size_t kMaxMakers = 4096;  // further ones are not judged: all of their objects are followed
  // The first interval, the last one and the budget are these parts of the heap's maximum (decision 1102).
  static constexpr uint64_t kFirstInterval = 64, kLastInterval = 4, kBudget = 32;
  // A maker makes garbage when more than this many were gone for each one that was still there.
  static constexpr double kGonePerLiving = 3;

  // Objects by maker. Each counts for as many as it stands for: 1/p where it is thinned.
  using Makers = std::unordered_map<uint64_t, double>;

  static uint64_t MakerOf(const CapturedStack& stack);

  void Begin();
  void SetThinning(bool on) { on_ = on; }

  bool IsThinned(uint64_t maker) const;
  // Of the next thinned objects: how often the interval has doubled by now, plus one. 0 stands for an object that isn't thinned.
  uint8_t thinning() const { return thinning_; }
  // Bytes; 0 for 0. It is fixed from the first marking until the next Begin().
  uint64_t IntervalOf(uint8_t thinning) const { return thinning == 0 ? 0 : first_interval_ << (thinning - 1); }
  // Bytes of thinned objects that no marking has found reachable. Where there are more, call Double().
  uint64_t budget() const { return thinning_ == kMostThinning ? UINT64_MAX : first_interval_ * kFirstInterval / kBudget; }
  void Double() { ++thinning_; }

  // What has become of an object that no marking had found reachable before: it is gone, or a marking has now found it reachable.
  void Gone(uint64_t maker, double weight);
  void Reached(uint64_t maker, double weight);
  // A marking has ended. `unsure`: further objects from before Marking::older_than_ns that are not gone. They are reachable, or were
  // made while the heap was marked. `heap_max_bytes` 0: not known.
  void Judge(const Makers& unsure, uint64_t heap_max_bytes);

 private:
  static constexpr uint8_t kMostThinning = 5;
  static_assert(kFirstInterval >> (kMostThinning - 1) == kLastInterval);

  bool on_ = false;
  uint64_t first_interval_ = 0;  // 0: the heap's maximum is not known yet, nothing is thinned
  uint8_t thinning_ = 1;
  struct Maker {
    double gone = 0, reached = 0;  // since the last judgement
    bool makes_garbage = false;
  };
  Maker* Find(uint64_t maker);
  std::unordered_map<uint64_t, Maker> makers_;  // that make garbage, or of whose objects something has become since the last judgement
};

}  // namespace memprof
