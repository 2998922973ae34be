// OffHeapSites: a running task's off-heap memory by call site, with what was live at the task's peak.
//
// Live at peak, O(1) a change: `peaks_` counts how often the task's live total reached a new maximum. A site whose
// figures have not changed since the last maximum was, then, what it is now; before the first change after a maximum it
// saves itself (`saved_`, with the number of that maximum). No other site is touched.
//
// Not thread-safe: guarded by the task's slot. Allocates.
#pragma once

#include <cstdint>

#include "tasks/task_sites.h"

namespace memprof {

struct OffHeapFigures {
  Amount allocated;
  Amount live;
  Amount saved;  // `live` at the maximum number `saved_peak`
  uint64_t saved_peak = 0;
};

class OffHeapSites {
 public:
  // Where an allocation went, to be kept with the block.
  struct Place {
    uint32_t site = TaskSites<OffHeapFigures>::kNoSite;
    uint64_t peak_before = 0;  // number of maxima before this block came
  };

  explicit OffHeapSites(SiteBudget* budget) : table_(budget) {}

  bool Knows(uint64_t stack_hash) const { return table_.Knows(stack_hash); }
  Place Allocated(uint64_t stack_hash, StackId stack, const Amount& amount);
  void Freed(const Place& place, const Amount& amount);
  // The block turned out to be `bytes` smaller than said at its allocation; it is still live.
  void Shrunk(const Place& place, double bytes);

  Amount LiveAtPeak(const OffHeapFigures& figures) const { return figures.saved_peak == peaks_ ? figures.saved : figures.live; }
  const TaskSites<OffHeapFigures>& table() const { return table_; }
  double live_bytes() const { return live_bytes_; }
  double peak_bytes() const { return peak_bytes_; }

 private:
  OffHeapFigures& Changing(uint32_t site);

  TaskSites<OffHeapFigures> table_;
  double live_bytes_ = 0, peak_bytes_ = 0;
  uint64_t peaks_ = 1;
};

}  // namespace memprof
