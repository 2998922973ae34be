#include "boxes/worker_death.h"

#include <algorithm>

namespace memprof {
namespace {

bool IsOpenTask(const BoxReader::SessionKey& key) { return !key.closed && key.task_attempt_id >= 0; }

}  // namespace

ProcessName OwnerOf(const BoxReader& box) { return {box.identity().pid, box.identity().process_start_ticks}; }

EndedProcess EndOf(const BoxReader& box) { return {OwnerOf(box), box.identity().started_by_task, std::chrono::steady_clock::now()}; }

bool HasOpenTask(const BoxReader& box) {
  const std::vector<BoxReader::SessionKey> sessions = box.Sessions();
  return std::any_of(sessions.begin(), sessions.end(), IsOpenTask);
}

std::optional<proto::WorkerDeath> DeathOfWorker(const BoxPlace& place, const ProcessName& process) {
  std::optional<proto::WorkerDeath> death;
  ForEachBox(place, [&](const std::string&, BoxReader& box) {
    if (OwnerOf(box) != process) return;
    for (const BoxReader::SessionKey& key : box.Sessions()) {
      if (!IsOpenTask(key)) continue;
      const Result<BoxSession> session = box.ReadSession(key.number);
      if (!session.ok()) continue;
      death.emplace();
      death->set_pid(process.pid);
      death->set_started_by_task(box.identity().started_by_task);
      death->set_task_attempt_id(session->task_attempt_id);
      death->set_stage_id(session->stage_id);
      death->set_stage_attempt(session->stage_attempt);
      death->set_partition(session->partition);
      death->set_live_bytes(session->live_bytes);
      death->set_allocated_bytes(session->allocated_bytes);
      for (const BoxIncident& incident : session->incidents) {
        if (incident.signal == 0) continue;
        death->set_signal(incident.signal);
        death->set_time_ms(incident.time_ms);
      }
    }
  });
  return death;
}

bool MayHaveEndedByItself(const proto::WorkerDeath& death) {
  return death.started_by_task() && death.signal() == 0 && death.has_oom_kills() && death.oom_kills() == 0;
}

}  // namespace memprof
