#include "advice/driver_process.h"

#include <fmt/format.h>

#include <algorithm>

#include "advice/figures.h"
#include "report/units.h"

namespace memprof {

std::vector<ReportAdvice> AdviseDriverProcess(const DriverProcessDeath& death) {
  std::vector<ReportAdvice> pieces;
  if (death.of_python && death.held_bytes != 0) {
    pieces.push_back(
        {"", "", "",
         fmt::format("{} held {} in the driver: aggregate, select or limit() before toPandas, collect or to_numpy, or write to "
                     "files and read them where they are needed",
                     death.place, FormatBytes(death.held_bytes))});
  }
  // A killed process needed more than it had: some of its live blocks may not have been resident yet.
  const uint64_t wanted = std::max({death.used_bytes.value_or(0), death.held_bytes, death.limit_bytes.value_or(0)});
  const std::string limit = death.limit_bytes ? fmt::format(" instead of {}", FormatBytes(*death.limit_bytes)) : "";
  pieces.push_back(
      {"", "", "",
       fmt::format("a memory limit of at least {} for the driver{}: no setting of Spark bounds {}", FormatBytes(WithHeadroom(wanted)),
                   limit, death.of_python ? "its Python process" : "what its JVM takes beside the heap")});
  return pieces;
}

}  // namespace memprof
