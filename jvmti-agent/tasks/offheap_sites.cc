#include "tasks/offheap_sites.h"

namespace memprof {

OffHeapSites::Place OffHeapSites::Allocated(uint64_t stack_hash, JvmStackId stack, const Amount& amount) {
  Place place{table_.FindOrAdd(stack_hash, stack)};
  OffHeapFigures& figures = table_.At(place.site);
  Touch(total_, figures);
  figures.allocated += amount;
  figures.live += amount;
  total_.live += amount.bytes;
  place.first_peak = FirstPeak(total_, Settle(total_));
  return place;
}

void OffHeapSites::Freed(const Place& place, const Amount& amount) {
  OffHeapFigures& figures = table_.At(place.site);
  Touch(total_, figures);
  figures.live -= amount;
  total_.live -= amount.bytes;
}

void OffHeapSites::Shrunk(const Place& place, double bytes) {
  OffHeapFigures& figures = table_.At(place.site);
  figures.allocated.bytes -= bytes;
  figures.live.bytes -= bytes;
  total_.live -= bytes;
  if (!WasLiveAtPeak(total_, place.first_peak)) return;
  total_.peak -= bytes;
  if (figures.epoch == total_.epoch) figures.live_at_peak.bytes -= bytes;
}

}  // namespace memprof
