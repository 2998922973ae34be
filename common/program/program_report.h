// The report of a plain Python program (`sparkmemprof run`) from the black boxes that its processes left, in the shape of an
// application's: one executor, "driver", whose processes are the program's; one stage, 0, with a task for each process. Its tasks
// count however the program ended; the stage says how it failed. Thread-safe (no state).
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "report/model.h"

namespace memprof {

struct Program {
  std::string id;    // its boxes' application
  std::string name;  // what was run
  std::string box_directory;
  int32_t pid = 0;  // the process that was started first
  std::string host;
  std::string failure;     // "" = it ended well
  int64_t started_ms = 0;  // since the epoch
  int64_t ended_ms = 0;
};

// A session that was left open (by a killed process, or by _exit) is read unfinished, and its task is marked partial. kNotFound:
// no process left a box that can be read.
Result<std::string> ProgramReportJson(const Program& program);
Result<Report> ProgramModel(const Program& program);

}  // namespace memprof
