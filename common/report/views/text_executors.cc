// Containers against their limits, closest first.
#include <fmt/format.h>

#include <algorithm>

#include "report/digest.h"
#include "report/titles.h"
#include "report/units.h"
#include "report/verdict.h"
#include "report/views/text_sections.h"

namespace memprof {
namespace {

constexpr size_t kRowsShown = 6;  // of a process; Python's have some twenty

std::string BaselinePhrase(const ReportBaseline& baseline) {
  std::string phrase;
  if (baseline.first_task_rss_bytes) phrase = FormatBytes(*baseline.first_task_rss_bytes) + " when its first task began; ";
  phrase += "imported:";
  for (size_t i = 0; i < std::min<size_t>(4, baseline.modules.size()); ++i) {
    phrase += fmt::format("{} {} {}", i == 0 ? "" : ",", Printable(baseline.modules[i].name), FormatBytes(baseline.modules[i].live_bytes));
  }
  return phrase;
}

void PutProcesses(const ReportExecutor& executor, size_t shown, TextPage& page) {
  for (size_t i = 0; i < std::min(shown, executor.processes.size()); ++i) {
    const ReportProcess& process = executor.processes[i];
    std::string line =
        fmt::format("    {} {}", Right(FormatBytes(process.peak_rss_bytes), kFigureColumns), Left(Printable(ProcessTitle(process)), 22));
    std::string parts;
    uint64_t others = 0, others_bytes = 0;
    for (size_t row = 0; row < process.rows.size(); ++row) {
      const ReportNamedBytes& measured = process.rows[row];
      if (measured.bytes == 0) continue;
      if (row < kRowsShown) {
        parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", Printable(measured.name), FormatBytes(measured.bytes));
      } else {
        ++others;
        others_bytes += measured.bytes;
      }
    }
    if (others != 0) parts += fmt::format(", {} {}", Counted(others, "other row", "s"), FormatBytes(others_bytes));
    // It comes first, because a line that is too long loses its end.
    if (!parts.empty()) parts = fmt::format("unattributed {}; {}", FormatSignedBytes(process.unattributed_bytes), parts);
    page.Line(line + "  " + parts, Ink::kDim);
    if (process.baseline && !process.baseline->modules.empty()) {
      page.Line(std::string(5 + kFigureColumns, ' ') + BaselinePhrase(*process.baseline), Ink::kDim);
    }
  }
  if (shown != 0 && executor.processes.size() > shown) {
    page.Line(std::string(5 + kFigureColumns, ' ') + Counted(executor.processes.size() - shown, "more process", "es"), Ink::kDim);
  }
}

// Shows only a mode that was used: most executors have no off-heap memory.
void PutSparkPools(const ReportExecutor& executor, TextPage& page) {
  for (const ReportSparkPool& pool : executor.spark_pools) {
    if (pool.storage_peak_bytes == 0 && pool.execution_peak_bytes == 0) continue;
    std::string phrase = fmt::format("Spark's {} memory, {}: storage {} at its peak", pool.last.off_heap ? "off-heap" : "on-heap",
                                     FormatBytes(pool.last.max_bytes), FormatBytes(pool.storage_peak_bytes));
    if (pool.unevictable_peak_bytes) phrase += fmt::format(" ({} unevictable)", FormatBytes(*pool.unevictable_peak_bytes));
    phrase += fmt::format(", execution {}", FormatBytes(pool.execution_peak_bytes));
    if (pool.execution_borrowed_peak_bytes.value_or(0) != 0) {
      phrase += fmt::format(" ({} borrowed from storage)", FormatBytes(*pool.execution_borrowed_peak_bytes));
    }
    page.Wrapped(phrase, 4, Ink::kDim);
  }
  if (executor.unroll_peak_bytes.value_or(0) == 0) return;
  page.Line(fmt::format("    Of storage, unrolling blocks: {} at its peak", FormatBytes(*executor.unroll_peak_bytes)), Ink::kDim);
}

void PutNearlyFull(const ReportExecutor& executor, size_t shown, TextPage& page) {
  if (!executor.nearly_full_heap || shown == 0) return;
  page.Wrapped("Nearly full after three collections, by class: " + Printable(HeapClassesPhrase(*executor.nearly_full_heap, shown)), 4,
               Ink::kDim, 3);
}

// A call site with its bytes, of a kind that has an error, and a stage or a thread that made them.
void PutMade(uint64_t bytes, const auto& site, TextPage& page) {
  page.Line(fmt::format("    {} {}  {}", Right(FormatBytes(bytes), kFigureColumns), Left(ErrorPhrase(site.error_bytes), kFigureColumns),
                        Printable(MadePhrase(site.frames, site.stage_id, site.thread))));
}

// The sites that are not shown, and what they come to with those that have no row.
void PutOtherSites(uint64_t bytes, const auto& sites, size_t shown, auto bytes_of, TextPage& page) {
  for (size_t i = shown; i < sites.size(); ++i) bytes += bytes_of(sites[i]);
  if (bytes != 0) page.Line(fmt::format("    {}  other sites", Right(FormatBytes(bytes), kFigureColumns)), Ink::kDim);
}

void PutRetained(const ReportExecutor& executor, size_t shown, TextPage& page) {
  if (!executor.retained || shown == 0) return;
  const ReportRetained& retained = *executor.retained;
  page.Line("    Retained by the heap: " + Printable(RetainedPhrase(retained)), Ink::kDim);
  for (size_t i = 0; i < std::min(shown, retained.sites.size()); ++i) {
    PutMade(retained.sites[i].retained_bytes, retained.sites[i], page);
  }
  PutOtherSites(
      retained.other_bytes, retained.sites, shown, [](const ReportRetainedSite& site) { return site.retained_bytes; }, page);
}

void PutLeft(const char* what, const std::optional<ReportLeftMemory>& held, size_t shown, TextPage& page) {
  if (!held || shown == 0) return;
  const ReportLeftMemory& left = *held;
  page.Line(fmt::format("    {} of no running task: {} when it was most", what, FormatBytes(left.total_bytes)), Ink::kDim);
  for (size_t i = 0; i < std::min(shown, left.sites.size()); ++i) PutMade(left.sites[i].bytes, left.sites[i], page);
  PutOtherSites(
      left.other_bytes, left.sites, shown, [](const ReportLeftSite& site) { return site.bytes; }, page);
}

std::string OfItsTime(const std::optional<double>& percent) { return percent ? ", " + FormatPercent(*percent, 100) + " of its time" : ""; }

void PutCollectors(const ReportExecutor& executor, TextPage& page) {
  std::string parts;
  for (const ReportCollector& collector : executor.gc) {
    parts += fmt::format("{}{} × {}, {} in all{}, longest {}", parts.empty() ? "" : "; ", FormatCount(collector.collections),
                         collector.collector, FormatDuration(static_cast<int64_t>(collector.total_ms)), OfItsTime(collector.percent),
                         FormatDuration(static_cast<int64_t>(collector.longest_ms)));
  }
  if (parts.empty()) return;
  std::string stopped;
  if (executor.gc_stopped_ms) {
    stopped = fmt::format("stood still for {}{}; ", FormatDuration(static_cast<int64_t>(*executor.gc_stopped_ms)),
                          OfItsTime(executor.gc_percent));
  }
  page.Wrapped("Garbage collection: " + stopped + Printable(parts), 4, Ink::kDim, 3);
}

void PutExecutor(const ReportExecutor& executor, const TextDetail& detail, TextPage& page) {
  std::string name = Left(Printable(executor.id), 8);
  Ink ink = Ink::kPlain;
  std::string line;
  const double share = UseOf(executor);
  if (share >= 0) {
    const Tone tone = ToneOf(executor);
    ink = tone == Tone::kBad ? Ink::kHot : tone == Tone::kWarn ? Ink::kWarm : Ink::kPlain;
    size_t bar = page.narrow() ? 10 : 24;
    line = fmt::format("  {} {} {} peak {} of {}, {}", name, Bar(share, bar), Right(FormatPercent(share, 1), 5),
                       FormatBytes(executor.at_peak->used_bytes), FormatBytes(*executor.limit_bytes), LimitPhrase(executor));
  } else {
    line = fmt::format("  {} peak not measured; limit {}, {}", name, FormatBytesOr(executor.limit_bytes), LimitPhrase(executor));
  }
  if (!executor.host.empty()) line += " · " + Printable(executor.host);
  page.Line(line, ink);
  if (executor.swap && executor.swap->peak_bytes != 0)
    page.Line(fmt::format("    in swap at the most, and in no figure of use: {}", FormatBytes(executor.swap->peak_bytes)), Ink::kWarm);
  if (!executor.removed_reason.empty()) page.Line("    removed: " + Printable(executor.removed_reason), Ink::kHot);
  if (detail.processes != 0) PutSparkPools(executor, page);
  PutProcesses(executor, detail.processes, page);
  if (detail.processes != 0) PutCollectors(executor, page);
  const size_t sites = detail.processes == 0 ? 0 : detail.jvm_sites;
  PutRetained(executor, sites, page);
  PutLeft("Off-heap memory", executor.left_off_heap, sites, page);
  PutLeft("Memory of JNI libraries", executor.left_native, sites, page);
  PutNearlyFull(executor, sites, page);
}

}  // namespace

void PutExecutors(const Report& report, const TextDetail& detail, TextPage& page) {
  std::vector<const ReportExecutor*> executors = ExecutorsByUse(report);
  page.Blank();
  page.Line("Executors", Ink::kBold);
  if (executors.empty()) page.Line("  none was seen", Ink::kDim);
  for (size_t i = 0; i < std::min(detail.executors, executors.size()); ++i) PutExecutor(*executors[i], detail, page);
  size_t more = executors.size() - std::min(detail.executors, executors.size());
  if (report.other_executors) more += report.other_executors->executors;
  if (more != 0) page.Line("  … " + Counted(more, "more executor"), Ink::kDim);
}

}  // namespace memprof
