#include "heap/large_objects.h"

#include <algorithm>

#include "base/hash.h"

namespace memprof {
namespace {

constexpr int kMakerMethods = 8;  // the part of a stack that outlives a query; further out is code that Spark generates for each

}  // namespace

uint64_t LargeObjects::MakerOf(const CapturedStack& stack) {
  uint64_t hash = 0;
  for (int i = 0; i < std::min(stack.depth, kMakerMethods); ++i) {
    hash = HashPair(hash, reinterpret_cast<uintptr_t>(stack.frames[i].method));
  }
  return hash;
}

void LargeObjects::Begin() {
  makers_.clear();
  first_interval_ = 0;
  thinning_ = 1;
}

bool LargeObjects::IsThinned(uint64_t maker) const {
  if (!on_ || first_interval_ == 0) return false;
  const auto found = makers_.find(maker);
  return found != makers_.end() && found->second.makes_garbage;
}

// Null: there is no room for another one.
LargeObjects::Maker* LargeObjects::Find(uint64_t maker) {
  if (!on_ || (makers_.size() >= kMaxMakers && !makers_.contains(maker))) return nullptr;
  return &makers_[maker];
}

void LargeObjects::Gone(uint64_t maker, double weight) {
  if (Maker* found = Find(maker)) found->gone += weight;
}

void LargeObjects::Reached(uint64_t maker, double weight) {
  if (Maker* found = Find(maker)) found->reached += weight;
}

void LargeObjects::Judge(const Makers& unsure, uint64_t heap_max_bytes) {
  if (first_interval_ == 0) first_interval_ = heap_max_bytes / kFirstInterval;
  thinning_ = 1;
  const bool crowded = makers_.size() >= kMaxMakers;
  for (auto it = makers_.begin(); it != makers_.end();) {
    auto& [hash, maker] = *it;
    const auto found = unsure.find(hash);
    const double living = maker.reached + (found == unsure.end() ? 0 : found->second);
    const bool seen = maker.gone + living > 0;
    if (seen) maker.makes_garbage = maker.gone > kGonePerLiving * living;
    maker.gone = maker.reached = 0;
    it = !maker.makes_garbage || (crowded && !seen) ? makers_.erase(it) : std::next(it);
  }
}

}  // namespace memprof
