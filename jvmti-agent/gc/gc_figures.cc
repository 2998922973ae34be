#include "gc/gc_figures.h"

#include <algorithm>
#include <utility>

#include "base/valid_utf8.h"

namespace memprof {

void GcFigures::Begin() {
  const std::lock_guard lock(mutex_);
  collectors_.clear();
  last_.reset();
  whole_peak_.reset();
  young_peak_.reset();
}

void GcFigures::Ended(const Collection& collection, const Instant& now) {
  const std::lock_guard lock(mutex_);
  const auto named = [](const auto& map, const std::string& name, size_t most) {
    return map.contains(name) || map.size() < most ? name : std::string("other");
  };
  Figures& figures = collectors_[named(collectors_, collection.collector, kMaxCollectors)];
  const auto ms = static_cast<uint64_t>(std::max<int64_t>(0, collection.end_ms - collection.start_ms));
  if (figures.collections == 0 || ms > figures.longest_ms) {
    figures.longest_before_bytes = collection.before_bytes;
    figures.longest_after_bytes = collection.after_bytes;
  }
  ++figures.collections;
  figures.total_ms += ms;
  figures.longest_ms = std::max(figures.longest_ms, ms);
  figures.last = collection;
  ++figures.causes[named(figures.causes, collection.cause, kMaxCauses)];
  if (!FreesMemory(collection.collector)) return;
  last_ = Use{collection.after_bytes, PhraseOf(collection), now, MarksOf(collection.collector) != Marks::kNothing};
  std::optional<Use>& peak = last_->whole_heap ? whole_peak_ : young_peak_;
  if (!peak || last_->bytes > peak->bytes) peak = last_;
  if (last_->whole_heap) young_peak_.reset();
}

std::optional<uint64_t> GcFigures::UsedAfter() const {
  const std::lock_guard lock(mutex_);
  return last_ ? std::optional(last_->bytes) : std::nullopt;
}

void GcFigures::Describe(proto::ExecutorSnapshot* snapshot) const {
  const std::lock_guard lock(mutex_);
  const auto put = [](const std::optional<Use>& use, auto&& message) {
    if (!use) return;
    message()->set_bytes(use->bytes);
    message()->set_collection(ValidUtf8(use->collection));
    message()->set_time_ms(use->at.time_ms);
    message()->set_clock_ms(use->at.clock_ms);
    message()->set_whole_heap(use->whole_heap);
  };
  put(last_, [&] { return snapshot->mutable_heap_after_gc(); });
  const bool of_young = young_peak_ && (!whole_peak_ || young_peak_->bytes > whole_peak_->bytes);
  put(of_young ? young_peak_ : whole_peak_, [&] { return snapshot->mutable_heap_after_gc_peak(); });
  if (last_) snapshot->mutable_heap_after_gc_peak()->set_known_clock_ms(last_->at.clock_ms);
  for (const auto& [name, figures] : collectors_) {
    proto::Collector* message = snapshot->add_collectors();
    message->set_name(ValidUtf8(name));
    message->set_collections(figures.collections);
    message->set_total_ms(figures.total_ms);
    message->set_longest_ms(figures.longest_ms);
    message->set_stops_the_world(StopsTheWorld(name));
    message->set_longest_before_bytes(figures.longest_before_bytes);
    message->set_longest_after_bytes(figures.longest_after_bytes);
    message->set_last_before_bytes(figures.last.before_bytes);
    message->set_last_after_bytes(figures.last.after_bytes);
    for (const auto& [cause, count] : figures.causes) {
      proto::Counter* counter = message->add_causes();
      counter->set_name(ValidUtf8(cause));
      counter->set_value(count);
    }
  }
}

}  // namespace memprof
