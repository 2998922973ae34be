#include "boxes/python_sessions.h"

#include <utility>

namespace memprof {

FoundSessions FindSessions(const BoxPlace& place, int64_t task_attempt_id) {
  FoundSessions found;
  found.unreadable = ForEachBox(place, [&](const std::string& path, BoxReader& box) {
    for (const BoxReader::SessionKey& key : box.Sessions()) {
      if (key.task_attempt_id != task_attempt_id) continue;
      Result<BoxSession> session = box.ReadSession(key.number);
      if (!session.ok()) {
        if (session.status().code() != ErrorCode::kNotFound) ++found.unreadable;
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
    [[maybe_unused]] const Status status = box->Acknowledge(receipt.number);
  }
}

}  // namespace memprof
