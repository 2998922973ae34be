// The section on stages: UDF by UDF the lines that held memory, the native frames under them, and the JVM's call sites.
#include <fmt/format.h>

#include <algorithm>

#include "report/digest.h"
#include "report/html_parts.h"
#include "report/titles.h"
#include "report/units.h"
#include "report/words.h"

namespace memprof {
namespace {

constexpr size_t kLinesShown = 12, kJvmSitesShown = 6, kFramesUnder = 4;

uint64_t BarValue(const ReportSite& site) { return site.live_at_peak_bytes.value_or(0); }

void PutFramesUnder(const ReportSite& site, const ReportFrame* lead, HtmlPage& page) {
  auto frame = std::find_if(site.frames.begin(), site.frames.end(), [&](const ReportFrame& each) { return &each == lead; });
  if (frame != site.frames.end()) ++frame;
  for (size_t shown = 0; frame != site.frames.end() && shown < kFramesUnder; ++frame, ++shown) {
    page.Open("div", fmt::format("under {}", LanguageWord(frame->language))).Element("span", "function", FrameTitle(*frame)).Markup(" ");
    page.Element("span", "place", FramePlace(*frame)).Close("div");
  }
}

void PutErrorCell(const ReportSite& site, HtmlPage& page) {
  page.Markup("<td class=\"number error\" data-label=\"error\">").Text(ErrorPhrase(site)).Close("td");
}

void PutLine(const ReportSite& site, uint64_t largest, HtmlPage& page) {
  const ReportFrame* lead = LeadFrame(site);
  page.Open("tr").Open("td", "line").Open("div", "code");
  if (lead == nullptr) {
    page.Element("span", "function", "no frames");
  } else {
    page.Element("span", "place strong", FramePlace(*lead)).Markup(" ").Element("span", "function", FrameTitle(*lead));
    PutFramesUnder(site, lead, page);
  }
  page.Close("div");
  if (site.frames.size() > 1) PutStack(site, page);
  page.Close("td").Open("td", "graph");
  PutShare(BarValue(site), largest, "python", page);
  page.Close("td");
  PutFigureCell("live at peak", site.live_at_peak_bytes, page);
  PutFigureCell("resident", site.resident_at_peak_bytes, page);
  PutFigureCell("allocated", site.allocated_bytes, page);
  PutErrorCell(site, page);
  page.Close("tr");
}

void PutLineTable(const std::vector<const ReportSite*>& sites, size_t from, size_t to, uint64_t largest, HtmlPage& page) {
  page.Markup(
      "<table class=\"sites\"><thead><tr><th>Line</th><th></th><th class=\"number\">Live at peak</th><th class=\"number\">Resident</th>"
      "<th class=\"number\">Allocated</th><th class=\"number\">Error</th></tr></thead><tbody>");
  for (size_t i = from; i < to; ++i) PutLine(*sites[i], largest, page);
  page.Markup("</tbody></table>");
}

void PutUdfHeading(const ReportSite& site, HtmlPage& page) {
  page.Open("h4", "udf");
  if (site.udf) {
    page.Element("code", "", site.udf->name);
    std::string place = FramePlace({Language::kPython, "", site.udf->file, "", site.udf->line, "", std::nullopt});
    if (!place.empty()) page.Markup(" <span class=\"soft code\">").Text(place).Markup("</span>");
    if (!site.udf->kind.empty()) page.Markup(" ").Element("span", "chip", site.udf->kind);
  } else {
    page.Text("Outside any UDF");
  }
  page.Close("h4");
}

// `sites` come grouped by UDF (digest.h).
void PutPythonSites(const std::vector<const ReportSite*>& sites, HtmlPage& page) {
  uint64_t largest = 0;
  for (const ReportSite* site : sites) largest = std::max(largest, BarValue(*site));
  for (size_t begin = 0; begin < sites.size();) {
    size_t end = begin;
    while (end < sites.size() && sites[end]->udf == sites[begin]->udf) ++end;
    PutUdfHeading(*sites[begin], page);
    size_t shown = std::min(end, begin + kLinesShown);
    PutLineTable(sites, begin, shown, largest, page);
    if (shown < end) {
      page.Open("details", "more").Element("summary", "", fmt::format("{} more lines", end - shown));
      PutLineTable(sites, shown, end, largest, page);
      page.Close("details");
    }
    begin = end;
  }
}

void PutJvmSite(const ReportSite& site, uint64_t largest, bool live, HtmlPage& page) {
  const ReportFrame* lead = LeadFrame(site);
  page.Open("tr").Open("td", "line").Open("div", "code");
  if (lead == nullptr) {
    page.Element("span", "function", "no frames");
  } else {
    page.Element("span", "function strong", FrameTitle(*lead)).Markup(" ").Element("span", "place", FramePlace(*lead));
    PutFramesUnder(site, lead, page);
  }
  page.Close("div");
  if (site.frames.size() > 1) PutStack(site, page);
  page.Close("td").Open("td", "graph");
  PutShare(live ? BarValue(site) : site.allocated_bytes, largest, "jvm", page);
  page.Close("td");
  if (live) PutFigureCell("live at peak", site.live_at_peak_bytes, page);
  PutFigureCell("allocated", site.allocated_bytes, page);
  page.Markup("<td class=\"number soft\" data-label=\"blocks\">").Text(FormatCount(site.allocations)).Close("td");
  PutErrorCell(site, page);
  page.Close("tr");
}

void PutJvmTable(const std::vector<const ReportSite*>& sites, size_t from, size_t to, uint64_t largest, bool live, HtmlPage& page) {
  page.Markup("<table class=\"sites\"><thead><tr><th>Call site</th><th></th>");
  if (live) page.Markup("<th class=\"number\">Live at peak</th>");
  page.Markup("<th class=\"number\">Allocated</th><th class=\"number\">Blocks</th><th class=\"number\">Error</th></tr></thead><tbody>");
  for (size_t i = from; i < to; ++i) PutJvmSite(*sites[i], largest, live, page);
  page.Markup("</tbody></table>");
}

// `live`: the sites have a figure for what was live (off-heap); a heap's call sites only for what they allocated.
void PutJvmSites(std::string_view heading, const std::vector<const ReportSite*>& sites, bool live, HtmlPage& page) {
  if (sites.empty()) return;
  uint64_t largest = 0;
  for (const ReportSite* site : sites) largest = std::max(largest, live ? BarValue(*site) : site->allocated_bytes);
  page.Element("h4", "jvm", heading);
  size_t shown = std::min(sites.size(), kJvmSitesShown);
  PutJvmTable(sites, 0, shown, largest, live, page);
  if (shown == sites.size()) return;
  page.Open("details", "more").Element("summary", "", fmt::format("{} more call sites", sites.size() - shown));
  PutJvmTable(sites, shown, sites.size(), largest, live, page);
  page.Close("details");
}

std::string_view OriginHeading(Origin origin) {
  switch (origin) {
    case Origin::kPython:
      return "Python";
    case Origin::kJvmHeap:
      return "JVM heap";
    case Origin::kJvmOffHeap:
      return "JVM off-heap";
    case Origin::kJvmNative:
      return "JVM native";
    case Origin::kUnknown:
      break;
  }
  return "unknown origin";
}

void PutTotals(const ReportSiteGroup& group, HtmlPage& page) {
  if (group.totals.empty()) return;
  page.Open("dl", "totals");
  for (const ReportOriginSum& total : group.totals) {
    page.Open("div").Element("dt", "", OriginHeading(total.origin)).Open("dd");
    if (total.live_at_peak_bytes) {
      PutBytes(total.live_at_peak_bytes, page);
      page.Markup(" <span class=\"soft\">at a task’s peak,</span> ");
    }
    PutBytes(total.allocated_bytes, page);
    page.Markup(" <span class=\"soft\">allocated</span>");
    if (const ReportOriginSum* rest = RemainderOf(group, total.origin)) {
      page.Markup("<span class=\"soft\">, ").Text(FormatBytes(rest->allocated_bytes)).Text(" of it in smaller sites").Markup("</span>");
    }
    page.Close("dd").Close("div");
  }
  page.Close("dl");
}

void PutSites(const ReportStage& stage, const ReportSiteGroup& group, HtmlPage& page) {
  StageDigest digest = DigestOf(stage, group.sites);
  PutPythonSites(digest.python, page);
  PutJvmSites("JVM off-heap", digest.off_heap, true, page);
  PutJvmSites("JVM heap", digest.heap, false, page);
}

void PutOtherAttempts(const ReportStage& stage, HtmlPage& page) {
  const ReportOtherAttempts& other = stage.other_attempts;
  if (other.tasks == 0) return;
  page.Open("details", "attempts").Open("summary");
  page.Text("Other attempts: " + OtherAttemptsPhrase(other))
      .Markup(" <span class=\"soft\">not in the figures above</span>")
      .Close("summary");
  if (!other.errors.empty()) {
    page.Open("ul", "errors");
    for (const ReportTaskError& error : other.errors) {
      page.Open("li").Element("span", "soft", FormatCount(error.tasks) + " × ").Element("code", "", error.message).Close("li");
    }
    page.Close("ul");
  }
  PutTotals(other, page);
  PutSites(stage, other, page);
  page.Close("details");
}

void PutStage(const ReportStage& stage, HtmlPage& page) {
  page.Open("article", "card").Open("header").Open("h3");
  page.Text(stage.attempt == 0 ? fmt::format("Stage {}", stage.stage_id)
                               : fmt::format("Stage {}, attempt {}", stage.stage_id, stage.attempt));
  page.Markup(" <span class=\"soft\">").Text(stage.name).Markup("</span>").Close("h3").Open("p", "use");
  page.Text(fmt::format("{} task{}", FormatCount(stage.tasks), stage.tasks == 1 ? "" : "s"));
  if (stage.profiled_tasks < stage.tasks)
    page.Markup(" · ").Element("span", "warm", fmt::format("{} with a profile", FormatCount(stage.profiled_tasks)));
  if (stage.partial_tasks != 0) page.Markup(" · ").Element("span", "warm", fmt::format("{} partial", FormatCount(stage.partial_tasks)));
  if (stage.submitted_ms && stage.completed_ms) page.Text(" · " + FormatDuration(*stage.completed_ms - *stage.submitted_ms));
  if (stage.status == "failed") page.Markup(" · ").Element("span", "hot", "failed");
  if (stage.status == "running") page.Text(" · running");
  page.Close("p").Close("header");
  if (!stage.failure_reason.empty())
    page.Open("p", "removed").Text(stage.failure_reason.substr(0, stage.failure_reason.find('\n'))).Close("p");
  PutTotals(stage, page);
  PutSites(stage, stage, page);
  PutOtherAttempts(stage, page);
  page.Close("article");
}

}  // namespace

void PutStagesSection(const Report& report, HtmlPage& page) {
  std::vector<const ReportStage*> stages = StagesByWeight(report);
  page.Open("section").Element("h2", "", "Stages");
  if (stages.empty()) page.Element("p", "note", "No task’s profile arrived.");
  for (const ReportStage* stage : stages) PutStage(*stage, page);
  if (stages.size() < report.stages.size()) {
    page.Element("p", "note",
                 fmt::format("{} without a profile: in report.json.",
                             report.stages.size() - stages.size() == 1 ? "1 stage"
                                                                       : fmt::format("{} stages", report.stages.size() - stages.size())));
  }
  page.Close("section");
}

}  // namespace memprof
