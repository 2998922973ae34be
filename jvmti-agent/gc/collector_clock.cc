#include "gc/collector_clock.h"

#include <algorithm>
#include <cstdlib>

namespace memprof {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kSameNs = 2 * kMs;  // both ends are cut off to whole milliseconds
constexpr size_t kMostVotes = 512;
constexpr uint32_t kEnoughVotes = 1u << 20;  // then all votes are halved

}  // namespace

void CollectorClock::Add(int64_t start_ms, int64_t end_ms, const std::vector<Pause>& pauses) {
  for (const Pause& pause : pauses) {
    const int64_t longer_ns = (pause.end_ns - pause.start_ns) - (end_ms - start_ms) * kMs;
    if (std::abs(longer_ns) > kSameNs) continue;
    const int64_t offset = pause.start_ns - start_ms * kMs;
    const auto known =
        std::find_if(votes_.begin(), votes_.end(), [&](const Vote& vote) { return std::abs(vote.offset_ns - offset) <= kSameNs; });
    if (known == votes_.end()) {
      if (votes_.size() < kMostVotes) votes_.push_back({offset, 1});
    } else if (++known->votes >= kEnoughVotes) {
      for (Vote& vote : votes_) vote.votes /= 2;
    }
  }
  std::stable_sort(votes_.begin(), votes_.end(), [](const Vote& a, const Vote& b) { return a.votes > b.votes; });
  if (votes_.size() >= kMostVotes) votes_.resize(kMostVotes / 2);  // the rarest
}

std::optional<int64_t> CollectorClock::OffsetNs() const {
  if (votes_.empty() || (votes_.size() > 1 && votes_[0].votes == votes_[1].votes)) return std::nullopt;
  return votes_[0].offset_ns;
}

}  // namespace memprof
