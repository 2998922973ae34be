#include "boxes/worker_death.h"

namespace memprof {

std::optional<proto::WorkerDeath> DeathOfWorker(const BoxPlace& place, int32_t pid, uint64_t start_ticks) {
  std::optional<proto::WorkerDeath> death;
  ForEachBox(place, [&](const std::string&, BoxReader& box) {
    if (box.identity().pid != pid || box.identity().process_start_ticks != start_ticks) return;
    for (const BoxReader::SessionKey& key : box.Sessions()) {
      if (key.closed || key.task_attempt_id < 0) continue;
      const Result<BoxSession> session = box.ReadSession(key.number);
      if (!session.ok()) continue;
      death.emplace();
      death->set_pid(pid);
      death->set_task_attempt_id(session->task_attempt_id);
      death->set_stage_id(session->stage_id);
      death->set_stage_attempt(session->stage_attempt);
      death->set_partition(session->partition);
      death->set_live_bytes(session->live_bytes);
      death->set_allocated_bytes(session->allocated_bytes);
      for (const BoxIncident& incident : session->incidents) {
        if (incident.signal != 0) death->set_signal(incident.signal);
      }
    }
  });
  return death;
}

}  // namespace memprof
