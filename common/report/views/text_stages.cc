// Stages by what they held: lines of the user's code, sites of the JVM, Spark's memory.
#include <fmt/format.h>

#include <algorithm>

#include "report/consumer_words.h"
#include "report/digest.h"
#include "report/titles.h"
#include "report/units.h"
#include "report/views/text_sections.h"

namespace memprof {
namespace {

constexpr size_t kFrameIndent = 4 + 3 * (kFigureColumns + 1) + kFigureColumns + 3;  // native frames stand below their line's place

template <typename Row>
std::string ResidentText(const Row& row) {
  return (row.resident_in_part ? "≥ " : "") + FormatBytesOr(row.resident_at_peak_bytes);
}

template <typename Row>
std::string LaterText(const Row& row) {
  return row.resident_later_bytes ? FormatBytes(*row.resident_later_bytes) + " of resident first seen after the peak" : "";
}

// Figures in columns and where they are, or, on a narrow terminal, the place and then the figures.
template <typename Row>
void PutRow(const Row& row, const std::string& where, TextPage& page) {
  if (page.narrow()) {
    page.Line("      " + where);
    std::string figures;
    if (row.live_at_peak_bytes) figures += FormatBytes(*row.live_at_peak_bytes) + " live at peak, ";
    if (row.resident_at_peak_bytes) figures += ResidentText(row) + " resident, ";
    figures += FormatBytes(row.allocated_bytes) + " allocated, ";
    if (row.resident_later_bytes) figures += LaterText(row) + ", ";
    page.Wrapped(figures + ErrorPhrase(row.error_bytes), 8, Ink::kDim);
    return;
  }
  page.Line(fmt::format("    {} {} {}  {}  {}", Right(FormatBytesOr(row.live_at_peak_bytes), kFigureColumns),
                        Right(ResidentText(row), kFigureColumns), Right(FormatBytes(row.allocated_bytes), kFigureColumns),
                        Left(ErrorPhrase(row.error_bytes), kFigureColumns),
                        where + (row.resident_later_bytes ? "; " + LaterText(row) : "")));
}

void PutPaths(const ReportLine& line, const ReportSiteGroup& group, size_t most, TextPage& page) {
  std::string indent(page.narrow() ? 8 : kFrameIndent, ' ');
  std::vector<AllocationPath> paths = PathsOf(line, group);
  for (size_t i = 0; i < std::min(paths.size(), most); ++i) {
    const AllocationPath& path = paths[i];
    if (path.text.empty()) continue;
    std::string share = paths.size() > 1 && path.site->live_at_peak_bytes ? "  " + FormatBytes(*path.site->live_at_peak_bytes) : "";
    page.Line(indent + "└ " + Printable(path.text) + (path.place.empty() ? "" : "  " + Printable(path.place)) + share, Ink::kDim);
  }
}

// `lines` come grouped by UDF (digest.h).
void PutLines(const std::vector<const ReportLine*>& lines, const ReportSiteGroup& group, const TextDetail& detail, TextPage& page) {
  size_t left_out = 0;
  for (size_t begin = 0; begin < lines.size();) {
    size_t end = begin;
    while (end < lines.size() && lines[end]->udf == lines[begin]->udf) ++end;
    size_t shown = LinesWorthShowing(lines, begin, end, detail.lines);
    const std::optional<ReportUdf>& udf = lines[begin]->udf;
    const bool is_pysparks =
        std::all_of(lines.begin() + static_cast<ptrdiff_t>(begin), lines.begin() + static_cast<ptrdiff_t>(begin + shown),
                    [&](const ReportLine* line) { return IsPySparks(*line, group); });
    page.Line("    " + Printable(UdfHeading(udf, is_pysparks)) + (udf && !udf->kind.empty() ? "  " + Printable(udf->kind) : ""),
              Ink::kBold);
    for (size_t i = begin; i < begin + shown; ++i) {
      PutRow(*lines[i], Printable(LinePlace(lines[i]->file, lines[i]->line)) + "  " + Printable(lines[i]->function), page);
      const std::string indent(page.narrow() ? 8 : kFrameIndent, ' ');
      if (detail.paths != 0 && !lines[i]->source.empty()) page.Line(indent + "│ " + Printable(lines[i]->source));
      PutPaths(*lines[i], group, detail.paths, page);
      const std::string left = LeftBehindPhrase(*lines[i]);
      if (detail.paths != 0 && !left.empty()) page.Line(indent + left, Ink::kWarm);
    }
    left_out += end - begin - shown;
    begin = end;
  }
  if (left_out != 0) page.Line("    … " + Counted(left_out, "more line"), Ink::kDim);
}

void PutJvmSites(const char* heading, const std::vector<const ReportSite*>& sites, const TextDetail& detail, TextPage& page) {
  if (sites.empty() || detail.jvm_sites == 0) return;
  page.Line(std::string("    ") + heading, Ink::kBold);
  for (size_t i = 0; i < std::min(sites.size(), detail.jvm_sites); ++i) {
    const ReportFrame* lead = LeadOf(*sites[i]);
    PutRow(*sites[i], lead == nullptr ? "no frames" : Printable(FrameTitle(*lead)) + "  " + Printable(FramePlace(*lead)), page);
  }
  const bool brief = detail.processes == 0;
  if (!brief && sites.size() > detail.jvm_sites) {
    page.Line("    … " + Counted(sites.size() - detail.jvm_sites, "more call site"), Ink::kDim);
  }
}

void PutArrowPool(const ReportArrowPool& pool, TextPage& page) {
  if (pool.peak_bytes.value_or(0) == 0 && pool.end_bytes.value_or(0) == 0) return;
  std::string phrase = "    Arrow's memory pool: ";
  if (pool.peak_bytes) phrase += FormatBytes(*pool.peak_bytes) + " at a task's peak, ";
  page.Line(phrase + FormatBytesOr(pool.end_bytes) + " at a task's end", Ink::kDim);
}

constexpr size_t kConsumersShown = 4;

void PutSparkMemory(const ReportStageMemory& memory, TextPage& page) {
  std::string phrase;
  for (size_t i = 0; i < std::min(kConsumersShown, memory.consumers.size()); ++i) {
    const ReportMemoryConsumer& consumer = memory.consumers[i];
    phrase += fmt::format("{}{} {}{}", phrase.empty() ? "" : ", ", Printable(ConsumerTitle(consumer.name, consumer.operation)),
                          FormatBytes(consumer.peak_bytes), consumer.off_heap ? " off-heap" : "");
  }
  if (!phrase.empty()) page.Wrapped("Spark's execution memory, in one task: " + phrase, 4, Ink::kDim);
  if (memory.tasks_spilled == 0) return;
  page.Wrapped(fmt::format("Spilled in {}: {} of memory, {} on disk", Counted(memory.tasks_spilled, "task"),
                           FormatBytes(memory.spilled_memory_bytes.value_or(0)), FormatBytes(memory.spilled_disk_bytes.value_or(0))),
               4, Ink::kWarm);
}

// The JVM's memory by the part of Spark that it was for, whatever its origin.
void PutOperators(const std::vector<ReportOperator>& operators, TextPage& page) {
  constexpr size_t kMost = 4;
  if (operators.empty()) return;
  std::vector<std::pair<std::string_view, uint64_t>> sums;
  for (const ReportOperator& each : operators) {
    const auto known = std::find_if(sums.begin(), sums.end(), [&](const auto& sum) { return sum.first == each.name; });
    if (known == sums.end()) {
      sums.emplace_back(each.name, each.allocated_bytes);
    } else {
      known->second += each.allocated_bytes;
    }
  }
  std::stable_sort(sums.begin(), sums.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string phrase = "JVM allocated for ";
  for (size_t i = 0; i < std::min(sums.size(), kMost); ++i) {
    phrase += (i == 0 ? "" : ", ") + Printable(sums[i].first) + " " + FormatBytes(sums[i].second);
  }
  page.Wrapped(phrase, 4, Ink::kDim);
}

// On the short page, where they took a share that can be felt.
void PutCollections(const ReportStage& stage, const TextDetail& detail, TextPage& page) {
  if (!stage.gc_percent || (detail.processes == 0 && *stage.gc_percent < 1)) return;
  page.Line(fmt::format("    Garbage collection: {} of its tasks' time", FormatPercent(*stage.gc_percent, 100)), Ink::kDim);
}

void PutStage(const ReportStage& stage, const TextDetail& detail, TextPage& page) {
  std::string title = StageTitle(stage);
  std::string name = title.empty() ? "unnamed" : Printable(title);
  std::string attempt = stage.attempt == 0 ? "" : fmt::format(".{}", stage.attempt);
  page.Blank();
  const std::string which = stage.stage_id == kDriversPython ? "The driver's Python" : fmt::format("Stage {}{}", stage.stage_id, attempt);
  const std::string how_many = stage.stage_id == kDriversPython ? Counted(stage.tasks, "process", "es") : Counted(stage.tasks, "task");
  page.Line(fmt::format("  {} · {} · {}{}", which, name, how_many, stage.status == "complete" ? "" : " · " + Printable(stage.status)),
            Ink::kBold);
  GroupDigest digest = DigestOf(stage);
  if (!stage.sites.empty() && !page.narrow()) {
    page.Line(fmt::format("    {} {} {}", Right("live at peak", kFigureColumns), Right("resident", kFigureColumns),
                          Right("allocated", kFigureColumns)),
              Ink::kDim);
  }
  PutLines(digest.lines, stage, detail, page);
  PutArrowPool(stage.arrow_pool, page);
  PutSparkMemory(stage.memory, page);
  PutCollections(stage, detail, page);
  PutOperators(stage.operators, page);
  PutJvmSites("JVM heap", digest.heap, detail, page);
  PutJvmSites("JVM off-heap and native libraries", digest.off_heap, detail, page);
  const ReportOtherAttempts& other = stage.other_attempts;
  if (other.tasks == 0) return;
  page.Line(fmt::format("    Other attempts, not in these sums: {}", OtherAttemptsPhrase(other)), Ink::kWarm);
  for (const ReportTaskError& error : other.errors) {
    page.Line(fmt::format("      {} × {}", FormatCount(error.tasks), Printable(error.message)), Ink::kDim);
  }
  if (other.other_error_tasks) page.Line(fmt::format("      … {} × other errors", FormatCount(*other.other_error_tasks)), Ink::kDim);
  if (detail.processes != 0) PutLines(DigestOf(other).lines, other, kBrief, page);
}

}  // namespace

void PutStages(const Report& report, const TextDetail& detail, TextPage& page) {
  std::vector<const ReportStage*> stages = StagesByWeight(report);
  page.Blank();
  page.Line("Stages, by what a task held at its peak", Ink::kBold);
  if (stages.empty()) page.Line("  no profile arrived", Ink::kDim);
  for (size_t i = 0; i < std::min(detail.stages, stages.size()); ++i) PutStage(*stages[i], detail, page);
  size_t more = stages.size() - std::min(detail.stages, stages.size());
  if (report.other_stages) more += report.other_stages->stages;
  if (more != 0) page.Line("  … " + Counted(more, "more stage"), Ink::kDim);
}

}  // namespace memprof
