// What a dead process held at its last sample, in the report's terms. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "blackbox/box_reader.h"
#include "report/model.h"

namespace memprof {

struct HeldLine {
  std::string place, function;
  uint64_t bytes = 0;
};

// The line of a file that held most; nothing where none held anything.
std::optional<HeldLine> HeaviestLine(const ReportStage& python);

// "; job.py:7 features held 1.2 GiB", or "".
std::string HeldPhrase(const std::optional<HeldLine>& line);

// The heaviest sites go into the death, by what was live at the last sample.
void PutHeldSites(const ReportStage& python, ReportPostMortem& death);

// The signal that the process recorded as it died; 0: none.
int NotedSignal(const BoxSession& session);

}  // namespace memprof
