#include "report/json.h"
#include "report/views/views.h"

namespace memprof {

bool CallsForAction(std::string_view report_json) {
  const Result<Report> report = ReadReportJson(report_json);
  if (!report.ok()) return false;
  const bool end_was_seen = !report->unfinished && report->application.ended_ms.has_value();
  return !report->post_mortems.empty() || !report->findings.empty() || !end_was_seen;
}

}  // namespace memprof
