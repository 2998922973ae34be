// The end of a driver, as seen by the process that started it: `sparkmemprof submit`, or the user's Python, which started its JVM.
// The boxes of its Python process are joined with the report that its JVM wrote. If one of the two was killed, a post-mortem is
// added, which the dead process itself could not write. Thread-safe (no state).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "program/program_report.h"

namespace memprof {

struct DriverEnd {
  std::string report_json;  // of the application, as its driver left it; empty: it left none
  int64_t report_ms = 0;    // when it was written, since the epoch; 0: not known
  bool jvm_told = false;    // the report is of the JVM's last moment, with its own death, which has not been reported yet
  Program python;           // the boxes of its Python process; `pid` isn't known
  int32_t exit_status = 0;  // as a shell has it: 128 + the signal that ended a process
  bool exited = false;      // it is known to be a process's own, no signal's, even above 128
  bool jvm_killed = false;  // that signal ended the JVM itself; else it was its Python process, or nobody was killed
  std::string started_by;   // who that was, in words
  // From its cgroup: kills by the kernel from kills_since_ms (since the epoch) to its end, and the limit.
  std::optional<uint64_t> kernel_kills, limit_bytes;
  int64_t kills_since_ms = 0;
  uint64_t host_memory_bytes = 0;
  std::optional<uint64_t> host_available_bytes;  // the least that was read of it within the ten seconds before
};

struct ToldDeath {
  std::string headline, text;  // the text begins with the headline, in lines
};

struct DriverReport {
  std::string json;
  std::vector<ToldDeath> deaths;  // of the driver's own processes
};

// kNotFound: there is nothing to add, no box and no death. kCorrupt and kUnsupported: `report_json` can't be read, or is of
// another version.
Result<DriverReport> ReportOfDriver(const DriverEnd& end);

}  // namespace memprof
