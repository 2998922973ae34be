// The section on deaths, first of all: who died, how that is known, what to change, who held what.
#include <fmt/format.h>

#include <algorithm>

#include "report/digest.h"
#include "report/html_parts.h"
#include "report/titles.h"
#include "report/units.h"

namespace memprof {
namespace {

constexpr size_t kSitesShown = 8, kOpenDeaths = 10;

void PutAdvice(const ReportPostMortem& death, HtmlPage& page) {
  if (death.advice.empty()) return;
  page.Element("h4", "", "What to change").Open("ul", "advice");
  for (const ReportAdvice& piece : death.advice) {
    page.Open("li");
    if (!piece.conf.empty()) {
      page.Element("code", "strong", piece.conf).Markup(" ");
      if (!piece.to.empty()) page.Element("code", "", (piece.from.empty() ? "not set" : piece.from) + " → " + piece.to);
      page.Markup("<br>");
    }
    page.Element("span", "soft", piece.because).Close("li");
  }
  page.Close("ul");
}

void PutSite(const ReportSite& site, uint64_t largest, HtmlPage& page) {
  bool python = site.origin == Origin::kPython;
  const ReportFrame* lead = python ? LeadLineOf(site) : LeadFrame(site);
  page.Open("tr").Open("td", "line").Open("div", "code");
  if (lead == nullptr) {
    page.Element("span", "function", site.frames.empty() ? "no frames" : FrameTitle(site.frames.back()));
  } else {
    page.Element("span", "place strong", FramePlace(*lead)).Markup(" ").Element("span", "function", FrameTitle(*lead));
    if (lead != &site.frames.back()) {
      const ReportFrame& last = site.frames.back();
      page.Open("div", last.language == Language::kNative ? "under native" : "under").Element("span", "function", FrameTitle(last));
      page.Markup(" ").Element("span", "place", FramePlace(last)).Close("div");
    }
  }
  std::string whose = site.stage_id ? fmt::format("stage {}", *site.stage_id) : "";
  if (site.udf) whose += (whose.empty() ? "" : ", ") + UdfTitle(*site.udf);
  page.Close("div").Element("div", "soft", whose);
  if (site.frames.size() > 1) {
    page.Open("details", "stack").Element("summary", "", "stack");
    PutFrames(site, page);
    page.Close("details");
  }
  page.Close("td").Open("td", "graph");
  PutShare(site.live_at_peak_bytes.value_or(0), largest, python ? "python" : "jvm", page);
  page.Close("td");
  PutFigureCell("held", site.live_at_peak_bytes, page);
  PutFigureCell("resident", site.resident_at_peak_bytes, page);
  PutFigureCell("allocated", site.allocated_bytes, page);
  page.Markup("<td class=\"number error\" data-label=\"error\">").Text(ErrorPhrase(site.error_bytes)).Close("td").Close("tr");
}

void PutSiteTable(const std::vector<ReportSite>& sites, size_t from, size_t to, HtmlPage& page) {
  uint64_t largest = 0;
  for (const ReportSite& site : sites) largest = std::max(largest, site.live_at_peak_bytes.value_or(0));
  page.Markup(
      "<table class=\"sites\"><thead><tr><th>Line or call site</th><th></th><th class=\"number\">Held</th><th "
      "class=\"number\">Resident</th>"
      "<th class=\"number\">Allocated</th><th class=\"number\">Error</th></tr></thead><tbody>");
  for (size_t i = from; i < to; ++i) PutSite(sites[i], largest, page);
  page.Markup("</tbody></table>");
}

void PutSites(const ReportPostMortem& death, HtmlPage& page) {
  page.Element("h4", "", "Held at the last sample");
  if (death.sites.empty()) {
    page.Element("p", "note", "No task’s profile had arrived.");
    return;
  }
  size_t shown = std::min(death.sites.size(), kSitesShown);
  PutSiteTable(death.sites, 0, shown, page);
  if (shown == death.sites.size()) return;
  page.Open("details", "more").Element("summary", "", fmt::format("{} more", death.sites.size() - shown));
  PutSiteTable(death.sites, shown, death.sites.size(), page);
  page.Close("details");
}

// Process after process against the limit, as at the last sample.
void PutProcesses(const ReportPostMortem& death, HtmlPage& page) {
  if (death.processes.empty()) return;
  double limit = static_cast<double>(death.limit_bytes.value_or(0)), used = static_cast<double>(death.used_bytes.value_or(0)), sum = 0;
  for (const ReportProcess& process : death.processes) sum += static_cast<double>(process.peak_rss_bytes);
  double whole = std::max({limit, used, sum, 1.0}), at = 0;
  std::vector<BarPart> parts;
  std::string words;
  for (size_t i = 0; i < death.processes.size(); ++i) {
    const ReportProcess& process = death.processes[i];
    double end = at + static_cast<double>(process.peak_rss_bytes) / whole;
    std::string title = fmt::format("{} {}: {}", process.kind, process.pid, FormatBytes(process.peak_rss_bytes));
    parts.push_back({at, end, process.kind == "jvm" ? "jvm" : i % 2 == 0 ? "python" : "python alternate", title});
    words += (words.empty() ? "" : " · ") + title;
    at = end;
  }
  page.Element("h4", "", "Processes at the last sample");
  PutBar(parts, limit > 0 && limit < whole ? limit / whole : -1, "tall", page);
  page.Element("p", "note", words);
}

void PutPostMortem(const ReportPostMortem& death, bool open, HtmlPage& page) {
  page.Open("article", "card death").Open("header").Open("h3").Element("span", death.out_of_memory ? "hot" : "warm", death.headline);
  page.Close("h3").Close("header");
  page.Open("p", "use").Text("How this is known: " + death.how + ".");
  if (death.last_sample_age_ms) page.Text(" Last sample " + FormatDuration(*death.last_sample_age_ms) + " before.");
  page.Close("p");
  if (!death.reason.empty()) page.Open("p", "note").Text("Spark says: " + death.reason).Close("p");
  PutAdvice(death, page);
  page.Markup(open ? "<details open>" : "<details>").Element("summary", "", "Who held what");
  PutSites(death, page);
  PutProcesses(death, page);
  page.Close("details").Close("article");
}

}  // namespace

void PutPostMortemsSection(const Report& report, HtmlPage& page) {
  if (report.post_mortems.empty()) return;
  page.Open("section", "deaths").Element("h2", "", report.post_mortems.size() == 1 ? "Post-mortem" : "Post-mortems");
  for (size_t i = 0; i < report.post_mortems.size(); ++i) PutPostMortem(report.post_mortems[i], i < kOpenDeaths, page);
  page.Close("section");
}

}  // namespace memprof
