#include "boxes/python_sessions.h"

#include <optional>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "profile/process_level.h"

namespace memprof {

namespace {

// Adds what the process holds at process level to its sessions from `begin` on, which have just been read.
void AddProcessLevel(const BoxReader& box, size_t begin, FoundSessions* found) {
  const std::optional<ProcessLevel> process = ReadProcessLevel(box);
  if (!process) return;
  for (size_t i = begin; i < found->sessions.size(); ++i) {
    PythonSession& python = found->sessions[i];
    python.leftovers = Beside(python.session, *process);
    found->baselines.push_back(BaselineOf(box.identity(), process->session, python.session));
  }
}

// Of a session that was left open. Its process was last seen alive at most one look before its end. If that was before the session, all
// that is known is when it was gone.
int64_t EndOf(const BoxSession& session, LastSeen::Looks looks) {
  if (looks.alive_ms > session.opened_ms) return looks.alive_ms;
  return looks.gone_ms != 0 ? looks.gone_ms : EpochMs();
}

}  // namespace

void AddSessionsOf(const BoxPlace& place, const std::string& path, const BoxReader& box, int64_t task_attempt_id, Leftovers leftovers,
                   FoundSessions* found) {
  const bool alive = box.OwnerAlive();  // read first, so that what is read below is its last
  bool served = false;
  const size_t begin = found->sessions.size();
  for (const BoxReader::SessionKey& key : box.Sessions()) {
    if (key.task_attempt_id != task_attempt_id) continue;
    served = true;
    Result<BoxSession> session = box.ReadSession(key.number);
    if (!session.ok()) {
      if (session.status().code() != ErrorCode::kNotFound) ++found->unreadable;
      continue;
    }
    if (session->closed) found->closed.push_back({path, key.number});
    std::optional<int64_t> ended_ms;
    if (!session->closed && !alive) ended_ms = EndOf(*session, place.last_seen->Of(path));
    found->sessions.push_back({box.identity(), std::move(*session), std::nullopt, ended_ms});
  }
  if (!served) return;
  if (leftovers == Leftovers::kRead && found->sessions.size() > begin) AddProcessLevel(box, begin, found);
  if (std::optional<ProcessRss> rss = RssOf(box)) found->rss.push_back(*std::move(rss));
}

void AddOtherSessions(const BoxPlace& place, int64_t task_attempt_id, Leftovers leftovers, const std::string& read, FoundSessions* found) {
  const auto add = [&](const std::string& path, const BoxReader& box) {
    AddSessionsOf(place, path, box, task_attempt_id, leftovers, found);
  };
  found->refused = ForEachBox(place, add, read);
  found->unreadable += found->refused.count;
}

FoundSessions FindSessions(const BoxPlace& place, int64_t task_attempt_id, Leftovers leftovers) {
  FoundSessions found;
  AddOtherSessions(place, task_attempt_id, leftovers, "", &found);
  return found;
}

void Acknowledge(const std::vector<SessionReceipt>& receipts) {
  for (const SessionReceipt& receipt : receipts) {
    Result<BoxReader> box = BoxReader::Open(receipt.box_path);
    if (!box.ok()) continue;
    [[maybe_unused]] const Status status = box->Acknowledge(receipt.number);
  }
}

}  // namespace memprof
