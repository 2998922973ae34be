// The terminal view. Order of importance: executors against their limits, then stages by what they held.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/consumer_words.h"
#include "report/digest.h"
#include "report/json.h"
#include "report/titles.h"
#include "report/units.h"
#include "report/views/post_mortem_text.h"
#include "report/views/text_page.h"
#include "report/views/views.h"

namespace memprof {
namespace {

constexpr size_t kFigure = 12;                                        // columns of a figure
constexpr size_t kFrameIndent = 4 + 3 * (kFigure + 1) + kFigure + 3;  // native frames stand below their line's place

struct Detail {
  size_t executors, processes, stages, lines, paths, jvm_sites, deaths, death_lines, leaks, cached;
};
constexpr Detail kFull{SIZE_MAX, 6, SIZE_MAX, 12, 2, 5, SIZE_MAX, 30, 20, 10};
constexpr Detail kBrief{4, 0, 3, 3, 1, 1, 2, 4, 2, 0};  // the driver's log, where each death was told already

void PutHeader(const Report& report, TextPage& page) {
  const ReportApplication& application = report.application;
  std::string title = "sparkmemprof · " + Printable(application.name.empty() ? application.id : application.name);
  if (!application.name.empty() && !application.id.empty()) title += " (" + Printable(application.id) + ")";
  page.Line(title, Ink::kBold);
  std::string facts;
  auto add = [&](const std::string& fact) { facts += facts.empty() ? fact : " · " + fact; };
  if (!application.spark_version.empty()) add("Spark " + Printable(application.spark_version));
  if (!application.python_version.empty()) add("Python " + Printable(application.python_version));
  if (!application.master.empty()) add(Printable(application.master));
  if (application.started_ms && application.ended_ms) add(FormatDuration(*application.ended_ms - *application.started_ms));
  if (report.unfinished) add("unfinished: a checkpoint");
  page.Line(facts, Ink::kDim);
}

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
    std::string line = fmt::format("    {} {}", Right(FormatBytes(process.peak_rss_bytes), kFigure),
                                   Left(fmt::format("{} {}", Printable(process.kind), process.pid), 22));
    std::string parts;
    uint64_t others = 0, others_bytes = 0;
    for (size_t row = 0; row < process.rows.size(); ++row) {
      const ReportRow& measured = process.rows[row];
      if (measured.bytes == 0) continue;
      if (row < kRowsShown) {
        parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", Printable(measured.name), FormatBytes(measured.bytes));
      } else {
        ++others;
        others_bytes += measured.bytes;
      }
    }
    if (others != 0) parts += fmt::format(", {} {}", Counted(others, "other row", "s"), FormatBytes(others_bytes));
    // First: a line that is too long loses its end.
    if (!parts.empty()) parts = fmt::format("unattributed {}; {}", FormatSignedBytes(process.unattributed_bytes), parts);
    page.Line(line + "  " + parts, Ink::kDim);
    if (process.baseline && !process.baseline->modules.empty()) {
      page.Line(std::string(5 + kFigure, ' ') + BaselinePhrase(*process.baseline), Ink::kDim);
    }
  }
  if (shown != 0 && executor.processes.size() > shown) {
    page.Line(std::string(5 + kFigure, ' ') + Counted(executor.processes.size() - shown, "more process", "es"), Ink::kDim);
  }
}

// Only of a mode that was used: most executors have no off-heap memory.
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
}

void PutNearlyFull(const ReportExecutor& executor, size_t shown, TextPage& page) {
  if (!executor.nearly_full_heap || shown == 0) return;
  page.Wrapped("Nearly full after three collections, by class: " + Printable(HeapClassesPhrase(*executor.nearly_full_heap, shown)), 4,
               Ink::kDim, 3);
}

void PutRetained(const ReportExecutor& executor, size_t shown, TextPage& page) {
  if (!executor.retained || shown == 0) return;
  const ReportRetained& retained = *executor.retained;
  page.Line("    Retained by the heap: " + Printable(RetainedPhrase(retained)), Ink::kDim);
  for (size_t i = 0; i < std::min(shown, retained.sites.size()); ++i) {
    const ReportRetainedSite& site = retained.sites[i];
    page.Line(fmt::format("    {} {}  {}", Right(FormatBytes(site.retained_bytes), kFigure), Left(ErrorPhrase(site.error_bytes), kFigure),
                          Printable(RetainedSitePhrase(site))));
  }
}

