// The section on growth: lines that leave more behind with every task of a reused worker.
#include <algorithm>

#include "report/digest.h"
#include "report/html_parts.h"
#include "report/titles.h"
#include "report/units.h"

namespace memprof {
namespace {

constexpr size_t kLeaksShown = 20;

void PutLeak(const ReportLeak& leak, HtmlPage& page) {
  page.Open("tr").Open("td", "line").Open("div", "code");
  page.Element("span", "place strong", FramePlace({Language::kPython, "", leak.file, "", leak.line, "", std::nullopt}));
  page.Markup(" ").Element("span", "function", leak.function).Close("div");
  page.Open("div", "soft").Text(UdfHeading(leak.udf)).Close("div");
  page.Open("div", "warm").Text(LeakPhrase(leak) + LeakWorkersPhrase(leak)).Close("div").Close("td");
  PutFigureCell("a task", leak.largest.per_task_bytes, page);
  PutFigureCell("held", leak.live_bytes, page);
  page.Close("tr");
}

}  // namespace

void PutLeaksSection(const Report& report, HtmlPage& page) {
  if (report.leaks.empty()) return;
  page.Open("section").Element("h2", "", "Lines that leave more behind with every task");
  page.Markup(
      "<table class=\"sites\"><thead><tr><th>Line</th><th class=\"number\">A task</th><th class=\"number\">Held</th></tr></thead><tbody>");
  for (size_t i = 0; i < std::min(kLeaksShown, report.leaks.size()); ++i) PutLeak(report.leaks[i], page);
  page.Markup("</tbody></table>");
  if (report.leaks.size() > kLeaksShown) {
    page.Element("p", "note", FormatCount(report.leaks.size() - kLeaksShown) + " more: in report.json.");
  }
  page.Close("section");
}

}  // namespace memprof
