// OffHeapSites: a running task's off-heap memory by call site, with what was live at the task's peak (sampling/peak.h).
//
// Not thread-safe: guarded by the task's slot. Allocates.
#pragma once

#include <cstdint>

#include "sampling/peak.h"
#include "tasks/task_sites.h"

namespace memprof {

// A share of the task's live bytes, with blocks and variance.
struct OffHeapFigures {
  Amount allocated;
  Amount live;
  Amount live_at_peak;  // as of `epoch`
  uint64_t epoch = 0;

  void SaveLive() { live_at_peak = live; }
  const Amount& AtPeak(bool saved) const { return saved ? live_at_peak : live; }
};

class OffHeapSites {
 public:
  // Where an allocation went, to be kept with the block.
  struct Place {
    uint32_t site = TaskSites<OffHeapFigures>::kNoSite;
    uint64_t first_peak = 0;  // that the block can be part of
  };

  explicit OffHeapSites(SiteBudget* budget) : table_(budget) {}

  bool Knows(uint64_t stack_hash) const { return table_.Knows(stack_hash); }
  bool HasRoom() const { return table_.HasRoom(); }
  Place Allocated(uint64_t stack_hash, JvmStackId stack, const Amount& amount);
  void Freed(const Place& place, const Amount& amount);
  // The block turned out to be `bytes` smaller than said at its allocation; it is still live.
  void Shrunk(const Place& place, double bytes);

  Amount LiveAtPeak(const OffHeapFigures& figures) const { return AtPeak(total_, figures); }
  const TaskSites<OffHeapFigures>& table() const { return table_; }
  double live_bytes() const { return total_.live; }
  double peak_bytes() const { return total_.peak; }

 private:
  TaskSites<OffHeapFigures> table_;
  TotalOf<double> total_;
};

}  // namespace memprof
