// The HTML view: a shell around the browser app (report-app/) and the model as JSON. The file needs nothing else; the tab's shell
// names the addresses of both. What a reader without JavaScript gets is one sentence, and what to do.
#include "report/views/html.h"

#include <fmt/format.h>

#include "report/json.h"
#include "report/packed_text.h"
#include "report/verdict.h"
#include "report/views/app_files.h"
#include "report/views/html_escape.h"
#include "report/views/views.h"

namespace memprof {
namespace {

constexpr size_t kLargeModel = 1u << 20;  // smaller ones can be read in the file as they are

// The element that holds a model, written anew: an older version's report lacks words.
std::string ModelElement(std::string_view id, const Report& report) {
  std::string report_json = WriteReportJson(report);
  report_json.pop_back();  // its line's end
  if (report_json.size() < kLargeModel) {
    return fmt::format("<script type=\"application/json\" id=\"{}\">{}</script>", id, EscapeJsonInHtml(report_json));
  }
  return fmt::format("<script type=\"application/gzip\" id=\"{}\">{}</script>", id, PackText(report_json));
}

// Nothing but our script runs, and nothing is loaded, whatever a name in the report may try.
std::string Policy() {
  return fmt::format("default-src 'none'; script-src '{}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'",
                     AppScriptHash());
}

// `before`: the element of a run to compare with, or nothing.
Result<std::string> File(std::string_view report_json, std::string_view before) {
  Result<Report> report = ReadReportJson(report_json);
  if (!report.ok()) return report.status();
  const ReportApplication& application = report->application;
  const std::string name = EscapeHtml(application.name.empty() ? application.id : application.name);
  return fmt::format(
      R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>sparkmemprof: {}</title><style>{}</style></head>
<body><div id="sparkmemprof"><h1>{}</h1><p>{}</p>
<noscript><p>The pages of this report are drawn with JavaScript, which is off here: allow it for this file, or see the report in a
terminal with: sparkmemprof report DIR</p></noscript></div>
{}{}
<script>{}</script></body></html>
)",
      Policy(), name, AppStyle(), name, EscapeHtml(VerdictOf(*report).sentence), ModelElement("sparkmemprof-model", *report), before,
      AppScript());
}

}  // namespace

Result<std::string> RenderHtml(std::string_view report_json) { return File(report_json, ""); }

Result<std::string> RenderComparisonHtml(std::string_view before_json, std::string_view after_json) {
  Result<Report> before = ReadReportJson(before_json);
  if (!before.ok()) return before.status();
  return File(after_json, ModelElement("sparkmemprof-before", *before));
}

std::string RenderTab(const Report& report, Time time) {
  return fmt::format(
      R"(<div id="sparkmemprof" data-model="api/v1/report" data-style="app.css"{}><p>{}</p>
<noscript><p>The pages of this report are drawn with JavaScript, which is off here: allow it for this page, or read
<a href="api/v1/report">the report as JSON</a>.</p></noscript></div>
<script src="app.js"></script>
)",
      time == Time::kPast ? " data-past=\"\"" : "", EscapeHtml(VerdictOf(report).sentence));
}

}  // namespace memprof
