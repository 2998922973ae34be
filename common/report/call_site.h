// Call sites as Spark writes them in short: "collect at /jobs/job.py:17". Pure functions.
#pragma once

#include <cstdint>
#include <string_view>

namespace memprof {

struct CallSite {
  std::string_view function, file;  // empty: the text is none
  uint32_t line = 0;
  bool of_user = false;  // otherwise Spark only knows frames of the bridge from Python, or of a pool's thread
};

CallSite ParseCallSite(std::string_view text);

}  // namespace memprof
