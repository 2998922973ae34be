// The HTML view: one file that needs nothing else. Header, a summary to be read in ten seconds, then the sections.
#include "report/html.h"

#include <fmt/format.h>

#include "report/digest.h"
#include "report/html_page.h"
#include "report/html_parts.h"
#include "report/html_style.h"
#include "report/json.h"
#include "report/titles.h"
#include "report/units.h"
#include "report/views.h"

namespace memprof {
namespace {

void PutHeader(const Report& report, HtmlPage& page) {
  const ReportApplication& application = report.application;
  page.Open("header", "page").Element("p", "brand", "sparkmemprof");
  page.Element("h1", "", application.name.empty() ? application.id : application.name);
  page.Open("p", "facts");
  auto fact = [&](const std::string& text) { page.Element("span", "", text); };
  if (!application.id.empty()) fact(application.id);
  if (!application.spark_version.empty()) fact("Spark " + application.spark_version);
  if (!application.python_version.empty()) fact("Python " + application.python_version);
  if (!application.master.empty()) fact(application.master);
  if (application.started_ms) fact(FormatTime(*application.started_ms));
  if (application.started_ms && application.ended_ms) fact(FormatDuration(*application.ended_ms - *application.started_ms));
  page.Close("p");
  if (report.unfinished) page.Element("p", "banner", "Unfinished: written while the application was running, figures may still grow.");
  page.Close("header");
}

void PutExecutorTile(const Report& report, HtmlPage& page) {
  std::vector<const ReportExecutor*> executors = ExecutorsByUse(report);
  if (executors.empty() || !executors[0]->at_peak || !executors[0]->limit_bytes) return;
  const ReportExecutor& executor = *executors[0];
  page.Open("div", "tile").Element("p", "what", "Closest to its limit").Open("p", "much");
  PutBytes(executor.at_peak->used_bytes, page);
  page.Close("p").Open("p", "where");
  page.Text(fmt::format("{} of {} {}",
                        FormatPercent(static_cast<double>(executor.at_peak->used_bytes), static_cast<double>(*executor.limit_bytes)),
                        FormatBytes(*executor.limit_bytes), LimitPhrase(executor)));
  page.Close("p").Element("p", "context", executor.id == "driver" ? "driver" : "executor " + executor.id).Close("div");
}

void PutLineTile(const Report& report, HtmlPage& page) {
  const ReportStage* stage = nullptr;
  const ReportLine* heaviest = nullptr;
  for (const ReportStage& each : report.stages) {
    for (const ReportLine& line : each.lines) {
      uint64_t live = line.live_at_peak_bytes.value_or(0);
      if (live == 0 || (heaviest != nullptr && live <= *heaviest->live_at_peak_bytes)) continue;
      stage = &each;
      heaviest = &line;
    }
  }
  if (heaviest == nullptr) return;
  page.Open("div", "tile").Element("p", "what", "Line that held most").Open("p", "much");
  PutBytes(heaviest->live_at_peak_bytes, page);
  page.Close("p").Open("p", "where code").Element("strong", "", LinePlace(*heaviest)).Text(" " + heaviest->function);
  std::vector<AllocationPath> paths = PathsOf(*heaviest, *stage);
  if (!paths.empty() && !paths[0].text.empty()) page.Markup("<br>").Element("span", paths[0].native ? "native" : "soft", paths[0].text);
  page.Close("p").Open("p", "context").Text(fmt::format("stage {}", stage->stage_id));
  if (heaviest->udf) page.Text(", UDF " + heaviest->udf->name);
  page.Close("p").Close("div");
}

void PutHeapTile(const Report& report, HtmlPage& page) {
  const ReportStage* stage = nullptr;
  const ReportSite* heaviest = nullptr;
  for (const ReportStage& each : report.stages) {
    for (const ReportSite& site : each.sites) {
      if (site.origin != Origin::kJvmHeap || (heaviest != nullptr && site.allocated_bytes <= heaviest->allocated_bytes)) continue;
      stage = &each;
      heaviest = &site;
    }
  }
  const ReportFrame* lead = heaviest == nullptr ? nullptr : LeadFrame(*heaviest);
  if (lead == nullptr) return;
  page.Open("div", "tile").Element("p", "what", "Most allocated in a JVM heap").Open("p", "much");
  PutBytes(heaviest->allocated_bytes, page);
  page.Close("p").Open("p", "where code").Element("strong", "", FrameTitle(*lead)).Text(" " + FramePlace(*lead)).Close("p");
  page.Element("p", "context", fmt::format("stage {}", stage->stage_id)).Close("div");
}

void PutSummary(const Report& report, HtmlPage& page) {
  page.Open("section", "tiles");
  PutExecutorTile(report, page);
  PutLineTile(report, page);
  PutHeapTile(report, page);
  page.Close("section");
}

void PutCounters(const Report& report, HtmlPage& page) {
  CounterGroups groups = GroupsOf(report.counters);
  if (!groups.bounds.empty()) {
    page.Open("p", "note").Text("Counters: ");
    for (size_t i = 0; i < groups.bounds.size(); ++i) {
      page.Text((i == 0 ? "" : ", ") + groups.bounds[i].first + " " + FormatCount(groups.bounds[i].second));
    }
    page.Text(".").Close("p");
  }
  if (groups.outside_tasks.empty()) return;
  page.Open("details", "outside").Element("summary", "", "JVM heap allocated outside of tasks, by thread").Open("table");
  for (const auto& [thread, bytes] : groups.outside_tasks) {
    page.Open("tr").Element("td", "code", thread);
    PutFigureCell("allocated", bytes, page);
    page.Close("tr");
  }
  page.Close("table").Close("details");
}

void PutAbout(const Report& report, HtmlPage& page) {
  page.Open("section", "about").Element("h2", "", "About the numbers").Open("ul");
  page.Markup(
      "<li><b>Live at peak</b>: what a line held at the moment its task held most, the largest of any one task. <b>Resident</b>: how "
      "much of that was really in memory. What was <b>live when a task ended</b> was left to whatever its worker did next. "
      "<b>Allocated</b>: all bytes handed out, summed over the stage’s tasks.</li>");
  page.Markup("<li><b>±</b> is two standard deviations of sampling; <b>exact</b>: every block was counted.");
  if (report.sampling.python_interval_bytes) {
    page.Text(fmt::format(" Python and native code: a sample every {} on average, blocks of at least four of these are always counted.",
                          FormatBytes(*report.sampling.python_interval_bytes)));
  }
  if (report.sampling.jvm_interval_bytes)
    page.Text(fmt::format(" JVM: a sample every {}.", FormatBytes(*report.sampling.jvm_interval_bytes)));
  page.Close("li");
  page.Markup("<li>Rows of a process are measured, each by itself; what is left of its resident memory is <b>unattributed</b>.</li>");
  page.Markup("<li>A dash is a figure that was not measured, never zero.</li>").Close("ul");
  PutCounters(report, page);
  if (!report.not_available.empty()) {
    page.Element("h4", "", "Not measured").Open("dl", "missing");
    for (const ReportNotAvailable& entry : report.not_available) page.Element("dt", "", entry.what).Element("dd", "", entry.why);
    page.Close("dl");
  }
  page.Close("section");
}

// All below the header, in the file and in the tab.
void PutSections(const Report& report, HtmlPage& page) {
  PutPostMortemsSection(report, page);
  PutSummary(report, page);
  PutLeaksSection(report, page);
  PutExecutorsSection(report, page);
  PutStagesSection(report, page);
  PutAbout(report, page);
}

}  // namespace

Result<std::string> RenderHtml(std::string_view report_json) {
  Result<Report> report = ReadReportJson(report_json);
  if (!report.ok()) return report.status();
  HtmlPage page;
  page.Markup(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\"><meta name=\"color-scheme\" content=\"light dark\"><title>sparkmemprof: ");
  page.Text(report->application.name.empty() ? report->application.id : report->application.name);
  page.Markup("</title><style>").Markup(FileStyle()).Markup("</style></head>\n<body><main>\n");
  PutHeader(*report, page);
  PutSections(*report, page);
  page.Markup("</main></body></html>\n");
  return page.Take();
}

std::string RenderTab(const Report& report) {
  HtmlPage page;
  page.Markup("<link rel=\"stylesheet\" href=\"style.css\"><div class=\"sparkmemprof\">");
  page.Open("p", "facts");
  if (report.unfinished) page.Element("span", "", "The application is running: figures still grow. Reload the page for the latest.");
  page.Markup("<a href=\"api/v1/report\">The same as JSON</a>").Close("p");
  if (report.stages.empty()) {
    page.Element("p", "banner", "No stage has started yet. Reload the page once the application has run a job.");
  }
  PutSections(report, page);
  page.Markup("</div>\n");
  return page.Take();
}

}  // namespace memprof
