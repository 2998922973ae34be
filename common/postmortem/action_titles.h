// How a death names the action of the user's program that it was for. Pure.
#pragma once

#include <fmt/format.h>

#include <string>

#include "report/driver_model.h"
#include "report/titles.h"

namespace memprof {

// "collect at /jobs/job.py:17"
inline std::string CallSiteTitle(const ReportAction& action) {
  return action.call_site.empty() ? "a call that Spark doesn't name" : action.call_site;
}

// "job.py:17"; "" where no line is known.
inline std::string ActionPlace(const ReportAction& action) {
  return action.file.empty() ? "" : fmt::format("{}:{}", BaseName(action.file), action.line);
}

// "; its plan was built at job.py:3, 9"; "" where that isn't known.
inline std::string PlanPhrase(const ReportAction& action) {
  const std::string built_at = BuiltAtPhrase(action);
  return built_at.empty() ? "" : "; its plan was built at " + built_at;
}

}  // namespace memprof
