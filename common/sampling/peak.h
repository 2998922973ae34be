// Live at peak, in O(1) for each sample.
//
// A session wants to know, per site, how many bytes of it were live when the session's live total was at its maximum.
// Copying all sites at every new maximum would cost O(sites) for each sample of a growing program. Instead the session
// numbers its maxima (the epoch), and each site saves its own live bytes late: on its first change after a new maximum.
// Until then its live bytes *are* those of the peak:
//
//     at peak = share.epoch == total.epoch ? share.live_at_peak : share.live
//
// Order of a change: Touch(share) - change share and total alike - Settle(total), once, after the last of the changes that
// belong to one step (a realloc is one step, so it makes no peak that never was).
//
// Residency works in the same way, with one addition. A block's resident bytes are often read long after the peak: just before it
// is freed, because at malloc it had no pages yet. Such a late reading belongs to the peak if the block was live at the peak. So
// a block remembers the first maximum that it can have been part of: FirstPeak(). A block that is live now was live at the last
// maximum exactly if that maximum is not older than FirstPeak(). `readings` counts the live blocks that have been read: if no
// block of a site at the peak was ever read, the site has no resident figure (which is not the same as 0).
//
// Plain old data, no locks: the caller has one. Callable from hooks. Bytes are unbiased weights; resident ones are real.
#pragma once

#include <cstdint>

namespace memprof {

// A session's side.
struct PeakTotal {
  uint64_t live = 0;
  uint64_t peak = 0;
  uint64_t epoch = 0;  // of the last maximum
};

// A site's side.
struct PeakShare {
  uint64_t live = 0;
  uint64_t live_at_peak = 0;  // as of `epoch`
  uint64_t resident = 0;      // the largest readings of the live blocks, summed
  uint64_t resident_at_peak = 0;
  double variance = 0;  // of live, bytes²
  double variance_at_peak = 0;
  uint64_t epoch = 0;  // the maximum that the ..._at_peak fields belong to
  uint32_t readings = 0;
  uint32_t readings_at_peak = 0;
};

// A new share: nothing of it was live at the last maximum.
inline PeakShare NewShare(const PeakTotal& total) {
  PeakShare share;
  share.epoch = total.epoch;
  return share;
}

// To be called before a share changes.
inline void Touch(const PeakTotal& total, PeakShare& share) {
  if (share.epoch == total.epoch) return;
  share.live_at_peak = share.live;
  share.resident_at_peak = share.resident;
  share.variance_at_peak = share.variance;
  share.readings_at_peak = share.readings;
  share.epoch = total.epoch;
}

inline void Grow(PeakTotal& total, PeakShare& share, uint64_t bytes, double variance) {
  share.live += bytes;
  share.variance += variance;
  total.live += bytes;
}

inline void Shrink(PeakTotal& total, PeakShare& share, uint64_t bytes, double variance) {
  share.live -= bytes;
  share.variance = share.variance > variance && share.live > 0 ? share.variance - variance : 0;
  total.live -= bytes;
}

// Ends a step: records a new maximum and returns whether there was one.
inline bool Settle(PeakTotal& total) {
  if (total.live <= total.peak) return false;
  total.peak = total.live;
  ++total.epoch;
  return true;
}

// For a block that was allocated in the step just settled: the first maximum that it can have been part of.
inline uint64_t FirstPeak(const PeakTotal& total, bool settled_higher) { return settled_higher ? total.epoch : total.epoch + 1; }

inline bool WasLiveAtPeak(const PeakTotal& total, uint64_t first_peak) { return first_peak <= total.epoch; }

// A block's reading rose from `before` (0 for the first) to `after`. The share has been touched.
inline void NoteReading(const PeakTotal& total, PeakShare& share, uint64_t first_peak, bool first_reading, uint64_t before,
                        uint64_t after) {
  bool at_peak = WasLiveAtPeak(total, first_peak);
  if (first_reading) {
    ++share.readings;
    if (at_peak) ++share.readings_at_peak;
  }
  if (after <= before) return;
  share.resident += after - before;
  if (at_peak) share.resident_at_peak += after - before;
}

// A share at the last maximum, as readers show it.
struct ShareAtPeak {
  uint64_t live, resident;
  double variance;
  bool has_resident;
};
inline ShareAtPeak AtPeak(const PeakTotal& total, const PeakShare& share) {
  if (share.epoch == total.epoch) {
    return {share.live_at_peak, share.resident_at_peak, share.variance_at_peak, share.readings_at_peak > 0};
  }
  return {share.live, share.resident, share.variance, share.readings > 0};
}

}  // namespace memprof
