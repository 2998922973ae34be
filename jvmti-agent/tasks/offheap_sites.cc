#include "tasks/offheap_sites.h"

namespace memprof {

// To be called before a site's live figure changes.
OffHeapFigures& OffHeapSites::Changing(uint32_t site) {
  OffHeapFigures& figures = table_.At(site);
  if (figures.saved_peak != peaks_) {
    figures.saved = figures.live;
    figures.saved_peak = peaks_;
  }
  return figures;
}

OffHeapSites::Place OffHeapSites::Allocated(uint64_t stack_hash, StackId stack, const Amount& amount) {
  const Place place{table_.FindOrAdd(stack_hash, stack), peaks_};
  OffHeapFigures& figures = Changing(place.site);
  figures.allocated += amount;
  figures.live += amount;
  live_bytes_ += amount.bytes;
  if (live_bytes_ > peak_bytes_) {
    peak_bytes_ = live_bytes_;
    ++peaks_;
  }
  return place;
}

void OffHeapSites::Freed(const Place& place, const Amount& amount) {
  Changing(place.site).live -= amount;
  live_bytes_ -= amount.bytes;
}

void OffHeapSites::Shrunk(const Place& place, double bytes) {
  OffHeapFigures& figures = table_.At(place.site);
  figures.allocated.bytes -= bytes;
  figures.live.bytes -= bytes;
  live_bytes_ -= bytes;
  const bool in_peak = peaks_ > place.peak_before;
  if (in_peak) peak_bytes_ -= bytes;
  if (in_peak && figures.saved_peak == peaks_) figures.saved.bytes -= bytes;
}

}  // namespace memprof
