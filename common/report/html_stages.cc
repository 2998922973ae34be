// The section on stages: UDF by UDF the lines that held memory, the native frames under them, and the JVM's call sites.
#include <fmt/format.h>

#include <algorithm>

#include "report/digest.h"
#include "report/html_parts.h"
#include "report/titles.h"
#include "report/units.h"

namespace memprof {
namespace {

constexpr size_t kLinesShown = 12, kPathsShown = 3, kStacksShown = 8, kJvmSitesShown = 6;

uint64_t Weight(std::optional<uint64_t> live) { return live.value_or(0); }

void PutErrorCell(const std::optional<uint64_t>& error_bytes, HtmlPage& page) {
  page.Markup("<td class=\"number error\" data-label=\"error\">").Text(ErrorPhrase(error_bytes)).Close("td");
}

// What lies between a line and its allocations: a path for each of its heaviest sites.
void PutPaths(const ReportLine& line, const ReportSiteGroup& group, uint64_t largest, HtmlPage& page) {
  std::vector<AllocationPath> paths = PathsOf(line, group);
  bool heavy = Weight(line.live_at_peak_bytes) >= largest / 10;
  size_t shown = std::min(paths.size(), heavy ? kPathsShown : 1);
  for (size_t i = 0; i < shown; ++i) {
    const AllocationPath& path = paths[i];
    if (path.text.empty()) continue;
    page.Open("div", path.native ? "under native" : "under").Element("span", "function", path.text);
    if (!path.place.empty()) page.Markup(" ").Element("span", "place", path.place);
    if (paths.size() > 1 && path.site->live_at_peak_bytes) {
      page.Markup(" <span class=\"share\">");
      PutBytes(path.site->live_at_peak_bytes, page);
      page.Close("span");
    }
    page.Close("div");
  }
}

void PutStacks(const ReportLine& line, const ReportSiteGroup& group, HtmlPage& page) {
  if (line.sites.empty()) return;
  size_t shown = std::min(line.sites.size(), kStacksShown);
  page.Open("details", "stack").Element("summary", "", shown == 1 ? "stack" : fmt::format("{} stacks", line.sites.size()));
  for (size_t i = 0; i < shown; ++i) {
    const ReportSite& site = group.sites[line.sites[i]];
    if (shown > 1) {
      page.Open("p", "note");
      PutBytes(site.live_at_peak_bytes, page);
      page.Text(" live at peak, ");
      PutBytes(site.allocated_bytes, page);
      page.Text(" allocated").Close("p");
    }
    PutFrames(site, page);
  }
  page.Close("details");
}

void PutLine(const ReportLine& line, const ReportSiteGroup& group, uint64_t largest, HtmlPage& page) {
  page.Open("tr").Open("td", "line").Open("div", "code");
  page.Element("span", "place strong", LinePlace(line)).Markup(" ").Element("span", "function", line.function);
  PutPaths(line, group, largest, page);
  const std::string left = LeftBehindPhrase(line);
  if (!left.empty()) page.Open("div", "under").Element("span", "warm", left).Close("div");
  page.Close("div");
  PutStacks(line, group, page);
  page.Close("td").Open("td", "graph");
  PutShare(Weight(line.live_at_peak_bytes), largest, "python", page);
  page.Close("td");
  PutFigureCell("live at peak", line.live_at_peak_bytes, page);
  PutFigureCell("resident", line.resident_at_peak_bytes, page);
  PutFigureCell("allocated", line.allocated_bytes, page);
  PutErrorCell(line.error_bytes, page);
  page.Close("tr");
}

using Lines = std::vector<const ReportLine*>;

void PutLineTable(const Lines& lines, size_t from, size_t to, const ReportSiteGroup& group, uint64_t largest, HtmlPage& page) {
  page.Markup(
      "<table class=\"sites\"><thead><tr><th>Line</th><th></th><th class=\"number\">Live at peak</th><th class=\"number\">Resident</th>"
      "<th class=\"number\">Allocated</th><th class=\"number\">Error</th></tr></thead><tbody>");
  for (size_t i = from; i < to; ++i) PutLine(*lines[i], group, largest, page);
  page.Markup("</tbody></table>");
}

void PutUdfHeading(const std::optional<ReportUdf>& udf, HtmlPage& page) {
  page.Open("h4", "udf");
  if (udf) {
    page.Element("code", "", udf->name);
    std::string place = FramePlace({Language::kPython, "", udf->file, "", udf->line, "", std::nullopt});
    if (!place.empty()) page.Markup(" <span class=\"soft code\">").Text(place).Markup("</span>");
    if (!udf->kind.empty()) page.Markup(" ").Element("span", "chip", udf->kind);
  } else {
    page.Text("Outside any UDF");
  }
  page.Close("h4");
}

// `lines` come grouped by UDF (digest.h).
void PutLines(const Lines& lines, const ReportSiteGroup& group, HtmlPage& page) {
  uint64_t largest = 0;
  for (const ReportLine* line : lines) largest = std::max(largest, Weight(line->live_at_peak_bytes));
  for (size_t begin = 0; begin < lines.size();) {
    size_t end = begin;
    while (end < lines.size() && lines[end]->udf == lines[begin]->udf) ++end;
    PutUdfHeading(lines[begin]->udf, page);
    size_t shown = begin + LinesWorthShowing(lines, begin, end, kLinesShown);
    PutLineTable(lines, begin, shown, group, largest, page);
    if (shown < end) {
      page.Open("details", "more").Element("summary", "", end - shown == 1 ? "1 more line" : fmt::format("{} more lines", end - shown));
      PutLineTable(lines, shown, end, group, largest, page);
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
    size_t below = static_cast<size_t>(lead - site.frames.data()) + 1;
    if (below < site.frames.size()) {
      page.Open("div", "under").Element("span", "function", FrameTitle(site.frames.back())).Close("div");
    }
  }
  page.Close("div");
  if (site.frames.size() > 1) {
    page.Open("details", "stack").Element("summary", "", "stack");
    PutFrames(site, page);
    page.Close("details");
  }
  page.Close("td").Open("td", "graph");
  PutShare(live ? Weight(site.live_at_peak_bytes) : site.allocated_bytes, largest, "jvm", page);
  page.Close("td");
  if (live) PutFigureCell("live at peak", site.live_at_peak_bytes, page);
  PutFigureCell("allocated", site.allocated_bytes, page);
  page.Markup("<td class=\"number soft\" data-label=\"blocks\">").Text(FormatCount(site.allocations)).Close("td");
  PutErrorCell(site.error_bytes, page);
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
  for (const ReportSite* site : sites) largest = std::max(largest, live ? Weight(site->live_at_peak_bytes) : site->allocated_bytes);
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

void PutSites(const ReportSiteGroup& group, HtmlPage& page) {
  GroupDigest digest = DigestOf(group);
  PutLines(digest.lines, group, page);
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
  PutSites(other, page);
  page.Close("details");
}

void PutStage(const ReportStage& stage, HtmlPage& page) {
  page.Open("article", "card").Open("header").Open("h3");
  page.Text(stage.attempt == 0 ? fmt::format("Stage {}", stage.stage_id)
                               : fmt::format("Stage {}, attempt {}", stage.stage_id, stage.attempt));
  std::string title = StageTitle(stage);
  if (!title.empty()) page.Text(" · " + title);
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
  PutSites(stage, page);
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
  if (const auto& other = report.other_stages) {
    uint64_t allocated = 0;
    for (const ReportOriginSum& sum : other->totals) allocated += sum.allocated_bytes;
    page.Element("p", "note",
                 fmt::format("Lighter stages without a row, of {} in all: {}. Their tasks: {}, which allocated {}.",
                             FormatCount(report.stages.size() + other->stages), FormatCount(other->stages), FormatCount(other->tasks),
                             FormatBytes(allocated)));
  }
  page.Close("section");
}

}  // namespace memprof
