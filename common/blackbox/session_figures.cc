#include "blackbox/session_figures.h"

#include <algorithm>
#include <vector>

namespace memprof {
namespace {

void AddBound(const char* name, uint64_t value, std::vector<BoxCounter>* counters) {
  if (value != 0) counters->push_back({name, value});
}

}  // namespace

BoxSession SessionOf(const box::Session& session) {
  BoxSession out;
  out.task_attempt_id = session.task_attempt_id;
  out.stage_id = session.stage_id;
  out.stage_attempt = session.stage_attempt;
  out.partition = session.partition;
  out.attempt_number = session.attempt_number;
  out.number = session.number;
  out.closed = session.state == box::kClosed;
  out.opened_ms = session.opened_ms;
  out.closed_ms = session.closed_ms;
  out.looked_ms = session.looked_ms;
  out.live_bytes = session.total.live;
  out.live_peak_bytes = session.total.peak;
  out.allocated_bytes = session.allocated_bytes;
  out.rss_at_open_bytes = session.rss_at_open_bytes;
  out.rss_max_bytes = session.rss_max_bytes;
  AddBound("droppedSites", session.dropped_sites, &out.counters);
  AddBound("droppedFrames", session.dropped_frames, &out.counters);
  AddBound("droppedLiveBlocks", session.dropped_live, &out.counters);
  AddBound("droppedSessions", session.dropped_sessions, &out.counters);
  AddBound("evictedSites", session.evicted_sites, &out.counters);
  AddBound("intervalDoublings", session.interval_doublings, &out.counters);
  return out;
}

BoxSite SiteOf(const box::Site& site, const PeakTotal& total) {
  ShareAtPeak peak = AtPeak(total, site.share);
  BoxSite out;
  out.origin = site.origin <= static_cast<uint8_t>(Origin::kJvmNative) ? static_cast<Origin>(site.origin) : Origin::kUnknown;
  out.allocated_bytes = site.allocated_bytes;
  out.allocations = site.allocations;
  out.live_bytes = site.share.live;
  out.live_at_peak_bytes = peak.live;
  out.read_at_peak_bytes = peak.read;
  out.resident_at_peak_bytes = peak.read != 0 ? peak.resident : 0;
  out.resident_later_bytes = std::min(peak.later, out.resident_at_peak_bytes);
  out.sampled = site.sampled != 0;
  out.variance = site.variance;
  out.peak_variance = peak.variance;
  return out;
}

BoxIncident IncidentOf(const box::Incident& incident) {
  return {incident.signal,         incident.code,        incident.asked_bytes, incident.virtual_bytes,
          incident.resident_bytes, incident.limit_bytes, incident.time_ms,     0};
}

bool Plausible(const box::Incident& incident, uint32_t kind) {
  constexpr uint64_t kMostBytes = uint64_t{1} << 56;
  constexpr int32_t kMostSignals = 64;
  if (kind == box::kFatalSignal) return incident.signal > 0 && incident.signal <= kMostSignals;
  return incident.signal == 0 && incident.virtual_bytes <= kMostBytes && incident.resident_bytes <= kMostBytes;
}

bool Plausible(const BoxSite& site) {
  constexpr uint64_t kMostBytes = uint64_t{1} << 56;
  constexpr double kMostVariance = 0x1p112;
  for (uint64_t figure : {site.allocated_bytes, site.allocations, site.live_bytes, site.live_at_peak_bytes, site.resident_at_peak_bytes,
                          site.read_at_peak_bytes}) {
    if (figure > kMostBytes) return false;
  }
  auto sound = [](double variance) { return variance >= 0 && variance <= kMostVariance; };  // false for NaN
  return sound(site.variance) && sound(site.peak_variance);
}

}  // namespace memprof
