// The deaths of an application alone, as text.
#include <fmt/format.h>

#include <algorithm>

#include "report/json.h"
#include "report/many_deaths.h"
#include "report/verdict.h"
#include "report/views/post_mortem_text.h"
#include "report/views/text_page.h"
#include "report/views/views.h"

namespace memprof {

Result<DeathsText> RenderDeaths(std::string_view report_json, const TextOptions& options) {
  const Result<Report> report = ReadReportJson(report_json);
  if (!report.ok()) return report.status();
  const std::string unmeasured = UnmeasuredDriver(*report);
  if (report->post_mortems.empty() && !report->unfinished) return DeathsText{"", !unmeasured.empty()};
  TextPage page(options);
  const ReportApplication& application = report->application;
  const std::string name = application.name.empty() ? application.id : fmt::format("{} ({})", application.name, application.id);
  page.Line("Application " + Printable(name), Ink::kBold);
  if (report->unfinished) {
    page.Wrapped("Its end was not seen: its driver was killed, or runs still. What follows was known until then.", 2, Ink::kWarm);
  }
  if (report->post_mortems.empty()) {
    const ReportVerdict verdict = VerdictOf(*report);
    page.Wrapped(Printable(verdict.sentence + " " + verdict.because), 2, Ink::kPlain);
  }
  for (const ReportPostMortem& death : report->post_mortems) PutPostMortem(death, kMostPostMortemLines, page);
  if (!report->other_deaths.empty()) {
    const auto survived =
        std::count_if(report->other_deaths.begin(), report->other_deaths.end(), [](const auto& each) { return each.survived; });
    page.Line(
        fmt::format("  … {}, each with a line in the report", MoreDeaths(report->other_deaths.size(), static_cast<uint64_t>(survived))),
        Ink::kDim);
  }
  if (!unmeasured.empty()) page.Wrapped(unmeasured, 2, Ink::kDim);
  return DeathsText{page.Text(0), !unmeasured.empty()};
}

}  // namespace memprof
