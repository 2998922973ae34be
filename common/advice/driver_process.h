// A process of the driver that was killed for its memory: what to do. Pure function.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "advice/grant.h"
#include "budget/budget.h"
#include "report/model.h"

namespace memprof {

// Of YARN's and Kubernetes' cluster mode: as large as the settings ask for, spark.driver.memory and the overhead.
struct DriversContainer {
  uint64_t overhead_bytes = 0, requested_bytes = 0;
  std::optional<Grant> grant;  // the largest that can be had, where that is known
};

// Nothing: no setting sizes its limit. `settings` may be null: what YARN grants is not known then.
std::optional<DriversContainer> DriversContainerOf(const ReportExecutor& driver, const SparkSettings* settings);

struct DriverProcessDeath {
  bool of_python = false;   // else of the JVM
  uint64_t held_bytes = 0;  // by the heaviest line of its Python, live at the last sample
  std::string place;        // of that line; empty: none is known
  std::optional<uint64_t> used_bytes, limit_bytes;
  bool of_host = false;  // others had filled the host's memory
  uint64_t host_memory_bytes = 0;
  bool host_is_group = false;    // of its NodeManager
  bool limit_is_hosts = false;   // no cgroup is known to limit the driver: limit_bytes is its machine's memory
  bool limit_is_unseen = false;  // but one around it may
  std::optional<uint64_t> heap_max_bytes;
  uint64_t heap_resident_bytes = 0;  // of used_bytes; 0: not known
  std::optional<DriversContainer> container;
};

// Never empty.
std::vector<ReportAdvice> AdviseDriverProcess(const DriverProcessDeath& death);

}  // namespace memprof
