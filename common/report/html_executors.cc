// The section on executors: each against its limit, its budget region by region, its processes row by row.
#include <fmt/format.h>

#include <algorithm>

#include "report/digest.h"
#include "report/html_parts.h"
#include "report/units.h"

namespace memprof {
namespace {

constexpr size_t kOpenExecutors = 2;
constexpr size_t kProcessesShown = 16;

std::string_view ProcessClass(const ReportProcess& process, size_t index) {
  if (process.kind == "jvm") return "jvm";
  if (process.kind.starts_with("python")) return index % 2 == 0 ? "python" : "python alternate";
  return "other";
}

// What was in use at the peak, process after process, against the limit.
void PutPeakBar(const ReportExecutor& executor, HtmlPage& page) {
  const ReportMoment& peak = *executor.at_peak;
  auto limit = static_cast<double>(executor.limit_bytes.value_or(0));
  auto used = static_cast<double>(peak.used_bytes);
  double whole = std::max({limit, used, 1.0});
  std::vector<BarPart> parts;
  double at = 0;
  for (size_t i = 0; i < peak.processes.size(); ++i) {
    const ReportProcess& process = peak.processes[i];
    double end = at + static_cast<double>(process.peak_rss_bytes) / whole;
    parts.push_back(
        {at, end, ProcessClass(process, i), fmt::format("{} {}: {}", process.kind, process.pid, FormatBytes(process.peak_rss_bytes))});
    at = end;
  }
  if (used / whole > at) {
    parts.push_back({at, used / whole, "other", fmt::format("unattributed: {}", FormatSignedBytes(peak.unattributed_bytes))});
  }
  PutBar(parts, limit > 0 && limit < whole ? limit / whole : -1, "tall", page);
}

void PutUse(const ReportExecutor& executor, HtmlPage& page) {
  page.Open("p", "use");
  if (executor.at_peak && executor.limit_bytes) {
    auto used = static_cast<double>(executor.at_peak->used_bytes);
    auto limit = static_cast<double>(*executor.limit_bytes);
    bool kills = executor.limit_enforced && used >= 0.97 * limit;
    const char* names = kills ? "percent hot" : used >= 0.85 * limit ? "percent warm" : "percent";
    page.Element("strong", names, FormatPercent(used, limit)).Markup(" ");
    PutBytes(executor.at_peak->used_bytes, page);
    page.Text(" at the peak of ");
  } else {
    page.Text("peak not measured; limit ");
  }
  PutBytes(executor.limit_bytes, page);
  std::string phrase = LimitPhrase(executor);
  if (!phrase.empty()) page.Markup(" <span class=\"soft\">").Text(phrase).Markup("</span>");
  page.Close("p");
}

void PutRegions(const ReportExecutor& executor, HtmlPage& page) {
  page.Open("div").Element("h4", "", "Budget by region");
  page.Markup(
      "<table class=\"regions\"><thead><tr><th>Region</th><th></th><th class=\"number\">Peak</th><th "
      "class=\"number\">Budget</th></tr></thead><tbody>");
  for (const ReportRegion& region : executor.regions) {
    if (region.budget_bytes.value_or(0) == 0 && region.peak_bytes.value_or(0) == 0) continue;
    page.Open("tr").Element("td", "name", region.name).Open("td", "graph");
    bool over = region.peak_bytes && region.budget_bytes && *region.peak_bytes > *region.budget_bytes;
    if (region.peak_bytes) {
      PutShare(*region.peak_bytes, std::max(region.budget_bytes.value_or(0), *region.peak_bytes),
               !over                     ? "fill"
               : executor.limit_enforced ? "over"
                                         : "beyond",
               page);
    }
    page.Close("td");
    PutFigureCell("peak", region.peak_bytes, page);
    if (region.budget_bytes == std::optional<uint64_t>(0)) {
      page.Markup("<td class=\"number soft\" data-label=\"budget\">none</td>");
    } else {
      PutFigureCell("budget", region.budget_bytes, page);
    }
    page.Close("tr");
  }
  page.Markup("</tbody></table>");
  if (executor.requested_bytes) {
    page.Open("p", "note").Text("Requested in all: " + FormatBytes(*executor.requested_bytes) + ".");
    if (executor.heap_max_bytes) page.Text(" Heap: " + FormatBytes(*executor.heap_max_bytes) + " at most");
    if (executor.heap_max_bytes && executor.heap_used_peak_bytes) {
      page.Text(", " + FormatBytes(*executor.heap_used_peak_bytes) + " used at its peak");
    }
    if (executor.heap_max_bytes) page.Text(".");
    page.Close("p");
  }
  page.Close("div");
}

// The first ones, which are the largest where there are many, and the rest as one.
std::vector<ReportRow> RowsShown(const std::vector<ReportRow>& rows) {
  constexpr size_t kMost = 10;
  if (rows.size() <= kMost) return rows;
  std::vector<ReportRow> shown(rows.begin(), rows.begin() + kMost);
  uint64_t rest = 0;
  for (size_t i = kMost; i < rows.size(); ++i) rest += rows[i].bytes;
  shown.push_back({fmt::format("{} other rows", rows.size() - kMost), rest});
  return shown;
}

void PutProcess(const ReportProcess& process, uint64_t largest, HtmlPage& page) {
  static constexpr std::string_view kShades[] = {"row0", "row1", "row2", "row3"};
  page.Open("tr").Open("td", "name").Text(process.kind).Markup(" <span class=\"soft\">");
  page.Text(std::to_string(process.pid)).Markup("</span></td>").Open("td", "graph");
  std::vector<BarPart> parts;
  double whole = std::max(1.0, static_cast<double>(largest)), at = 0;
  const std::vector<ReportRow> rows = RowsShown(process.rows);
  for (size_t i = 0; i < rows.size(); ++i) {
    double end = at + static_cast<double>(rows[i].bytes) / whole;
    parts.push_back({at, end, kShades[i % 4], rows[i].name + ": " + FormatBytes(rows[i].bytes)});
    at = end;
  }
  double end = static_cast<double>(process.peak_rss_bytes) / whole;
  if (end > at) parts.push_back({at, end, "other", "unattributed: " + FormatSignedBytes(process.unattributed_bytes)});
  PutBar(parts, -1, "thin", page);
  page.Close("td");
  PutFigureCell("peak RSS", process.peak_rss_bytes, page);
  page.Close("tr");
  if (rows.empty()) return;
  page.Markup("<tr class=\"rows\"><td colspan=\"3\">");
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].bytes == 0) continue;
    page.Markup(fmt::format("<span class=\"key\"><i class=\"dot {}\"></i>", kShades[i % 4])).Text(rows[i].name + " ");
    PutBytes(rows[i].bytes, page);
    page.Markup("</span>");
  }
  page.Markup("<span class=\"key\"><i class=\"dot other\"></i>unattributed ").Text(FormatSignedBytes(process.unattributed_bytes));
  page.Markup("</span></td></tr>");
}

