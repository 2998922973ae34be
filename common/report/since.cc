#include "report/since.h"

#include <algorithm>
#include <set>
#include <vector>

#include "report/json.h"

namespace memprof {

void LeaveOutBefore(int64_t since_ms, Report* report) {
  std::set<int32_t> kept;
  std::erase_if(report->stages, [&](const ReportStage& stage) { return stage.submitted_ms.value_or(0) < since_ms; });
  for (const ReportStage& stage : report->stages) kept.insert(stage.stage_id);
  report->other_stages.reset();  // they have no times
  std::erase_if(report->post_mortems, [&](const ReportPostMortem& death) { return death.time_ms < since_ms; });
  std::erase_if(report->other_deaths, [&](const ReportOtherDeath& death) { return death.time_ms < since_ms; });
  std::erase_if(report->findings, [&](const ReportFinding& finding) { return finding.stage_id && !kept.contains(*finding.stage_id); });
  if (report->driver) {
    std::erase_if(report->driver->actions, [&](const ReportAction& action) { return action.started_ms < since_ms; });
    report->driver->other_actions.reset();
  }
  report->not_available.push_back(
      {"stages, actions and deaths before the last clear()", "they were cleared; the report of the whole application has them"});
}

Result<std::string> ReportJsonSince(std::string_view report_json, int64_t since_ms) {
  Result<Report> report = ReadReportJson(report_json);
  if (!report.ok()) return report.status();
  LeaveOutBefore(since_ms, &*report);
  return WriteReportJson(*report);
}

}  // namespace memprof
