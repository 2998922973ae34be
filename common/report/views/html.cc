// The HTML view: a shell around the browser app (report-app/) and the model as JSON. The file needs nothing else; the tab's shell
// names the addresses of both. What a reader without JavaScript gets is one sentence, and what to do.
#include "report/views/html.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "report/json.h"
#include "report/verdict.h"
#include "report/views/app_files.h"
#include "report/views/html_escape.h"
#include "report/views/model_element.h"
#include "report/views/views.h"

namespace memprof {
namespace {

constexpr std::string_view kBeforeId = "sparkmemprof-before";

// Written anew from the values: an older version's report lacks words.
void WriteModel(std::string_view id, const Report& report, TextSink& to) {
  ModelElement element(id, to);
  WriteReportJson(report, element);
  element.End();
}

// Nothing but our script runs, and nothing is loaded, whatever a name in the report may try.
std::string Policy() {
  return fmt::format("default-src 'none'; script-src '{}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'",
                     AppScriptHash());
}

// `write_models` writes the elements of the models.
template <typename Write>
void WriteFile(const Report& report, TextSink& to, Write write_models) {
  const ReportApplication& application = report.application;
  const std::string name = EscapeHtml(application.name.empty() ? application.id : application.name);
  to.Write(fmt::format(
      R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>sparkmemprof: {}</title><style>{}</style></head>
<body><div id="sparkmemprof"><h1>{}</h1><p>{}</p>
<noscript><p>The pages of this report are drawn with JavaScript, which is off here: allow it for this file, or see the report in a
terminal with: sparkmemprof report DIR</p></noscript></div>
)",
      Policy(), name, AppStyle(), name, EscapeHtml(VerdictOf(report).sentence)));
  write_models();
  to.Write("\n<script>");
  to.Write(AppScript());
  to.Write("</script></body></html>\n");
}

}  // namespace

void RenderHtml(const Report& report, TextSink& to) {
  WriteFile(report, to, [&] { WriteModel(kModelId, report, to); });
}

void RenderHtmlAround(std::string_view model_element, const Report& report, TextSink& to) {
  WriteFile(report, to, [&] { to.Write(model_element); });
}

Result<std::string> RenderHtml(std::string_view report_json) {
  const Result<Report> report = ReadReportJson(report_json);
  if (!report.ok()) return report.status();
  StringSink file;
  RenderHtml(*report, file);
  return std::move(file.text);
}

Result<std::string> RenderComparisonHtml(std::string_view before_json, std::string_view after_json) {
  const Result<Report> before = ReadReportJson(before_json), after = ReadReportJson(after_json);
  if (!before.ok()) return before.status();
  if (!after.ok()) return after.status();
  StringSink file;
  WriteFile(*after, file, [&] {
    WriteModel(kModelId, *after, file);
    WriteModel(kBeforeId, *before, file);
  });
  return std::move(file.text);
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
