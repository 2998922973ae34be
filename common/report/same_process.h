// A pid is used again, also within one executor: with the start of its process (field 22 of /proc/<pid>/stat, in ticks since boot) it names
// one process. 0: the start isn't known, as of an older agent or event log; then the pid alone counts.
#pragma once

#include <cstdint>

#include "report/death_model.h"

namespace memprof {

constexpr bool SameProcess(int32_t pid, uint64_t start_ticks, int32_t other_pid, uint64_t other_start_ticks) {
  return pid == other_pid && (start_ticks == 0 || other_start_ticks == 0 || start_ticks == other_start_ticks);
}

// Of messages (proto::Process, proto::WorkerDeath, proto::Incident).
template <typename One, typename Other>
bool SameProcess(const One& one, const Other& other) {
  return SameProcess(one.pid(), one.start_ticks(), other.pid(), other.start_ticks());
}

// Whether a row is of the process that died.
inline bool IsOf(const ReportPostMortem& death, const ReportProcess& process) {
  return death.pid && SameProcess(*death.pid, death.start_ticks.value_or(0), process.pid, process.start_ticks.value_or(0));
}

}  // namespace memprof
