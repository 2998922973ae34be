#include "gc/marking_watch.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace memprof {
namespace {

constexpr std::string_view kG1Young = "G1 Young Generation", kG1Concurrent = "G1 Concurrent GC";
constexpr int64_t kMs = 1'000'000;
constexpr double kNearFull = 0.9;      // of the heap: the JVM may have had no room to make a notification
constexpr int64_t kSlackNs = 4 * kMs;  // a notification's times are whole milliseconds, and the clock's offset is approximate

bool Overlap(const Pause& pause, int64_t start_ns, int64_t end_ns) {
  return pause.start_ns <= end_ns + kSlackNs && pause.end_ns >= start_ns - kSlackNs;
}

}  // namespace

void MarkingWatch::Begin(std::vector<std::string> collectors) {
  const std::lock_guard lock(mutex_);
  collectors_ = std::move(collectors);
  const auto has = [&](std::string_view name) { return std::find(collectors_.begin(), collectors_.end(), name) != collectors_.end(); };
  hides_marking_ = has(kG1Young) && !has(kG1Concurrent);
  clock_.Clear();
  young_start_ns_ = major_start_ns_ = 0;
  concurrent_ns_[0] = concurrent_ns_[1] = 0;
  looked_at_ = pauses_->count();
}

std::optional<Marking> MarkingWatch::Ended(const Collection& collection) {
  const std::lock_guard lock(mutex_);
  if (StopsTheWorld(collection.collector)) clock_.Add(collection.start_ms, collection.end_ms, pauses_->Since(0));
  const std::optional<int64_t> offset_ns = clock_.OffsetNs();
  if (!offset_ns) return std::nullopt;
  const int64_t start_ns = collection.start_ms * kMs + *offset_ns, end_ns = collection.end_ms * kMs + *offset_ns;
  std::optional<Marking> marking = hides_marking_ ? Remarked(collection, start_ns, end_ns) : std::nullopt;
  const int64_t young_before = young_start_ns_;
  if (collection.collector == kG1Young) young_start_ns_ = start_ns;
  int64_t older_than = 0, large_older_than = 0;
  switch (MarksOf(collection.collector)) {
    case Marks::kNothing:
      return marking;
    case Marks::kWhileAtStop:  // no object is made during the pause; its middle is safe from rounding errors of both clocks
      older_than = large_older_than = start_ns + (end_ns - start_ns) / 2;
      concurrent_ns_[0] = concurrent_ns_[1] = older_than;
      break;
    case Marks::kFromStart:
      older_than = large_older_than = start_ns;
      break;
    case Marks::kOldFromStart: {
      // An object that was there at the major collection before is mostly old by now: young ones age with each collection, and become old
      // after at most fifteen. A dead one that isn't is counted as retained until the next.
      const int64_t before = std::exchange(major_start_ns_, start_ns);
      older_than = large_older_than = MakesAllOld(collection) ? start_ns : before;
      if (older_than == 0) return std::nullopt;
      break;
    }
    case Marks::kFromPause:
      large_older_than = LargeKnown(start_ns);
      if (young_before == 0) return std::nullopt;
      older_than = young_before;
      break;
  }
  return Marking{PhraseOf(collection), older_than, large_older_than, end_ns, collection.after_bytes, collection.max_bytes};
}

// A young collection checks all small objects that are younger than the last collection, so those that survive it were reachable. Large
// objects lie elsewhere. Those that are made while the heap is being marked count as reachable. When the marking began is not reported,
// and remark and cleanup can't be told apart. But it certainly began after the last pause but one of this kind.
int64_t MarkingWatch::LargeKnown(int64_t pause_ns) {
  const int64_t before = std::exchange(concurrent_ns_[1], concurrent_ns_[0]);
  concurrent_ns_[0] = pause_ns;
  return before;
}

// Finds the pause of this notification. Earlier pauses that no notification explains are remark and cleanup. If its own pause isn't
// found, the clocks disagree, and nothing is concluded.
std::optional<Marking> MarkingWatch::Remarked(const Collection& collection, int64_t start_ns, int64_t end_ns) {
  const auto distance = [&](const Pause& pause) { return std::abs(pause.start_ns - start_ns); };
  std::optional<Pause> own, remark;
  const std::vector<Pause> pauses = pauses_->Since(looked_at_);
  for (const Pause& pause : pauses) {
    if (Overlap(pause, start_ns, end_ns) && (!own || distance(pause) < distance(*own))) own = pause;
  }
  if (!own) return std::nullopt;
  int64_t large_older_than = 0;
  for (const Pause& pause : pauses) {
    if (pause.number >= own->number) continue;
    remark = pause;
    large_older_than = LargeKnown(pause.start_ns);
  }
  looked_at_ = own->number;
  // In a nearly full heap, an unexplained pause may be one whose notification was lost, and no marking at all.
  const bool near_full =
      collection.max_bytes != 0 && static_cast<double>(collection.after_bytes) >= kNearFull * static_cast<double>(collection.max_bytes);
  if (near_full) return std::nullopt;
  if (!remark || young_start_ns_ == 0) return std::nullopt;
  // What the heap held right after the marking is not reported. After this collection it holds as much or less.
  return Marking{"G1 concurrent marking", young_start_ns_, large_older_than, remark->end_ns, collection.after_bytes, collection.max_bytes};
}

Marking MarkingWatch::BeforeError() const {
  constexpr size_t kPausesOfTwoMarkings = 8;
  const std::lock_guard lock(mutex_);
  const size_t left_out = std::any_of(collectors_.begin(), collectors_.end(), MarksBeside) ? kPausesOfTwoMarkings : 0;
  const std::vector<Pause> pauses = pauses_->Since(0);
  Marking marking;
  marking.collection = "the collection before an OutOfMemoryError";
  if (pauses.size() <= left_out) return marking;  // older_than_ns 0: no object is known to be reachable
  const Pause& pause = pauses[pauses.size() - 1 - left_out];
  marking.older_than_ns = marking.large_older_than_ns = pause.start_ns;
  marking.end_ns = pauses.back().end_ns;
  return marking;
}

std::string MarkingWatch::WhyNever() const {
  const std::lock_guard lock(mutex_);
  const auto marks = [](const std::string& name) { return MarksOf(name) != Marks::kNothing; };
  if (collectors_.empty() || std::any_of(collectors_.begin(), collectors_.end(), marks)) return {};
  std::string names;
  for (const std::string& name : collectors_) names += (names.empty() ? "" : ", ") + name;
  return "nothing is known of what these collectors mark: " + names;
}

}  // namespace memprof
