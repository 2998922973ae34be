// Call sites as Spark writes them in short, "collect at /jobs/job.py:17", and places of the user's program. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "report/driver_model.h"

namespace memprof {

struct CallSite {
  std::string_view function, file;  // empty: the text is none
  uint32_t line = 0;
  bool of_user = false;  // otherwise Spark only knows frames of the bridge from Python, or of a pool's thread
};

CallSite ParseCallSite(std::string_view text);

inline constexpr size_t kMostPlaces = 16;  // as sparkmemprof.plan_lines tells

// Of "/jobs/job.py:3,17\n/jobs/tables.py:41" the last kMostPlaces. What is no place is left out.
std::vector<ReportPlace> ParsePlaces(std::string_view text);

}  // namespace memprof
