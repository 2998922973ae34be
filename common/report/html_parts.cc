#include "report/html_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/titles.h"
#include "report/units.h"
#include "report/words.h"

namespace memprof {

void PutBar(const std::vector<BarPart>& parts, double mark, std::string_view names, HtmlPage& page) {
  page.Markup("<svg class=\"bar ").Text(names).Markup("\" role=\"img\" aria-label=\"");
  for (const BarPart& part : parts) page.Text(part.title + " ");
  page.Markup("\"><rect class=\"track\" width=\"100%\" height=\"100%\"/>");
  for (const BarPart& part : parts) {
    double from = std::clamp(part.from, 0.0, 1.0), to = std::clamp(part.to, from, 1.0);
    if (to <= from) continue;
    page.Markup(fmt::format("<rect x=\"{:.2f}%\" width=\"{:.2f}%\" height=\"100%\" class=\"", 100 * from, 100 * (to - from)));
    page.Text(part.names).Markup("\"><title>").Text(part.title).Markup("</title></rect>");
  }
  if (mark >= 0) page.Markup(fmt::format("<rect class=\"mark\" x=\"{:.2f}%\" width=\"2\" height=\"100%\"/>", 99.8 * std::min(mark, 1.0)));
  page.Markup("</svg>");
}

void PutShare(uint64_t value, uint64_t whole, std::string_view names, HtmlPage& page) {
  double share = whole == 0 ? 0 : static_cast<double>(value) / static_cast<double>(whole);
  PutBar({{0, share, names, FormatPercent(static_cast<double>(value), static_cast<double>(whole))}}, -1, "thin", page);
}

void PutBytes(std::optional<uint64_t> bytes, HtmlPage& page) {
  if (!bytes) {
    page.Markup("<span class=\"none\" title=\"not measured\">–</span>");
    return;
  }
  std::string text = FormatBytes(*bytes);
  size_t blank = text.find(' ');
  page.Markup(fmt::format("<span class=\"figure\" title=\"{} bytes\">", FormatCount(*bytes)));
  page.Text(text.substr(0, blank)).Markup("<span class=\"unit\">&#8239;").Text(text.substr(blank + 1)).Markup("</span></span>");
}

void PutFigureCell(std::string_view label, std::optional<uint64_t> bytes, HtmlPage& page) {
  page.Markup("<td class=\"number\" data-label=\"").Text(label).Markup("\">");
  PutBytes(bytes, page);
  page.Close("td");
}

void PutFrames(const ReportSite& site, HtmlPage& page) {
  page.Open("ol");
  for (const ReportFrame& frame : site.frames) {
    page.Open("li", LanguageWord(frame.language));
    page.Element("span", "function", FrameTitle(frame)).Markup(" ").Element("span", "place", FramePlace(frame));
    page.Close("li");
  }
  page.Close("ol");
}

}  // namespace memprof
