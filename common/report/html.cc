#include "report/digest.h"
#include "report/html_page.h"
#include "report/html_style.h"
#include "report/json.h"
#include "report/titles.h"
#include "report/units.h"
#include "report/views.h"

namespace memprof {

Result<std::string> RenderHtml(std::string_view report_json) {
  Result<Report> report = ReadReportJson(report_json);
  if (!report.ok()) return report.status();
  HtmlPage page;
  page.Markup("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
  page.Markup("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>");
  page.Text(report->application.name).Markup("</title><style>").Markup(kHtmlStyle).Markup("</style></head><body><main>");
  page.Element("h1", "", report->application.name);
  for (const ReportExecutor* executor : ExecutorsByUse(*report)) {
    page.Element("h3", "", "Executor " + executor->id);
    if (executor->at_peak)
      page.Element("p", "", "peak " + FormatBytes(executor->at_peak->used_bytes) + " of " + FormatBytesOr(executor->limit_bytes));
  }
  for (const ReportStage* stage : StagesByWeight(*report)) {
    page.Element("h3", "", "Stage " + std::to_string(stage->stage_id) + ": " + stage->name).Open("table");
    for (const ReportSite& site : stage->sites) {
      const ReportFrame* lead = LeadFrame(site);
      page.Open("tr").Element("td", "", FormatBytesOr(site.live_at_peak_bytes)).Element("td", "", FormatBytes(site.allocated_bytes));
      page.Element("td", "", lead == nullptr ? "" : FramePlace(*lead) + " " + FrameTitle(*lead)).Close("tr");
    }
    page.Close("table");
  }
  page.Markup("</main></body></html>\n");
  return page.Take();
}

}  // namespace memprof
