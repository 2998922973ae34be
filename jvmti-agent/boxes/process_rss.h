// The composition of a Python process's resident memory at its peak, as it measured it itself (blackbox/box_reader.h), and its
// baseline (profile/import_baseline.h). Thread-safe (no state).
#pragma once

#include <optional>

#include "blackbox/box_reader.h"
#include "boxes/process_name.h"
#include "profile/import_baseline.h"

namespace memprof {

struct ProcessRss {
  ProcessName process;
  RssRows rows;
};

struct ProcessBaseline {
  ProcessName process;
  ImportBaseline baseline;
};

// Nothing when the process has measured none.
std::optional<ProcessRss> RssOf(const BoxReader& box);
// `process`: the process-level session of the box; `task`: a session of the same process, read before it.
ProcessBaseline BaselineOf(const BoxIdentity& box, const BoxSession& process, const BoxSession& task);

}  // namespace memprof
