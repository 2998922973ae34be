// GcFigures: what each of the JVM's collectors has done since Begin(), by the names of its MXBeans, and what they have left in use.
// Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "base/clock.h"
#include "gc/collection.h"
#include "proto/memprof.pb.h"

namespace memprof {

class GcFigures {
 public:
  static constexpr size_t kMaxCollectors = 16, kMaxCauses = 12;  // further ones are "other"

  void Begin();
  void Ended(const Collection& collection, const Instant& now);
  // What the heap had in use after the last collection; nothing before the first.
  std::optional<uint64_t> UsedAfter() const;
  void Describe(proto::ExecutorSnapshot* snapshot) const;

 private:
  struct Figures {
    uint64_t collections = 0, longest_ms = 0, total_ms = 0, longest_before_bytes = 0, longest_after_bytes = 0;
    Collection last;
    std::map<std::string, uint64_t> causes;
  };

  struct Use {
    uint64_t bytes = 0;
    std::string collection;
    Instant at;
    bool whole_heap = false;
  };

  mutable std::mutex mutex_;
  std::map<std::string, Figures> collectors_;
  // The largest after a collection of the whole heap, and after others since the last of these: it shows which of that was garbage.
  std::optional<Use> last_, whole_peak_, young_peak_;
};

}  // namespace memprof
