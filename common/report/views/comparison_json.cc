// Two reports compared, for programs: docs/report.md, "Two runs".
#include <nlohmann/json.hpp>

#include "report/comparison.h"
#include "report/json.h"
#include "report/json_null.h"
#include "report/titles.h"
#include "report/views/views.h"

namespace memprof {
namespace {

using Json = nlohmann::ordered_json;

Json ApplicationJson(const ReportApplication& application) {
  return {{"id", application.id}, {"name", application.name}, {"startedMs", OrNull(application.started_ms)}};
}

Json FiguresJson(const std::optional<ComparedFigures>& figures) {
  if (!figures) return nullptr;
  return {{"line", figures->line},
          {"allocatedBytes", figures->allocated_bytes},
          {"liveAtPeakBytes", OrNull(figures->live_at_peak_bytes)},
          {"errorBytes", OrNull(figures->error_bytes)}};
}

}  // namespace

Result<std::string> RenderComparisonJson(std::string_view before_json, std::string_view after_json) {
  const Result<Report> before = ReadReportJson(before_json), after = ReadReportJson(after_json);
  if (!before.ok()) return before.status();
  if (!after.ok()) return after.status();
  const Comparison comparison = Compare(*before, *after);
  Json json;
  json["schemaVersion"] = 1;
  json["before"] = ApplicationJson(comparison.before);
  json["after"] = ApplicationJson(comparison.after);
  for (const ComparedSum& sum : comparison.sums) json["sums"][sum.key] = {{"before", OrNull(sum.before)}, {"after", OrNull(sum.after)}};
  json["lines"] = Json::array();
  for (const ComparedLine& line : comparison.lines) {
    json["lines"].push_back({{"udf", line.udf ? TextOrNull(UdfTitle(*line.udf)) : Json(nullptr)},
                             {"function", TextOrNull(line.function)},
                             {"file", TextOrNull(line.file)},
                             {"source", TextOrNull(line.source)},
                             {"liveAtPeakChangeBytes", line.live_change() ? Json(*line.live_change()) : Json(nullptr)},
                             {"allocatedChangeBytes", line.allocated_change()},
                             {"before", FiguresJson(line.before)},
                             {"after", FiguresJson(line.after)}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace memprof
