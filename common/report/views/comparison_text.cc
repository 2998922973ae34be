// The terminal's view of two reports.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "report/comparison.h"
#include "report/digest.h"
#include "report/file_titles.h"
#include "report/json.h"
#include "report/titles.h"
#include "report/units.h"
#include "report/views/text_page.h"
#include "report/views/views.h"

namespace memprof {
namespace {

constexpr size_t kLinesShown = 30;
constexpr size_t kSumName = 38, kChange = 12;

std::string Change(std::optional<int64_t> known) {
  if (!known) return "not measured";
  const int64_t bytes = *known;
  return bytes == 0 ? "unchanged" : (bytes > 0 ? "+" : "") + FormatSignedBytes(bytes);
}
Ink InkOf(int64_t change) { return change > 0 ? Ink::kWarm : Ink::kPlain; }

void PutApplication(const char* which, const ReportApplication& application, TextPage& page) {
  const std::string started = application.started_ms ? "  " + FormatTime(*application.started_ms) : "";
  page.Line(fmt::format("  {:<7} {}  {}{}", which, Printable(application.id), Printable(application.name), started));
}

void PutSum(const ComparedSum& sum, TextPage& page) {
  const auto figure = [&](const std::optional<uint64_t>& value) {
    return !value ? "not measured" : sum.is_bytes ? FormatBytes(*value) : FormatCount(*value);
  };
  std::string change;
  int64_t difference = 0;
  if (sum.before && sum.after) {
    difference = static_cast<int64_t>(*sum.after) - static_cast<int64_t>(*sum.before);
    if (sum.is_bytes) change = "  " + Change(difference);
  }
  page.Line("  " + Left(sum.name, kSumName) + " " + figure(sum.before) + " → " + figure(sum.after) + change, InkOf(difference));
}

// " ± 3.1 MiB"; nothing behind an exact figure.
std::string Error(const ComparedFigures& figures) { return figures.error_bytes == 0 ? "" : " " + ErrorPhrase(figures.error_bytes); }

std::string Live(const std::optional<ComparedFigures>& figures) {
  if (!figures) return "not listed";
  return FormatBytesOr(figures->live_at_peak_bytes) + (figures->live_at_peak_bytes ? Error(*figures) : "");
}

std::string Allocated(const std::optional<ComparedFigures>& figures) {
  if (!figures) return "not listed";
  return FormatBytes(figures->allocated_bytes) + (figures->live_at_peak_bytes ? "" : Error(*figures));
}

std::map<std::string, std::string> TitlesOf(const std::vector<ComparedLine>& lines) {
  std::set<std::string> files;
  for (const ComparedLine& line : lines) files.insert(line.file);
  return DistinctFileTitles(files);
}

// `title`: of its file.
void PutLine(const ComparedLine& line, const std::string& title, TextPage& page) {
  const uint32_t number = line.after ? line.after->line : line.before->line;
  const std::string place = line.file.empty() ? LinePlace(line.file, number) : TitledPlace(title, number);
  page.Line(fmt::format("  {}  {} → {}  {}  {}  {}", Right(Change(line.live_change()), kChange), Live(line.before), Live(line.after),
                        Printable(place), Printable(line.function), Printable(UdfHeading(line.udf, line.is_pysparks))),
            InkOf(line.live_change().value_or(0)));
  const std::string indent(kChange + 4, ' ');
  if (!line.source.empty()) page.Line(indent + "│ " + Printable(line.source));
  page.Line(indent + "allocated " + Allocated(line.before) + " → " + Allocated(line.after), Ink::kDim);
}

}  // namespace

Result<std::string> RenderComparison(std::string_view before_json, std::string_view after_json, const TextOptions& options) {
  const Result<Report> before = ReadReportJson(before_json), after = ReadReportJson(after_json);
  if (!before.ok()) return before.status();
  if (!after.ok()) return after.status();
  const Comparison comparison = Compare(*before, *after);
  TextPage page(options);
  page.Line("sparkmemprof: two runs compared", Ink::kBold);
  PutApplication("before", comparison.before, page);
  PutApplication("after", comparison.after, page);
  page.Blank();
  for (const ComparedSum& sum : comparison.sums) PutSum(sum, page);
  page.Blank();
  page.Line("Lines by how much more or less of them one task held at its peak", Ink::kBold);
  if (comparison.lines.empty()) page.Line("  none has changed", Ink::kDim);
  const size_t shown = std::min(comparison.lines.size(), kLinesShown);
  const std::map<std::string, std::string> titles = TitlesOf(comparison.lines);
  for (size_t i = 0; i < shown; ++i) PutLine(comparison.lines[i], titles.at(comparison.lines[i].file), page);
  if (shown < comparison.lines.size()) page.Line("  … " + Counted(comparison.lines.size() - shown, "more line"), Ink::kDim);
  return page.Text(options.max_lines);
}

}  // namespace memprof