void PutProcesses(const ReportExecutor& executor, HtmlPage& page) {
  page.Open("div").Element("h4", "", "Processes, each at its own peak");
  if (executor.processes.empty()) {
    page.Element("p", "note", "None was measured.").Close("div");
    return;
  }
  uint64_t largest = 0;
  for (const ReportProcess& process : executor.processes) largest = std::max(largest, process.peak_rss_bytes);
  page.Markup("<table class=\"processes\"><thead><tr><th>Process</th><th></th><th class=\"number\">Peak RSS</th></tr></thead><tbody>");
  for (size_t i = 0; i < std::min(kProcessesShown, executor.processes.size()); ++i) PutProcess(executor.processes[i], largest, page);
  page.Markup("</tbody></table>");
  if (executor.processes.size() > kProcessesShown) {
    page.Element("p", "note", fmt::format("{} smaller processes are in report.json.", executor.processes.size() - kProcessesShown));
  }
  page.Close("div");
}

void PutExecutor(const ReportExecutor& executor, bool open, HtmlPage& page) {
  page.Open("article", "card").Open("header");
  page.Open("h3").Text(executor.id == "driver" ? "Driver" : "Executor " + executor.id);
  if (!executor.host.empty()) page.Markup(" <span class=\"soft\">").Text(executor.host).Markup("</span>");
  page.Close("h3");
  PutUse(executor, page);
  page.Close("header");
  if (executor.at_peak) PutPeakBar(executor, page);
  if (!executor.removed_reason.empty()) page.Open("p", "removed").Text("Removed: " + executor.removed_reason).Close("p");
  page.Markup(open ? "<details open>" : "<details>").Element("summary", "", "Regions and processes").Open("div", "columns");
  PutRegions(executor, page);
  PutProcesses(executor, page);
  page.Close("div").Close("details").Close("article");
}

}  // namespace

void PutExecutorsSection(const Report& report, HtmlPage& page) {
  std::vector<const ReportExecutor*> executors = ExecutorsByUse(report);
  page.Open("section").Element("h2", "", "Executors");
  if (executors.empty()) page.Element("p", "note", "No executor was seen.");
  if (!executors.empty()) {
    page.Markup(
        "<p class=\"legend\"><span class=\"key\"><i class=\"dot jvm\"></i>JVM</span><span class=\"key\"><i class=\"dot python\"></i>"
        "Python</span><span class=\"key\"><i class=\"dot other\"></i>unattributed</span><span class=\"key\"><i class=\"tick\"></i>"
        "limit</span></p>");
  }
  for (size_t i = 0; i < executors.size(); ++i) PutExecutor(*executors[i], i < kOpenExecutors, page);
  if (const auto& other = report.other_executors) {
    std::string use = other->largest_used_bytes ? ", which used " + FormatBytes(*other->largest_used_bytes) + " at most" : "";
    page.Element("p", "note", fmt::format("Executors without a row: {}{}.", FormatCount(other->executors), use));
  }
  page.Close("section");
}

}  // namespace memprof
