// What a dead Python worker, or a process that a task had started, was doing: the task session that it left open in its box. A worker
// that ends normally has closed its sessions. Thread-safe (no state).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "boxes/executor_boxes.h"
#include "proto/memprof.pb.h"

namespace memprof {

// A process, by its pid and when it was started (field 22 of /proc/pid/stat).
struct ProcessName {
  int32_t pid = 0;
  uint64_t start_ticks = 0;

  bool operator==(const ProcessName&) const = default;
};

ProcessName OwnerOf(const BoxReader& box);
bool HasOpenTask(const BoxReader& box);

// The owner of a box that has an open task and no lock any more.
struct EndedProcess {
  ProcessName name;
  bool started_by_task = false;
  std::chrono::steady_clock::time_point seen;  // when that was seen
};
EndedProcess EndOf(const BoxReader& box);  // seen now

// Its task and figures, and the time if it has noted a signal; nothing when it died between tasks or left no box.
std::optional<proto::WorkerDeath> DeathOfWorker(const BoxPlace& place, const ProcessName& process);

// What a task has started may simply have ended: a process that multiprocessing forks leaves its session open. True where neither a
// signal nor a kill of the kernel says otherwise.
bool MayHaveEndedByItself(const proto::WorkerDeath& death);

}  // namespace memprof
