// Parts that several sections of the HTML view share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/html_page.h"
#include "report/model.h"

namespace memprof {

struct BarPart {
  double from = 0, to = 0;  // shares of the whole bar, 0 to 1
  std::string_view names;   // CSS classes
  std::string title;        // what a pointer over it reads; also read aloud
};

// A horizontal bar as SVG: nothing in it needs a script or an inline style. `mark` draws a line at that share (< 0: none).
void PutBar(const std::vector<BarPart>& parts, double mark, std::string_view names, HtmlPage& page);

// A bar of one part, `value` of `whole`.
void PutShare(uint64_t value, uint64_t whole, std::string_view names, HtmlPage& page);

// "381.5" and its unit a little lighter; a dash where not measured.
void PutBytes(std::optional<uint64_t> bytes, HtmlPage& page);

// A table cell with a figure; on a phone its label stands before it.
void PutFigureCell(std::string_view label, std::optional<uint64_t> bytes, HtmlPage& page);

// All frames of a site, outermost first.
void PutFrames(const ReportSite& site, HtmlPage& page);

// Sections.
void PutPostMortemsSection(const Report& report, HtmlPage& page);
void PutLeaksSection(const Report& report, HtmlPage& page);
void PutExecutorsSection(const Report& report, HtmlPage& page);
void PutStagesSection(const Report& report, HtmlPage& page);

}  // namespace memprof
