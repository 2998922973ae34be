#include "profile/session_peaks.h"

#include <map>
#include <utility>

namespace memprof {
namespace {

bool IsLess(const HeldBytes& a, const HeldBytes& b) { return a.bytes != b.bytes ? a.bytes < b.bytes : a.variance < b.variance; }

bool Covers(const SessionSpan& span, int64_t moment_ms) { return span.begin_ms <= moment_ms && moment_ms <= span.end_ms; }

HeldBytes HeldAt(int64_t moment_ms, const std::vector<SessionShare>& sessions) {
  std::map<std::pair<int32_t, uint64_t>, HeldBytes> processes;
  for (const SessionShare& session : sessions) {
    if (!Covers(session.span, moment_ms)) continue;
    HeldBytes& largest = processes[{session.span.pid, session.span.process_start_ticks}];
    if (IsLess(largest, session.held)) largest = session.held;
  }
  HeldBytes sum;
  for (const auto& [process, held] : processes) {
    sum.bytes += held.bytes;
    sum.variance += held.variance;
  }
  return sum;
}

}  // namespace

HeldBytes LargestTogether(const std::vector<SessionShare>& sessions) {
  HeldBytes largest;
  // Any set of spans with a moment in common has the latest of their beginnings in common.
  for (const SessionShare& session : sessions) {
    const HeldBytes held = HeldAt(session.span.begin_ms, sessions);
    if (IsLess(largest, held)) largest = held;
  }
  return largest;
}

}  // namespace memprof
