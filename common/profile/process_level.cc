#include "profile/process_level.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace memprof {
namespace {

constexpr int kAttempts = 3;

// The last session that is closed; 0 = none is.
uint64_t LastClosed(const std::vector<BoxReader::SessionKey>& sessions) {
  uint64_t last = 0;
  for (const BoxReader::SessionKey& key : sessions) {
    if (key.task_attempt_id >= 0 && key.closed) last = std::max(last, key.number);
    // When a session opens, all before it are closed, including those whose slots were reused already.
    if (!key.closed && key.number > 1) last = std::max(last, key.number - 1);
  }
  return last;
}

}  // namespace

std::optional<ProcessLevel> ReadProcessLevel(const BoxReader& box) {
  std::optional<ProcessLevel> last;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const std::vector<BoxReader::SessionKey> sessions = box.Sessions();
    const auto process = std::find_if(sessions.begin(), sessions.end(),
                                      [](const BoxReader::SessionKey& key) { return !key.closed && key.task_attempt_id < 0; });
    if (process == sessions.end()) break;
    const uint64_t through = LastClosed(sessions);
    Result<BoxSession> session = box.ReadSession(process->number);
    if (!session.ok()) break;
    last = {*std::move(session), std::nullopt};
    if (LastClosed(box.Sessions()) == through) {
      last->through = through;
      break;
    }
  }
  return last;  // `through` is missing after short tasks without a pause; a later task's reading then gives the leftovers
}

std::optional<ProcessLeftovers> Beside(const BoxSession& session, const ProcessLevel& process) {
  if (!process.through || (!session.closed && *process.through >= session.number)) return std::nullopt;
  return ProcessLeftovers{process.session, *process.through};
}

std::optional<ProcessLeftovers> LeftoversBeside(const BoxReader& box, const BoxSession& session) {
  const std::optional<ProcessLevel> process = ReadProcessLevel(box);
  return process ? Beside(session, *process) : std::nullopt;
}

}  // namespace memprof
