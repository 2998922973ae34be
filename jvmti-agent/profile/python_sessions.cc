#include "profile/python_sessions.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace memprof {
FoundSessions FindSessions(const BoxPlace& place, int64_t task_attempt_id) {
  FoundSessions found;
  found.unreadable = ForEachBox(place, [&](const std::string& path, BoxReader& box) {
    for (const BoxReader::SessionKey& key : box.Sessions()) {
      if (key.task_attempt_id != task_attempt_id) continue;
      Result<BoxSession> session = box.ReadSession(key.number);
      if (!session.ok()) {
        ++found.unreadable;
        continue;
      }
      if (session->closed) found.closed.push_back({path, key.number});
      found.sessions.push_back({box.identity(), std::move(*session)});
    }
  });
  return found;
}

void Acknowledge(const std::vector<SessionReceipt>& receipts) {
  for (const SessionReceipt& receipt : receipts) {
    Result<BoxReader> box = BoxReader::Open(receipt.box_path);
    if (!box.ok()) continue;
    // A writer that is gone needs no receipt; its box goes with the executor.
    [[maybe_unused]] const Status status = box->Acknowledge(receipt.number);
  }
}

void RemoveBoxes(const BoxPlace& place) {
  ForEachBox(place, [](const std::string& path, BoxReader& box) {
    const std::vector<BoxReader::SessionKey> sessions = box.Sessions();
    const bool busy =
        std::any_of(sessions.begin(), sessions.end(), [](const auto& key) { return !key.closed && key.task_attempt_id >= 0; });
    if (!busy || !box.OwnerAlive()) unlink(path.c_str());
  });
}

}  // namespace memprof
