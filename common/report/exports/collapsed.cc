// Collapsed stacks, one line for each: "stage;outermost;…;innermost bytes". flamegraph.pl, inferno and speedscope read them.
#include <fmt/format.h>

#include <algorithm>

#include "report/exports/exports.h"
#include "report/exports/stacks.h"
#include "report/json.h"

namespace memprof {
namespace {

// A semicolon ends a frame, a line feed a stack.
std::string Word(std::string text) {
  std::replace(text.begin(), text.end(), ';', ',');
  std::replace_if(
      text.begin(), text.end(), [](char byte) { return static_cast<unsigned char>(byte) < 0x20; }, ' ');
  return text;
}

}  // namespace

Result<std::string> RenderCollapsed(std::string_view report_json, Measure measure) {
  const Result<Report> report = ReadReportJson(report_json);
  if (!report.ok()) return report.status();
  std::string out;
  for (const ExportedStack& stack : StacksOf(*report)) {
    const uint64_t bytes = stack.Value(measure).value_or(0);
    if (bytes == 0) continue;
    out += Word(StageFrame(stack));
    if (stack.site == nullptr) out += ";" + RestFrame(stack.origin);
    if (stack.site != nullptr) {
      for (const ReportFrame& frame : stack.site->frames) out += ";" + Word(FrameWithPlace(frame));
    }
    out += fmt::format(" {}\n", bytes);
  }
  return out;
}

}  // namespace memprof
