#include "profile/session_peaks.h"

#include <algorithm>
#include <map>
#include <utility>

namespace memprof {
namespace {

bool IsLess(const HeldBytes& a, const HeldBytes& b) { return a.bytes != b.bytes ? a.bytes < b.bytes : a.variance < b.variance; }

bool Covers(const SessionSpan& span, int64_t moment_ms) { return span.begin_ms <= moment_ms && moment_ms <= span.end_ms; }

struct Choice {
  HeldBytes held;
  std::vector<size_t> sessions;
};

Choice HeldAt(int64_t moment_ms, const std::vector<SessionShare>& sessions) {
  std::map<std::pair<int32_t, uint64_t>, size_t> processes;
  for (size_t i = 0; i < sessions.size(); ++i) {
    const SessionSpan& span = sessions[i].span;
    if (!Covers(span, moment_ms)) continue;
    const auto [largest, first] = processes.try_emplace({span.pid, span.process_start_ticks}, i);
    if (!first && IsLess(sessions[largest->second].held, sessions[i].held)) largest->second = i;
  }
  Choice choice;
  for (const auto& [process, session] : processes) {
    choice.held.bytes += sessions[session].held.bytes;
    choice.held.variance += sessions[session].held.variance;
    choice.sessions.push_back(session);
  }
  std::sort(choice.sessions.begin(), choice.sessions.end());
  return choice;
}

}  // namespace

std::vector<size_t> LargestTogether(const std::vector<SessionShare>& sessions) {
  Choice largest;
  // Any set of spans with a moment in common has the latest of their beginnings in common.
  for (const SessionShare& session : sessions) {
    Choice choice = HeldAt(session.span.begin_ms, sessions);
    if (largest.sessions.empty() || IsLess(largest.held, choice.held)) largest = std::move(choice);
  }
  return std::move(largest.sessions);
}

}  // namespace memprof
