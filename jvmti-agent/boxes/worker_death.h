// What a dead Python worker, or a process that a task had started, was doing: the task session that it left open in its box. A worker
// that ends normally has closed its sessions. Thread-safe (no state).
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "boxes/executor_boxes.h"
#include "boxes/process_name.h"
#include "boxes/python_sessions.h"
#include "proto/memprof.pb.h"

namespace memprof {

bool HasOpenTask(const BoxReader& box);

// The owner of a box that has an open task and no lock any more.
struct EndedProcess {
  ProcessName name;
  bool started_by_task = false;
  std::chrono::steady_clock::time_point seen;  // when that was seen
};
EndedProcess EndOf(const BoxReader& box);  // seen now

struct DeathInBox {
  proto::WorkerDeath death;  // its task and figures, and the time if it has noted a signal
  std::string box_path;
  FoundSessions sessions;  // of that task, in this box, and what earlier tasks had left there
};

// Reads it from the dead process's box; nothing when it died between tasks or left no box.
std::optional<DeathInBox> DeathOfWorker(const BoxPlace& place, const ProcessName& process);

// Of a program that the process had started: the task that it served last, which may have failed by now because of the program's end.
// Without figures: these are the worker's. Nothing when the process has left no box, or served no task.
std::optional<proto::WorkerDeath> DeathBelow(const BoxPlace& place, const ProcessName& process);

// What a task has started may simply have ended: a process that multiprocessing forks leaves its session open. True where neither a
// signal nor a kill of the kernel says otherwise.
bool MayHaveEndedByItself(const proto::WorkerDeath& death);

}  // namespace memprof