void PutCollectors(const ReportExecutor& executor, TextPage& page) {
  std::string parts;
  for (const ReportCollector& collector : executor.gc) {
    parts +=
        fmt::format("{}{} × {}, {} in all, longest {}", parts.empty() ? "" : "; ", FormatCount(collector.collections), collector.collector,
                    FormatDuration(static_cast<int64_t>(collector.total_ms)), FormatDuration(static_cast<int64_t>(collector.longest_ms)));
  }
  if (parts.empty()) return;
  std::string stopped;
  if (executor.gc_stopped_ms) stopped = fmt::format("stood still for {}; ", FormatDuration(static_cast<int64_t>(*executor.gc_stopped_ms)));
  page.Wrapped("Garbage collection: " + stopped + Printable(parts), 4, Ink::kDim, 3);
}

void PutExecutor(const ReportExecutor& executor, const Detail& detail, TextPage& page) {
  std::string name = Left(Printable(executor.id), 8);
  Ink ink = Ink::kPlain;
  std::string line;
  if (executor.at_peak && executor.limit_bytes && *executor.limit_bytes != 0) {
    double share = static_cast<double>(executor.at_peak->used_bytes) / static_cast<double>(*executor.limit_bytes);
    if (share >= 0.85) ink = share >= 0.97 && executor.limit_enforced ? Ink::kHot : Ink::kWarm;
    size_t bar = page.narrow() ? 10 : 24;
    line = fmt::format("  {} {} {} peak {} of {}, {}", name, Bar(share, bar), Right(FormatPercent(share, 1), 5),
                       FormatBytes(executor.at_peak->used_bytes), FormatBytes(*executor.limit_bytes), LimitPhrase(executor));
  } else {
    line = fmt::format("  {} peak not measured; limit {}, {}", name, FormatBytesOr(executor.limit_bytes), LimitPhrase(executor));
  }
  if (!executor.host.empty()) line += " · " + Printable(executor.host);
  page.Line(line, ink);
  if (!executor.removed_reason.empty()) page.Line("    removed: " + Printable(executor.removed_reason), Ink::kHot);
  if (detail.processes != 0) PutSparkPools(executor, page);
  PutProcesses(executor, detail.processes, page);
  if (detail.processes != 0) PutCollectors(executor, page);
  PutRetained(executor, detail.processes == 0 ? 0 : detail.jvm_sites, page);
  PutNearlyFull(executor, detail.processes == 0 ? 0 : detail.jvm_sites, page);
}

void PutExecutors(const Report& report, const Detail& detail, TextPage& page) {
  std::vector<const ReportExecutor*> executors = ExecutorsByUse(report);
  page.Blank();
  page.Line("Executors", Ink::kBold);
  if (executors.empty()) page.Line("  none was seen", Ink::kDim);
  for (size_t i = 0; i < std::min(detail.executors, executors.size()); ++i) PutExecutor(*executors[i], detail, page);
  size_t more = executors.size() - std::min(detail.executors, executors.size());
  if (report.other_executors) more += report.other_executors->executors;
  if (more != 0) page.Line("  … " + Counted(more, "more executor"), Ink::kDim);
}

