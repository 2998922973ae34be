// A process of the driver that was killed for its memory: what to do. Pure function.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/model.h"

namespace memprof {

struct DriverProcessDeath {
  bool of_python = false;   // else of the JVM
  uint64_t held_bytes = 0;  // by the heaviest line of its Python, live at the last sample
  std::string place;        // of that line; empty: none is known
  std::optional<uint64_t> used_bytes, limit_bytes;
  bool of_host = false;  // others had filled the host's memory
  uint64_t host_memory_bytes = 0;
  bool limit_is_hosts = false;   // no cgroup is known to limit the driver: limit_bytes is its machine's memory
  bool limit_is_unseen = false;  // but one around it may
  std::optional<uint64_t> heap_max_bytes;
  uint64_t heap_resident_bytes = 0;  // of used_bytes; 0: not known
};

// Never empty.
std::vector<ReportAdvice> AdviseDriverProcess(const DriverProcessDeath& death);

}  // namespace memprof
