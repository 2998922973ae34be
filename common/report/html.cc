// The HTML view: one file that needs nothing else. Header, a summary to be read in ten seconds, then the sections.
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

struct Heaviest {
  const ReportStage* stage = nullptr;
  const ReportSite* site = nullptr;
};

template <typename Weight>
Heaviest FindHeaviest(const Report& report, Origin origin, Weight weight) {
  Heaviest heaviest;
  for (const ReportStage& stage : report.stages) {
    for (const ReportSite& site : stage.sites) {
      if (site.origin != origin || weight(site) == 0) continue;
      if (heaviest.site == nullptr || weight(site) > weight(*heaviest.site)) heaviest = {&stage, &site};
    }
  }
  return heaviest;
}

void PutSiteTile(std::string_view what, const Heaviest& heaviest, std::optional<uint64_t> bytes, HtmlPage& page) {
  if (heaviest.site == nullptr) return;
  const ReportSite& site = *heaviest.site;
  const ReportFrame* lead = LeadFrame(site);
  page.Open("div", "tile").Element("p", "what", what).Open("p", "much");
  PutBytes(bytes, page);
  page.Close("p").Open("p", "where code");
  if (lead != nullptr) {
    bool python = lead->language == Language::kPython;
    page.Element("strong", "", python ? FramePlace(*lead) : FrameTitle(*lead)).Markup(" ");
    page.Text(python ? FrameTitle(*lead) : FramePlace(*lead));
    if (lead != &site.frames.back() && site.frames.back().language == Language::kNative) {
      page.Markup("<br>").Element("span", "native", FrameTitle(site.frames.back()));
    }
  }
  page.Close("p").Open("p", "context").Text(fmt::format("stage {}", heaviest.stage->stage_id));
  if (site.udf) page.Text(", UDF " + site.udf->name);
  page.Close("p").Close("div");
}

void PutSummary(const Report& report, HtmlPage& page) {
  page.Open("section", "tiles");
  PutExecutorTile(report, page);
  Heaviest line = FindHeaviest(report, Origin::kPython, [](const ReportSite& site) { return site.live_at_peak_bytes.value_or(0); });
  PutSiteTile("Line that held most", line, line.site == nullptr ? std::nullopt : line.site->live_at_peak_bytes, page);
  Heaviest heap = FindHeaviest(report, Origin::kJvmHeap, [](const ReportSite& site) { return site.allocated_bytes; });
  PutSiteTile("Most allocated in a JVM heap", heap, heap.site == nullptr ? std::nullopt : std::optional(heap.site->allocated_bytes), page);
  page.Close("section");
}

void PutAbout(const Report& report, HtmlPage& page) {
  page.Open("section", "about").Element("h2", "", "About the numbers").Open("ul");
  page.Markup(
      "<li><b>Live at peak</b>: what a line held at the moment its task held most, the largest of any one task. <b>Resident</b>: how "
      "much of that was really in memory. <b>Allocated</b>: all bytes handed out, summed over the stage’s tasks.</li>");
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
  bool any_counter = false;
  for (const auto& [name, value] : report.counters) {
    if (value == 0) continue;
    page.Markup(any_counter ? ", " : "<p class=\"note\">Limits that were reached: ").Text(name + " " + FormatCount(value));
    any_counter = true;
  }
  if (any_counter) page.Markup(".</p>");
  if (!report.not_available.empty()) {
    page.Element("h4", "", "Not measured").Open("dl", "missing");
    for (const ReportNotAvailable& entry : report.not_available) page.Element("dt", "", entry.what).Element("dd", "", entry.why);
    page.Close("dl");
  }
  page.Close("section");
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
  page.Markup("</title><style>").Markup(kHtmlStyle).Markup("</style></head>\n<body><main>\n");
  PutHeader(*report, page);
  PutSummary(*report, page);
  PutExecutorsSection(*report, page);
  PutStagesSection(*report, page);
  PutAbout(*report, page);
  page.Markup("</main></body></html>\n");
  return page.Take();
}

}  // namespace memprof
