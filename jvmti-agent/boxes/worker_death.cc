#include "boxes/worker_death.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace memprof {
namespace {

bool IsOpenTask(const BoxReader::SessionKey& key) { return !key.closed && key.task_attempt_id >= 0; }

void PutTask(const BoxSession& session, proto::WorkerDeath* death) {
  death->set_task_attempt_id(session.task_attempt_id);
  death->set_stage_id(session.stage_id);
  death->set_stage_attempt(session.stage_attempt);
  death->set_partition(session.partition);
}

proto::WorkerDeath DeathIn(const PythonSession& python) {
  const BoxSession& session = python.session;
  proto::WorkerDeath death;
  death.set_pid(python.box.pid);
  death.set_start_ticks(python.box.process_start_ticks);
  death.set_started_by_task(python.box.started_by_task);
  PutTask(session, &death);
  death.set_live_bytes(session.live_bytes);
  death.set_allocated_bytes(session.allocated_bytes);
  for (const BoxIncident& incident : session.incidents) {
    if (incident.signal == 0) continue;
    death.set_signal(incident.signal);
    death.set_time_ms(incident.time_ms);
  }
  return death;
}

}  // namespace

EndedProcess EndOf(const BoxReader& box) {
  return {NameOf(box.identity()), box.identity().started_by_task, std::chrono::steady_clock::now()};
}

bool HasOpenTask(const BoxReader& box) {
  const std::vector<BoxReader::SessionKey> sessions = box.Sessions();
  return std::any_of(sessions.begin(), sessions.end(), IsOpenTask);
}

std::optional<DeathInBox> DeathOfWorker(const BoxPlace& place, const ProcessName& process) {
  std::optional<DeathInBox> found;
  ForEachBox(place, [&](const std::string& path, BoxReader& box) {
    if (NameOf(box.identity()) != process) return;
    for (const BoxReader::SessionKey& key : box.Sessions()) {
      if (!IsOpenTask(key)) continue;
      FoundSessions task;
      AddSessionsOf(place, path, box, key.task_attempt_id, Leftovers::kRead, &task);
      // The newest: sessions come in the order in which they were opened.
      const auto open =
          std::find_if(task.sessions.rbegin(), task.sessions.rend(), [](const PythonSession& one) { return !one.session.closed; });
      if (open == task.sessions.rend()) continue;  // it can't be read
      open->ended_ms.reset();                      // it has just ended: beside whatever lives now
      proto::WorkerDeath death = DeathIn(*open);
      found = {std::move(death), path, std::move(task)};
    }
  });
  return found;
}

std::optional<proto::WorkerDeath> DeathBelow(const BoxPlace& place, const ProcessName& process) {
  std::optional<proto::WorkerDeath> found;
  ForEachBox(place, [&](const std::string&, BoxReader& box) {
    if (NameOf(box.identity()) != process) return;
    const std::vector<BoxReader::SessionKey> keys = box.Sessions();
    const auto last = std::find_if(keys.rbegin(), keys.rend(), [](const auto& key) { return key.task_attempt_id >= 0; });
    if (last == keys.rend()) return;
    const Result<BoxSession> session = box.ReadSession(last->number);
    if (!session.ok()) return;
    proto::WorkerDeath& death = found.emplace();
    death.set_started_by_task(true);
    PutTask(*session, &death);
  });
  return found;
}

bool MayHaveEndedByItself(const proto::WorkerDeath& death) {
  return death.started_by_task() && death.signal() == 0 && death.has_oom_kills() && death.oom_kills() == 0;
}

}  // namespace memprof
