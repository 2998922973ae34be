#include "gc/gc_figures.h"

#include <algorithm>

#include "base/valid_utf8.h"

namespace memprof {

void GcFigures::Begin() {
  const std::lock_guard lock(mutex_);
  collectors_.clear();
}

void GcFigures::Ended(const Collection& collection) {
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
}

void GcFigures::Describe(proto::ExecutorSnapshot* snapshot) const {
  const std::lock_guard lock(mutex_);
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
