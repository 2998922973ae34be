#include "eventlog/event_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "report/cut.h"
#include "report/fit_time_lines.h"
#include "report/json.h"
#include "report/many_deaths.h"
#include "report/packed_text.h"

namespace memprof {
namespace {

constexpr size_t kReadableBytes = 16 << 10;       // texts up to this size are not packed, so they can be read in the log
constexpr size_t kMostUnpackedBytes = 64u << 20;  // far more than any part; a bound because the text is not trusted
constexpr size_t kRecordBytes = 160;              // the event's own names
constexpr size_t kLeastLines = 20;                // lines are small, and readers look for them first
constexpr size_t kMostTasks = 400;                // of a stage's tasks, those that held most; a third of what a stage may take

// The text's length as a JSON string.
size_t EscapedBytes(std::string_view text) {
  size_t bytes = text.size();
  for (char letter : text) {
    if (letter == '"' || letter == '\\') {
      ++bytes;
    } else if (static_cast<unsigned char>(letter) < ' ') {
      bytes += 5;
    }
  }
  return bytes;
}

std::string TextOf(const Report& report) {
  std::string json = WriteReportJson(report, Words::kNone);
  json.pop_back();  // its line's end
  return EscapedBytes(json) + kRecordBytes <= kReadableBytes ? json : PackText(json);
}

// The part with one row of a report. `shrink(step)` makes the row smaller and returns how much it has cut so far; null: nothing is left
// to be cut.
template <typename Shrink>
std::optional<PartText> Fitted(Report& report, size_t bytes, Shrink shrink) {
  size_t cut = 0;
  for (size_t step = 0;; ++step) {
    std::string text = TextOf(report);
    if (RecordBytes(text) <= bytes) return PartText{std::move(text), cut};
    std::optional<size_t> gone = shrink(step);
    if (!gone) return std::nullopt;
    cut += *gone;
  }
}

// How many entries a list keeps at each step: half as many each time, and none at the last step.
std::optional<size_t> Kept(size_t first, size_t step) {
  if (step > 0 && first >> (step - 1) == 0) return std::nullopt;
  return first >> step;
}

}  // namespace

std::string PartId(const ReportStage& stage) { return fmt::format("{}.{}", stage.stage_id, stage.attempt); }

std::optional<PartText> StagePart(const ReportStage& stage, size_t bytes) {
  Report report;
  report.stages = {stage};
  ReportStage& row = report.stages[0];
  const auto keep_tasks = [&](size_t most) { row.task_rows.resize(std::min(row.task_rows.size(), most)); };
  keep_tasks(kMostTasks);
  constexpr size_t kFirst = 32;
  return Fitted(report, bytes, [&](size_t step) -> std::optional<size_t> {
    const std::optional<size_t> sites = Kept(kFirst, step);
    if (!sites && row.lines.empty() && row.other_attempts.lines.empty()) return std::nullopt;
    keep_tasks(kMostTasks >> (step + 1));
    const size_t lines = sites ? std::max(*sites, kLeastLines) : 0;
    return KeepHeaviest(sites.value_or(0), lines, row) + KeepHeaviest(sites.value_or(0) / 4, lines / 4, row.other_attempts);
  });
}

std::optional<PartText> ExecutorPart(const ReportExecutor& executor, size_t bytes, size_t samples) {
  Report report;
  report.executors = {executor};
  ReportExecutor& row = report.executors[0];
  if (row.time_line) FitTimeLine(samples, *row.time_line);
  // Of a running one, that is written again and again, room for later records is worth more than names.
  if (row.time_line && samples != SIZE_MAX) KeepLargestWorkers(kFewestWorkers, *row.time_line);
  constexpr size_t kFewestSamples = 40;
  for (size_t workers = TimeSample::kWorkers; row.time_line && workers > kFewestWorkers && RecordBytes(TextOf(report)) > bytes;) {
    workers = std::max(workers / 2, kFewestWorkers);
    KeepLargestWorkers(workers, *row.time_line);
  }
  while (row.time_line && row.time_line->samples.size() > kFewestSamples && RecordBytes(TextOf(report)) > bytes) {
    FitTimeLine(row.time_line->samples.size() / 2, *row.time_line);
  }
  const size_t first =
      std::max({row.processes.size(), row.at_peak ? row.at_peak->processes.size() : 0, row.retained ? row.retained->sites.size() : 0}) / 2;
  return Fitted(report, bytes, [&](size_t step) -> std::optional<size_t> {
    const std::optional<size_t> most = Kept(first, step);
    if (!most) return std::nullopt;
    const size_t had = row.processes.size();
    KeepLargest(*most, row.processes);
    if (row.at_peak) KeepLargest(*most, *row.at_peak);
    if (row.retained) KeepLargest(*most, *row.retained);
    if (row.nearly_full_heap) KeepLargest(*most, *row.nearly_full_heap);
    return had - row.processes.size();
  });
}

std::optional<PartText> PostMortemPart(const ReportPostMortem& death, size_t bytes) {
  Report report;
  report.post_mortems = {death};
  ReportPostMortem& row = report.post_mortems[0];
  const size_t first = std::max(row.sites.size(), row.processes.size()) / 2;
  return Fitted(report, bytes, [&](size_t step) -> std::optional<size_t> {
    const std::optional<size_t> most = Kept(first, step);
    if (!most) return std::nullopt;
    const size_t had = row.sites.size();
    row.sites.resize(std::min(row.sites.size(), *most));
    KeepLargest(*most, row.processes);
    if (row.retained) KeepLargest(*most, *row.retained);
    if (row.heap) KeepLargest(*most, *row.heap);
    return had - row.sites.size();
  });
}

std::optional<PartText> NoPostMortemPart(size_t bytes) {
  Report report;
  return Fitted(report, bytes, [](size_t) { return std::optional<size_t>(); });
}

std::optional<PartText> ApplicationPart(Report report, size_t bytes) {
  report.stages.clear();
  report.executors.clear();
  report.post_mortems.clear();
  const size_t first = std::max({report.leaks.size(), report.not_available.size(), report.counters.size(), report.findings.size(),
                                 report.other_deaths.size(), report.cached_data.size(), report.broadcasts.size(),
                                 report.driver ? report.driver->actions.size() : 0}) /
                       2;
  return Fitted(report, bytes, [&](size_t step) -> std::optional<size_t> {
    const std::optional<size_t> most = Kept(first, step);
    if (!most) return std::nullopt;
    size_t gone = 0;
    auto keep = [&](auto& list) {
      gone += list.size() - std::min(list.size(), *most);
      list.resize(std::min(list.size(), *most));
    };
    keep(report.leaks);
    keep(report.findings);
    const size_t deaths = report.other_deaths.size();
    keep(report.other_deaths);
    if (deaths != report.other_deaths.size()) CountDroppedDeaths(deaths - report.other_deaths.size(), report);
    keep(report.cached_data);
    keep(report.broadcasts);
    if (report.driver) KeepLargest(*most, *report.driver);
    keep(report.not_available);
    keep(report.counters);
    return gone;
  });
}

size_t RecordBytes(const std::string& text) { return kRecordBytes + EscapedBytes(text); }

std::optional<std::string> PartJson(std::string_view text) {
  if (text.starts_with('{')) return std::string(text);
  return UnpackText(text, kMostUnpackedBytes);
}

}  // namespace memprof