// Figures in columns and where they are, or, on a narrow terminal, the place and then the figures.
template <typename Row>
void PutRow(const Row& row, const std::string& where, TextPage& page) {
  if (page.narrow()) {
    page.Line("      " + where);
    std::string figures;
    auto add = [&](std::optional<uint64_t> bytes, const char* what) {
      if (bytes) figures += fmt::format("{} {}, ", FormatBytes(*bytes), what);
    };
    add(row.live_at_peak_bytes, "live at peak");
    add(row.resident_at_peak_bytes, "resident");
    add(row.allocated_bytes, "allocated");
    page.Wrapped(figures + ErrorPhrase(row.error_bytes), 8, Ink::kDim);
    return;
  }
  page.Line(fmt::format("    {} {} {}  {}  {}", Right(FormatBytesOr(row.live_at_peak_bytes), kFigure),
                        Right(FormatBytesOr(row.resident_at_peak_bytes), kFigure), Right(FormatBytes(row.allocated_bytes), kFigure),
                        Left(ErrorPhrase(row.error_bytes), kFigure), where));
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
void PutLines(const std::vector<const ReportLine*>& lines, const ReportSiteGroup& group, const Detail& detail, TextPage& page) {
  size_t left_out = 0;
  for (size_t begin = 0; begin < lines.size();) {
    size_t end = begin;
    while (end < lines.size() && lines[end]->udf == lines[begin]->udf) ++end;
    size_t shown = LinesWorthShowing(lines, begin, end, detail.lines);
    const std::optional<ReportUdf>& udf = lines[begin]->udf;
    page.Line("    " + Printable(UdfHeading(udf)) + (udf && !udf->kind.empty() ? "  " + Printable(udf->kind) : ""), Ink::kBold);
    for (size_t i = begin; i < begin + shown; ++i) {
      PutRow(*lines[i], Printable(LinePlace(*lines[i])) + "  " + Printable(lines[i]->function), page);
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

void PutJvmSites(const char* heading, const std::vector<const ReportSite*>& sites, const Detail& detail, TextPage& page) {
  if (sites.empty() || detail.jvm_sites == 0) return;
  page.Line(std::string("    ") + heading, Ink::kBold);
  for (size_t i = 0; i < std::min(sites.size(), detail.jvm_sites); ++i) {
    const ReportFrame* lead = LeadFrame(*sites[i]);
    PutRow(*sites[i], lead == nullptr ? "no frames" : Printable(FrameTitle(*lead)) + "  " + Printable(FramePlace(*lead)), page);
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

// What of Spark the JVM's memory was for.
void PutOperators(const std::vector<ReportOperator>& operators, TextPage& page) {
  constexpr size_t kMost = 4;
  if (operators.empty()) return;
  std::string phrase = "JVM allocated for ";
  for (size_t i = 0; i < std::min(operators.size(), kMost); ++i) {
    phrase += (i == 0 ? "" : ", ") + Printable(operators[i].name) + " " + FormatBytes(operators[i].allocated_bytes);
  }
  page.Wrapped(phrase, 4, Ink::kDim);
}

void PutStage(const ReportStage& stage, const Detail& detail, TextPage& page) {
  std::string title = StageTitle(stage);
  std::string name = Printable(title.empty() ? (stage.name.empty() ? "unnamed" : stage.name) : title);
  std::string attempt = stage.attempt == 0 ? "" : fmt::format(".{}", stage.attempt);
  page.Blank();
  const std::string which = stage.stage_id == kDriversPython ? "The driver's Python" : fmt::format("Stage {}{}", stage.stage_id, attempt);
  const std::string how_many = stage.stage_id == kDriversPython ? Counted(stage.tasks, "process", "es") : Counted(stage.tasks, "task");
  page.Line(fmt::format("  {} · {} · {}{}", which, name, how_many, stage.status == "complete" ? "" : " · " + Printable(stage.status)),
            Ink::kBold);
  GroupDigest digest = DigestOf(stage);
  if (!stage.sites.empty() && !page.narrow()) {
    page.Line(fmt::format("    {} {} {}", Right("live at peak", kFigure), Right("resident", kFigure), Right("allocated", kFigure)),
              Ink::kDim);
  }
  PutLines(digest.lines, stage, detail, page);
  PutArrowPool(stage.arrow_pool, page);
  PutSparkMemory(stage.memory, page);
  PutOperators(stage.operators, page);
  PutJvmSites("JVM heap", digest.heap, detail, page);
  PutJvmSites("JVM off-heap", digest.off_heap, detail, page);
  const ReportOtherAttempts& other = stage.other_attempts;
  if (other.tasks == 0) return;
  page.Line(fmt::format("    Other attempts, not in these sums: {}", OtherAttemptsPhrase(other)), Ink::kWarm);
  for (const ReportTaskError& error : other.errors) {
    page.Line(fmt::format("      {} × {}", FormatCount(error.tasks), Printable(error.message)), Ink::kDim);
  }
  if (detail.processes != 0) PutLines(DigestOf(other).lines, other, kBrief, page);
}

void PutStages(const Report& report, const Detail& detail, TextPage& page) {
  std::vector<const ReportStage*> stages = StagesByWeight(report);
  page.Blank();
  page.Line("Stages, by what a task held at its peak", Ink::kBold);
  if (stages.empty()) page.Line("  no profile arrived", Ink::kDim);
  for (size_t i = 0; i < std::min(detail.stages, stages.size()); ++i) PutStage(*stages[i], detail, page);
  size_t more = stages.size() - std::min(detail.stages, stages.size());
  if (report.other_stages) more += report.other_stages->stages;
  if (more != 0) page.Line("  … " + Counted(more, "more stage"), Ink::kDim);
}

void PutPostMortems(const Report& report, const Detail& detail, TextPage& page) {
  const std::vector<ReportPostMortem>& deaths = report.post_mortems;
  if (deaths.empty()) return;
  page.Blank();
  page.Line("Post-mortems", Ink::kBold);
  for (size_t i = 0; i < std::min(detail.deaths, deaths.size()); ++i) PutPostMortem(deaths[i], detail.death_lines, page);
  if (deaths.size() > detail.deaths) page.Line("  … " + Counted(deaths.size() - detail.deaths, "more death"), Ink::kDim);
}

void PutLeaks(const Report& report, const Detail& detail, TextPage& page) {
  if (report.leaks.empty()) return;
  page.Blank();
  page.Line("Lines that leave more behind with every task", Ink::kBold);
  for (size_t i = 0; i < std::min(detail.leaks, report.leaks.size()); ++i) {
    const ReportLeak& leak = report.leaks[i];
    const std::string place = FramePlace({Language::kPython, "", leak.file, "", leak.line, "", std::nullopt});
    page.Line(fmt::format("  {}  {}  {}", Printable(place), Printable(leak.function), Printable(UdfHeading(leak.udf))));
    page.Wrapped(Printable(LeakPhrase(leak) + LeakWorkersPhrase(leak)), 4, Ink::kWarm);
  }
  if (report.leaks.size() > detail.leaks) page.Line("  … " + Counted(report.leaks.size() - detail.leaks, "more line"), Ink::kDim);
}

void PutFindings(const Report& report, const Detail& detail, TextPage& page) {
  if (report.findings.empty()) return;
  page.Blank();
  page.Line("Worth changing", Ink::kBold);
  const size_t most = detail.cached == 0 ? 1 : detail.leaks;
  for (size_t i = 0; i < std::min(most, report.findings.size()); ++i) {
    const ReportFinding& finding = report.findings[i];
    page.Wrapped(Printable(finding.headline), 2, Ink::kWarm);
    if (detail.cached == 0) continue;
    for (const ReportAdvice& piece : finding.advice) {
      const std::string change = piece.conf.empty() ? "" : fmt::format("{} {} → {}: ", piece.conf, piece.from, piece.to);
      page.Wrapped(Printable(change + piece.because), 4, Ink::kPlain);
    }
  }
  if (report.findings.size() > most) page.Line("  … " + Counted(report.findings.size() - most, "more finding"), Ink::kDim);
}

std::string CachedPhrase(const ReportCachedData& cached) {
  std::string phrase = fmt::format("{} in memory", FormatBytes(cached.peak_memory_bytes));
  if (cached.peak_disk_bytes != 0) phrase += fmt::format(", {} on disk", FormatBytes(cached.peak_disk_bytes));
  phrase += fmt::format(", {}", Counted(cached.peak_blocks, "block"));
  if (cached.partitions) phrase += fmt::format(" of {}", Counted(*cached.partitions, "partition"));
  return phrase;
}

void PutCachedData(const Report& report, const Detail& detail, TextPage& page) {
  if (detail.cached == 0 || (report.cached_data.empty() && report.broadcasts.empty())) return;
  page.Blank();
  page.Line("Cached data and broadcast variables, at their peaks", Ink::kBold);
  for (size_t i = 0; i < std::min(detail.cached, report.cached_data.size()); ++i) {
    const ReportCachedData& cached = report.cached_data[i];
    page.Line(fmt::format("  {}  {}", Printable(cached.name.empty() ? fmt::format("RDD {}", cached.rdd_id) : cached.name),
                          Printable(cached.storage_level)));
    page.Wrapped(CachedPhrase(cached), 4, Ink::kDim);
  }
  if (report.cached_data.size() > detail.cached) {
    page.Line("  … " + Counted(report.cached_data.size() - detail.cached, "more dataset"), Ink::kDim);
  }
  constexpr size_t kBroadcasts = 5;
  std::string phrase;
  for (size_t i = 0; i < std::min(kBroadcasts, report.broadcasts.size()); ++i) {
    phrase += fmt::format("{}number {}: {}", i == 0 ? "" : ", ", report.broadcasts[i].id, FormatBytes(report.broadcasts[i].bytes));
  }
  if (!phrase.empty()) page.Wrapped("Broadcast variables, one copy: " + phrase, 2, Ink::kDim);
}

std::string ResultsPhrase(const ReportAction& action, const std::optional<uint64_t>& most) {
  std::string phrase;
  for (const ReportStageResults& results : action.results) {
    const std::string tasks = results.partitions && *results.partitions != results.tasks
                                  ? fmt::format("{} of {} tasks", FormatCount(results.tasks), FormatCount(*results.partitions))
                                  : Counted(results.tasks, "task");
    phrase += fmt::format("{}stage {}: {}{} from {}, largest {}", phrase.empty() ? "" : "; ", results.stage_id,
                          results.broadcast ? "to broadcast, " : "", FormatBytes(results.result_bytes), tasks,
                          FormatBytes(results.largest_result_bytes));
    if (most && *most != 0) {
      phrase += fmt::format(", {} of spark.driver.maxResultSize",
                            FormatPercent(static_cast<double>(results.result_bytes), static_cast<double>(*most)));
    }
  }
  return phrase;
}

// Those that brought nothing are for the page of the app, which links stages to them.
void PutDriver(const Report& report, const Detail& detail, TextPage& page) {
  if (!report.driver || detail.cached == 0) return;
  std::vector<const ReportAction*> actions;
  for (const ReportAction& action : report.driver->actions) {
    if (action.result_bytes + action.broadcast_bytes != 0) actions.push_back(&action);
  }
  if (actions.empty()) return;
  page.Blank();
  page.Line("Driver: results, by the action that asked for them", Ink::kBold);
  for (size_t i = 0; i < std::min(detail.cached, actions.size()); ++i) {
    const ReportAction& action = *actions[i];
    const std::string status = action.status == "complete" ? "" : "  " + action.status;
    page.Line(fmt::format("  {}  {}{}", Right(FormatBytes(action.result_bytes + action.broadcast_bytes), kFigure),
                          Printable(ActionTitle(action)), status),
              action.status == "failed" ? Ink::kHot : Ink::kPlain);
    page.Wrapped(ResultsPhrase(action, report.driver->max_result_bytes), 4 + kFigure, Ink::kDim, 4);
  }
  size_t more = actions.size() - std::min(detail.cached, actions.size());
  if (report.driver->other_actions) more += report.driver->other_actions->actions;
  if (more != 0) page.Line("  … " + Counted(more, "more action"), Ink::kDim);
}

void PutAbout(const Report& report, TextPage& page) {
  page.Blank();
  page.Line("About the numbers", Ink::kBold);
  if (report.sampling.python_interval_bytes) {
    page.Wrapped(fmt::format("Python and native: a sample every {} on average; blocks of at least four of these are counted exactly.",
                             FormatBytes(*report.sampling.python_interval_bytes)),
                 2, Ink::kDim);
  }
  if (report.sampling.jvm_interval_bytes) {
    page.Wrapped(
        fmt::format("JVM: a sample every {} on average. ± is two standard deviations.", FormatBytes(*report.sampling.jvm_interval_bytes)),
        2, Ink::kDim);
  }
  CounterGroups groups = GroupsOf(report.counters);
  for (const auto& [name, value] : groups.bounds) page.Line(fmt::format("  {}: {}", Printable(name), FormatCount(value)), Ink::kWarm);
  if (!groups.outside_tasks.empty()) {
    std::string threads;
    for (size_t i = 0; i < std::min<size_t>(groups.outside_tasks.size(), 3); ++i) {
      threads += fmt::format("{}{} {}", i == 0 ? "" : ", ", groups.outside_tasks[i].first, FormatBytes(groups.outside_tasks[i].second));
    }
    page.Wrapped("JVM heap allocated outside of tasks, most by: " + Printable(threads), 2, Ink::kDim);
  }
  for (const ReportNotAvailable& entry : report.not_available) {
    page.Wrapped(fmt::format("Not measured: {}: {}", Printable(entry.what), Printable(entry.why)), 2, Ink::kDim);
  }
}

}  // namespace

Result<std::string> RenderText(std::string_view report_json, const TextOptions& options) {
  Result<Report> report = ReadReportJson(report_json);
  if (!report.ok()) return report.status();
  const Detail& detail = options.max_lines > 0 && options.max_lines < 60 ? kBrief : kFull;
  TextPage page(options);
  PutHeader(*report, page);
  PutPostMortems(*report, detail, page);
  if (&detail == &kFull) PutFindings(*report, detail, page);
  PutLeaks(*report, detail, page);
  PutExecutors(*report, detail, page);
  PutDriver(*report, detail, page);
  PutCachedData(*report, detail, page);
  PutStages(*report, detail, page);
  if (&detail == &kBrief) PutFindings(*report, detail, page);  // few lines: the stages' own come first
  if (&detail == &kFull) PutAbout(*report, page);
  return page.Text(options.max_lines);
}

}  // namespace memprof
