// The terminal view. Order of importance: executors against their limits, then stages by what they held.
#include <fmt/format.h>

#include <algorithm>

#include "report/digest.h"
#include "report/json.h"
#include "report/many_deaths.h"
#include "report/titles.h"
#include "report/units.h"
#include "report/verdict.h"
#include "report/views/post_mortem_text.h"
#include "report/views/text_sections.h"
#include "report/views/views.h"

namespace memprof {
namespace {

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

// Of those that follow the first `shown` of all.
size_t SurvivedFrom(size_t shown, const Report& report) {
  const auto count = [](const auto& list, size_t begin) {
    const auto first = list.begin() + static_cast<ptrdiff_t>(std::min(begin, list.size()));
    return static_cast<size_t>(std::count_if(first, list.end(), [](const auto& death) { return death.survived; }));
  };
  const size_t written = report.post_mortems.size();
  return count(report.post_mortems, shown) + count(report.other_deaths, shown - std::min(shown, written));
}

void PutPostMortems(const Report& report, const TextDetail& detail, TextPage& page) {
  const std::vector<ReportPostMortem>& deaths = report.post_mortems;
  if (deaths.empty()) return;
  page.Blank();
  page.Line("Post-mortems", Ink::kBold);
  for (size_t i = 0; i < std::min(detail.deaths, deaths.size()); ++i) PutPostMortem(deaths[i], detail.death_lines, page);
  size_t shown = std::min(detail.deaths, deaths.size());
  if (&detail == &kFull) {
    constexpr size_t kLines = 100;
    const size_t lines = std::min(kLines, report.other_deaths.size());
    for (size_t i = 0; i < lines; ++i) page.Wrapped(Printable(report.other_deaths[i].headline), 2, Ink::kPlain);
    shown += lines;
  }
  const size_t all = deaths.size() + report.other_deaths.size();
  if (all > shown) page.Line("  … " + MoreDeaths(all - shown, SurvivedFrom(shown, report)), Ink::kDim);
}

void PutLeaks(const Report& report, const TextDetail& detail, TextPage& page) {
  if (report.leaks.empty()) return;
  page.Blank();
  page.Line("Lines that leave more behind with every task", Ink::kBold);
  for (size_t i = 0; i < std::min(detail.leaks, report.leaks.size()); ++i) {
    const ReportLeak& leak = report.leaks[i];
    page.Line(
        fmt::format("  {}  {}  {}", Printable(LinePlace(leak.file, leak.line)), Printable(leak.function), Printable(UdfHeading(leak.udf))));
    page.Wrapped(Printable(LeakPhrase(leak) + LeakWorkersPhrase(leak)), 4, Ink::kWarm);
  }
  if (report.leaks.size() > detail.leaks) page.Line("  … " + Counted(report.leaks.size() - detail.leaks, "more line"), Ink::kDim);
}

// Shows nothing if there are deaths, because their post-mortems are shown.
void PutVerdict(const Report& report, TextPage& page) {
  if (!report.post_mortems.empty()) return;
  const ReportVerdict verdict = VerdictOf(report);
  page.Blank();
  page.Wrapped(Printable(verdict.sentence), 0, verdict.tone == Tone::kWarn ? Ink::kWarm : Ink::kBold);
}

void PutUnmeasured(const Report& report, TextPage& page) {
  if (const std::string words = UnmeasuredDriver(report); !words.empty()) page.Wrapped(words, 0, Ink::kDim);
}

void PutFindings(const Report& report, const TextDetail& detail, TextPage& page) {
  if (report.findings.empty()) return;
  page.Blank();
  page.Line("Worth changing", Ink::kBold);
  const size_t most = &detail == &kBrief ? 1 : detail.leaks;
  for (size_t i = 0; i < std::min(most, report.findings.size()); ++i) {
    const ReportFinding& finding = report.findings[i];
    page.Wrapped(Printable(finding.headline), 2, Ink::kWarm);
    if (&detail == &kBrief) continue;
    for (const ReportAdvice& piece : finding.advice) page.Wrapped(Printable(AdvicePhrase(piece)), 4, Ink::kPlain);
  }
  if (report.findings.size() > most) page.Line("  … " + Counted(report.findings.size() - most, "more finding"), Ink::kDim);
}

std::string CachedPhrase(const ReportCachedData& cached) {
  std::string phrase = fmt::format("{} in memory", FormatBytes(cached.peak_memory_bytes));
  if (cached.peak_disk_bytes != 0) phrase += fmt::format(", {} on disk", FormatBytes(cached.peak_disk_bytes));
  if (cached.partitions && cached.peak_partitions.value_or(cached.peak_blocks) != cached.peak_blocks) {
    return phrase + fmt::format(", {} of {} in {}", FormatCount(*cached.peak_partitions), Counted(*cached.partitions, "partition"),
                                Counted(cached.peak_blocks, "block"));
  }
  phrase += fmt::format(", {}", Counted(cached.peak_blocks, "block"));
  if (cached.partitions) phrase += fmt::format(" of {}", Counted(*cached.partitions, "partition"));
  return phrase;
}

// Behind the level, whose name says it to those who know.
std::string StoredForm(const ReportCachedData& cached) {
  if (cached.storage_level.empty()) return "";
  if (cached.serializer.empty()) return cached.deserialized ? ", deserialized" : ", serialized";
  return ", serialized by " + Printable(cached.serializer.substr(cached.serializer.rfind('.') + 1));
}

void PutCachedData(const Report& report, const TextDetail& detail, TextPage& page) {
  if (detail.cached == 0 || (report.cached_data.empty() && report.broadcasts.empty())) return;
  page.Blank();
  page.Line("Cached data and broadcast variables, at their peaks", Ink::kBold);
  for (size_t i = 0; i < std::min(detail.cached, report.cached_data.size()); ++i) {
    const ReportCachedData& cached = report.cached_data[i];
    page.Line(fmt::format("  {}  {}{}", Printable(cached.name.empty() ? fmt::format("RDD {}", cached.rdd_id) : cached.name),
                          Printable(cached.storage_level), StoredForm(cached)));
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
  if (report.broadcasts.size() > kBroadcasts) phrase += fmt::format(" … {} more", FormatCount(report.broadcasts.size() - kBroadcasts));
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

// Actions without results are left out. The app's page shows them, because its stages link to them.
void PutDriver(const Report& report, const TextDetail& detail, TextPage& page) {
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
    std::string title = ActionTitle(action), which = ActionWhich(action);
    if (!which.empty()) title += ", " + which;
    const std::string status = action.status == "complete" ? "" : "  " + action.status;
    page.Line(fmt::format("  {}  {}{}", Right(FormatBytes(action.result_bytes + action.broadcast_bytes), kFigureColumns), Printable(title),
                          status),
              action.status == "failed" ? Ink::kHot : Ink::kPlain);
    if (const std::string built = BuiltAtPhrase(action); !built.empty()) {
      page.Wrapped("its plan was built at " + Printable(built), 4 + kFigureColumns, Ink::kDim, 4);
    }
    page.Wrapped(ResultsPhrase(action, report.driver->max_result_bytes), 4 + kFigureColumns, Ink::kDim, 4);
  }
  size_t more = actions.size() - std::min(detail.cached, actions.size());
  if (report.driver->other_actions) more += report.driver->other_actions->actions;
  if (more != 0) page.Line("  … " + Counted(more, "more action"), Ink::kDim);
}

void PutThreads(const char* of, const std::vector<std::pair<std::string, uint64_t>>& bytes, TextPage& page) {
  if (bytes.empty()) return;
  std::string threads;
  for (size_t i = 0; i < std::min<size_t>(bytes.size(), 3); ++i) {
    threads += fmt::format("{}{} {}", i == 0 ? "" : ", ", bytes[i].first, FormatBytes(bytes[i].second));
  }
  page.Wrapped(fmt::format("{} allocated outside of tasks, most by: {}", of, Printable(threads)), 2, Ink::kDim);
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
  PutThreads("JVM heap", groups.outside_tasks, page);
  PutThreads("JVM off-heap memory", groups.outside_tasks_off_heap, page);
  PutThreads("memory of native libraries in the JVM", groups.outside_tasks_native, page);
  PutThreads("memory of Python workers", groups.outside_tasks_python, page);
  for (const ReportNotAvailable& entry : report.not_available) {
    page.Wrapped(fmt::format("Not measured: {}: {}", Printable(entry.what), Printable(entry.why)), 2, Ink::kDim);
  }
}

}  // namespace

std::string RenderText(const Report& report, const TextOptions& options) {
  const TextDetail& detail = options.max_lines > 0 && options.max_lines < 60 ? kBrief : kFull;
  TextPage page(options);
  PutHeader(report, page);
  PutVerdict(report, page);
  PutPostMortems(report, detail, page);
  PutUnmeasured(report, page);
  // If something has died and there are few lines, stages come before findings.
  const bool findings_first = &detail == &kFull || report.post_mortems.empty();
  if (findings_first) PutFindings(report, detail, page);
  PutLeaks(report, detail, page);
  PutExecutors(report, detail, page);
  PutDriver(report, detail, page);
  PutCachedData(report, detail, page);
  PutStages(report, detail, page);
  if (!findings_first) PutFindings(report, detail, page);
  if (&detail == &kFull) PutAbout(report, page);
  return page.Text(options.max_lines);
}

Result<std::string> RenderText(std::string_view report_json, const TextOptions& options) {
  const Result<Report> report = ReadReportJson(report_json);
  if (!report.ok()) return report.status();
  return RenderText(*report, options);
}

}  // namespace memprof
