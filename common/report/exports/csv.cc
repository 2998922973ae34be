// A table (RFC 4180, with a header) of every site of every stage, and of the remainders; last all stages without a row of the report,
// which have no id. An empty field: not measured.
#include <fmt/format.h>

#include "report/exports/exports.h"
#include "report/exports/stacks.h"
#include "report/json.h"
#include "report/titles.h"
#include "report/words.h"

namespace memprof {
namespace {

constexpr const char* kHeader =
    "stageId,attempt,stage,origin,udf,udfKind,function,file,line,tasks,allocatedBytes,allocations,liveAtPeakBytes,"
    "residentAtPeakBytes,residentInPart,sampled,errorBytes,stack,residentLaterBytes,stageGcPercent\r\n";

// Always quoted: a field may hold anything. One that a spreadsheet would take for a formula is given a leading apostrophe.
std::string Field(std::string_view text) {
  std::string quoted = "\"";
  if (!text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos) quoted += '\'';
  for (char byte : text) {
    if (byte == '"') quoted += '"';
    quoted += byte;
  }
  return quoted + '"';
}

std::string Number(const std::optional<uint64_t>& number) { return number ? std::to_string(*number) : ""; }

const char* TrueOrFalse(bool flag) { return flag ? "true" : "false"; }

// Where the user's code is: the innermost Python frame, or the one that a JVM site is known by.
const ReportFrame* UsersFrame(const ReportSite& site) {
  for (auto frame = site.frames.rbegin(); frame != site.frames.rend(); ++frame) {
    if (frame->language == Language::kPython) return &*frame;
  }
  return LeadFrame(site.frames);
}

}  // namespace

Result<std::string> RenderCsv(std::string_view report_json) {
  const Result<Report> report = ReadReportJson(report_json);
  if (!report.ok()) return report.status();
  std::string out = kHeader;
  for (const ExportedStack& row : StacksOf(*report)) {
    const ReportSite* site = row.site;
    const ReportFrame* frame = site == nullptr ? nullptr : UsersFrame(*site);
    std::string stack = site == nullptr ? RestFrame(row.origin) : "";
    if (site != nullptr) {
      for (const ReportFrame& one : site->frames) stack += (stack.empty() ? "" : " > ") + FrameWithPlace(one);
    }
    out += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\r\n", row.stage == nullptr ? "" : std::to_string(row.stage->stage_id),
        row.stage == nullptr ? "" : std::to_string(row.stage->attempt), Field(row.stage == nullptr ? StageFrame(row) : row.stage->name),
        OriginWord(row.origin), Field(site != nullptr && site->udf ? site->udf->name : ""),
        Field(site != nullptr && site->udf ? site->udf->kind : ""), Field(frame == nullptr ? "" : FrameTitle(*frame)),
        Field(frame == nullptr ? "" : frame->file), frame == nullptr || frame->line == 0 ? "" : std::to_string(frame->line),
        site == nullptr ? "" : std::to_string(site->tasks), row.allocated_bytes, row.allocations, Number(row.live_at_peak_bytes),
        Number(row.resident_at_peak_bytes), site == nullptr ? "" : TrueOrFalse(site->resident_in_part),
        site == nullptr ? "" : TrueOrFalse(site->sampled), site == nullptr ? "" : Number(site->error_bytes), Field(stack),
        site == nullptr ? "" : Number(site->resident_later_bytes),
        row.stage == nullptr || !row.stage->gc_percent ? "" : fmt::format("{:.2f}", *row.stage->gc_percent));
  }
  return out;
}

}  // namespace memprof
