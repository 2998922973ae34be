// Live at peak, in O(1) for each sample.
//
// A session wants to know, per site, how many bytes of it were live when the session's live total was at its maximum.
// Copying all sites at every new maximum would cost O(sites) for each sample of a growing program. Instead the session
// numbers its maxima (the epoch), and each site saves its own live bytes late: on its first change after a new maximum.
// Until then its live bytes *are* those of the peak:
//
//     at peak = share.epoch == total.epoch ? share.live_at_peak : share.live
//
// Order of a change: Touch(share); change share and total by the same amount; Settle(total) once, after the last change of one step. A
// realloc is one step, so that it doesn't make a false peak.
//
// A share may count anything. The algorithm needs a Share with an `epoch`, which begins as 0 or as the total's, and
//
//     share.SaveLive()       saves what is live now as live at the peak
//     share.AtPeak(saved)    what was saved, or else what is live now
//
// PeakShare is a session's, in the black box; the agent has one for off-heap memory. Shares of one total have one type.
//
// Residency works the same way, with one difference: a block's resident bytes are often read long after the peak (just before it is
// freed, because at malloc it had no pages yet). Such a late reading belongs to the peak if the block was live at the peak. So a block
// remembers the first maximum that it can have been part of: FirstPeak(). It is live now, so it was live at the last maximum exactly
// if that maximum is not older than its first one. `read_kib` is the weight of the live blocks that have been read. If none of a site's
// blocks at the peak was ever read, the site has no resident figure (which is not the same as 0). If some of them were, the figure is a
// lower bound: live - read_kib KiB were never looked up.
//
// A peak has *passed* when the total has fallen a tenth below it (HasPassed). The blocks are read then. What is seen in memory
// only later may have had no pages at the peak: it counts for the figure, because it may be what filled the container, and is kept
// apart as `later_kib_at_peak`.
//
// Plain old data, no locks: the caller holds one. Callable from hooks. Bytes are unbiased weights; resident bytes are real bytes.
#pragma once

#include <cstdint>

namespace memprof {

// The session's part.
template <typename Bytes>
struct TotalOf {
  Bytes live = 0;
  Bytes peak = 0;
  uint64_t epoch = 0;  // of the last maximum
};
using PeakTotal = TotalOf<uint64_t>;

// A share as of the last maximum; what a reader shows.
struct ShareAtPeak {
  uint64_t live, resident;
  uint64_t read;   // of `live`: blocks that have been read, in whole KiB of each; 0: `resident` is not known
  uint64_t later;  // of `resident`: first seen when the peak had passed, in whole KiB of each reading
  double variance;
};

// The site's part.
struct PeakShare {
  uint64_t live = 0;
  uint64_t live_at_peak = 0;  // as of `epoch`
  uint64_t resident = 0;      // the largest readings of the live blocks, summed
  uint64_t resident_at_peak = 0;
  double variance = 0;  // of live, bytes²
  double variance_at_peak = 0;
  uint64_t epoch = 0;     // the maximum that the ..._at_peak fields belong to
  uint32_t read_kib = 0;  // of the live blocks that have been read, each rounded down
  uint32_t read_kib_at_peak = 0;
  uint32_t later_kib_at_peak = 0;  // of resident_at_peak
  uint32_t reserved = 0;

  void SaveLive() {
    live_at_peak = live;
    resident_at_peak = resident;
    variance_at_peak = variance;
    read_kib_at_peak = read_kib;
    later_kib_at_peak = 0;
  }
  ShareAtPeak AtPeak(bool saved) const {
    return saved ? ShareAtPeak{live_at_peak, resident_at_peak, uint64_t{read_kib_at_peak} << 10, uint64_t{later_kib_at_peak} << 10,
                               variance_at_peak}
                 : ShareAtPeak{live, resident, uint64_t{read_kib} << 10, 0, variance};
  }
};

// A new share: nothing of it was live at the last maximum.
inline PeakShare NewShare(const PeakTotal& total) {
  PeakShare share;
  share.epoch = total.epoch;
  return share;
}

// To be called before a share changes.
template <typename Bytes, typename Share>
void Touch(const TotalOf<Bytes>& total, Share& share) {
  if (share.epoch == total.epoch) return;
  share.SaveLive();
  share.epoch = total.epoch;
}

template <typename Bytes, typename Share>
auto AtPeak(const TotalOf<Bytes>& total, const Share& share) {
  return share.AtPeak(share.epoch == total.epoch);
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

// Ends a step: notes a new maximum and says whether there was one.
template <typename Bytes>
bool Settle(TotalOf<Bytes>& total) {
  if (total.live <= total.peak) return false;
  total.peak = total.live;
  ++total.epoch;
  return true;
}

// For a block that was allocated in the step just settled: the first maximum that it can have been part of.
template <typename Bytes>
uint64_t FirstPeak(const TotalOf<Bytes>& total, bool settled_higher) {
  return settled_higher ? total.epoch : total.epoch + 1;
}

template <typename Bytes>
bool WasLiveAtPeak(const TotalOf<Bytes>& total, uint64_t first_peak) {
  return first_peak <= total.epoch;
}

template <typename Bytes>
bool HasPassed(const TotalOf<Bytes>& total) {
  return total.live < total.peak - total.peak / 10;
}

inline uint32_t InKib(uint64_t bytes) { return static_cast<uint32_t>(bytes >> 10); }

// A block's reading rose from `before` to `after`; `passed`: the peak had passed then. The share has been touched.
inline void NoteReading(const PeakTotal& total, PeakShare& share, uint64_t first_peak, uint64_t before, uint64_t after, bool passed) {
  if (after <= before) return;
  share.resident += after - before;
  if (!WasLiveAtPeak(total, first_peak)) return;
  share.resident_at_peak += after - before;
  if (passed) share.later_kib_at_peak += InKib(after - before);
}

// The first reading of a block of this weight, which Grow counted. The share has been touched.
inline void NoteFirstReading(const PeakTotal& total, PeakShare& share, uint64_t first_peak, uint64_t weight, uint64_t reading,
                             bool passed) {
  share.read_kib += InKib(weight);
  if (WasLiveAtPeak(total, first_peak)) share.read_kib_at_peak += InKib(weight);
  NoteReading(total, share, first_peak, 0, reading, passed);
}

// With Shrink, for a block that has been read.
inline void ForgetReading(PeakShare& share, uint64_t weight, uint64_t reading) {
  share.resident -= reading;
  share.read_kib -= InKib(weight);
}

}  // namespace memprof
