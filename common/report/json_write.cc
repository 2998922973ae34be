#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/json.h"
#include "report/json_null.h"
#include "report/titles.h"
#include "report/words.h"

namespace memprof {
namespace {

using Json = nlohmann::ordered_json;

Json FrameJson(const ReportFrame& frame) {
  Json json;
  json["language"] = LanguageWord(frame.language);
  json["function"] = TextOrNull(frame.function);
  json["file"] = TextOrNull(frame.file);
  json["line"] = frame.line ? Json(frame.line) : Json(nullptr);
  json["module"] = TextOrNull(frame.module);
  if (frame.offset) {
    json["offset"] = *frame.offset;
    json["buildId"] = TextOrNull(frame.build_id);
  }
  return json;
}

void PutUdf(const std::optional<ReportUdf>& udf, Json& json) {
  json["udf"] = udf ? TextOrNull(UdfTitle(*udf)) : Json(nullptr);
  json["udfKind"] = udf ? TextOrNull(udf->kind) : Json(nullptr);
  json["udfName"] = udf ? TextOrNull(udf->name) : Json(nullptr);
  json["udfFile"] = udf ? TextOrNull(udf->file) : Json(nullptr);
  json["udfLine"] = udf && udf->line ? Json(udf->line) : Json(nullptr);
}

Json LineJson(const ReportLine& line) {
  Json json;
  PutUdf(line.udf, json);
  json["function"] = TextOrNull(line.function);
  json["file"] = TextOrNull(line.file);
  json["line"] = line.line ? Json(line.line) : Json(nullptr);
  json["source"] = TextOrNull(line.source);
  json["tasks"] = line.tasks;
  json["allocatedBytes"] = line.allocated_bytes;
  json["allocations"] = line.allocations;
  json["liveAtPeakBytes"] = OrNull(line.live_at_peak_bytes);
  json["residentAtPeakBytes"] = OrNull(line.resident_at_peak_bytes);
  json["liveAtEndBytes"] = OrNull(line.live_at_end_bytes);
  json["sampled"] = line.sampled;
  json["errorBytes"] = OrNull(line.error_bytes);
  json["sites"] = line.sites;
  return json;
}

Json SiteJson(const ReportSite& site) {
  Json json;
  json["origin"] = OriginWord(site.origin);
  PutUdf(site.udf, json);
  json["tasks"] = site.tasks;
  json["allocatedBytes"] = site.allocated_bytes;
  json["allocations"] = site.allocations;
  json["liveAtPeakBytes"] = OrNull(site.live_at_peak_bytes);
  json["residentAtPeakBytes"] = OrNull(site.resident_at_peak_bytes);
  json["liveAtEndBytes"] = OrNull(site.live_at_end_bytes);
  json["retainedBytes"] = OrNull(site.retained_bytes);
  json["sampled"] = site.sampled;
  json["errorBytes"] = OrNull(site.error_bytes);
  Json frames = Json::array();
  for (const ReportFrame& frame : site.frames) frames.push_back(FrameJson(frame));
  json["frames"] = std::move(frames);
  if (site.stage_id) json["stageId"] = *site.stage_id;
  return json;
}

Json SumsJson(const std::vector<ReportOriginSum>& sums) {
  Json json = Json::array();
  for (const ReportOriginSum& sum : sums) {
    Json row;
    row["origin"] = OriginWord(sum.origin);
    row["sites"] = sum.sites;
    row["allocatedBytes"] = sum.allocated_bytes;
    row["allocations"] = sum.allocations;
    row["liveAtPeakBytes"] = OrNull(sum.live_at_peak_bytes);
    json.push_back(std::move(row));
  }
  return json;
}

enum class Sites : bool { kNone, kAll };

void PutGroup(const ReportSiteGroup& group, Sites which, Json& json) {
  if (which == Sites::kAll) {
    Json sites = Json::array();
    for (const ReportSite& site : group.sites) sites.push_back(SiteJson(site));
    json["sites"] = std::move(sites);
    Json lines = Json::array();
    for (const ReportLine& line : group.lines) lines.push_back(LineJson(line));
    json["lines"] = std::move(lines);
  }
  json["remainders"] = SumsJson(group.remainders);
  json["totals"] = SumsJson(group.totals);
  json["arrowPoolPeakBytes"] = OrNull(group.arrow_pool.peak_bytes);
  json["arrowPoolEndBytes"] = OrNull(group.arrow_pool.end_bytes);
  json["arrowPoolGrowthBytes"] = OrNull(group.arrow_pool.growth_bytes);
}

Json StageJson(const ReportStage& stage, Sites which) {
  Json json;
  json["stageId"] = stage.stage_id;
  json["attempt"] = stage.attempt;
  json["name"] = TextOrNull(stage.name);
  json["callSite"] = TextOrNull(stage.call_site);
  json["status"] = stage.status;
  json["failureReason"] = TextOrNull(stage.failure_reason);
  json["submittedMs"] = OrNull(stage.submitted_ms);
  json["completedMs"] = OrNull(stage.completed_ms);
  json["partitions"] = OrNull(stage.partitions);
  json["tasks"] = stage.tasks;
  json["profiledTasks"] = stage.profiled_tasks;
  json["partialTasks"] = stage.partial_tasks;
  PutGroup(stage, which, json);
  const ReportOtherAttempts& other = stage.other_attempts;
  Json attempts;
  attempts["tasks"] = other.tasks;
  attempts["failed"] = other.failed;
  attempts["killed"] = other.killed;
  attempts["lost"] = other.lost;
  attempts["superseded"] = other.superseded;
  attempts["unknown"] = other.unknown;
  Json errors = Json::array();
  for (const ReportTaskError& error : other.errors) errors.push_back(Json{{"message", error.message}, {"tasks", error.tasks}});
  attempts["errors"] = std::move(errors);
  PutGroup(other, which, attempts);
  json["otherAttempts"] = std::move(attempts);
  return json;
}

Json RowsJson(const std::vector<ReportRow>& rows) {
  Json json = Json::array();
  for (const ReportRow& row : rows) json.push_back(Json{{"name", row.name}, {"bytes", row.bytes}});
  return json;
}

Json BaselineJson(const ReportBaseline& baseline) {
  Json modules = Json::array();
  for (const ReportImport& module : baseline.modules) {
    modules.push_back(Json{{"name", module.name}, {"liveBytes", module.live_bytes}, {"withImportsBytes", module.with_imports_bytes}});
  }
  return Json{{"startRssBytes", baseline.start_rss_bytes},
              {"firstTaskRssBytes", OrNull(baseline.first_task_rss_bytes)},
              {"modules", std::move(modules)}};
}

Json ProcessJson(const ReportProcess& process, bool of_moment) {
  Json json;
  json["pid"] = process.pid;
  json["kind"] = process.kind;
  json[of_moment ? "bytes" : "peakRssBytes"] = process.peak_rss_bytes;
  json[of_moment ? "rows" : "peakRows"] = RowsJson(process.rows);
  if (!of_moment) json["peakRowsRssBytes"] = OrNull(process.rows_rss_bytes);
  json["unattributedBytes"] = process.unattributed_bytes;
  json["lastTaskAttemptId"] = OrNull(process.last_task_attempt_id);
  if (!of_moment) json["alive"] = process.alive;
  if (!of_moment) json["baseline"] = process.baseline ? BaselineJson(*process.baseline) : Json(nullptr);
  return json;
}

Json ProcessesJson(const std::vector<ReportProcess>& processes, bool of_moment) {
  Json json = Json::array();
  for (const ReportProcess& process : processes) json.push_back(ProcessJson(process, of_moment));
  return json;
}

Json ExecutorJson(const ReportExecutor& executor) {
  Json json;
  json["id"] = executor.id;
  json["host"] = TextOrNull(executor.host);
  json["cores"] = OrNull(executor.cores);
  json["limitBytes"] = OrNull(executor.limit_bytes);
  json["limitSource"] = TextOrNull(executor.limit_source);
  json["limitShared"] = executor.limit_shared;
  json["limitEnforced"] = executor.limit_enforced;
  json["requestedBytes"] = OrNull(executor.requested_bytes);
  json["hostMemoryBytes"] = OrNull(executor.host_memory_bytes);
  json["heapMaxBytes"] = OrNull(executor.heap_max_bytes);
  json["heapUsedPeakBytes"] = OrNull(executor.heap_used_peak_bytes);
  json["directPeakBytes"] = OrNull(executor.direct_peak_bytes);
  Json regions = Json::array();
  for (const ReportRegion& region : executor.regions) {
    regions.push_back(Json{{"name", region.name}, {"budgetBytes", OrNull(region.budget_bytes)}, {"peakBytes", OrNull(region.peak_bytes)}});
  }
  json["regions"] = std::move(regions);
  json["processes"] = ProcessesJson(executor.processes, false);
  if (executor.at_peak) {
    const ReportMoment& moment = *executor.at_peak;
    Json peak;
    peak["timeMs"] = moment.time_ms;
    peak["usedBytes"] = moment.used_bytes;
    peak["regions"] = RowsJson(moment.regions);
    peak["processes"] = ProcessesJson(moment.processes, true);
    peak["activeTasks"] = moment.active_tasks;
    peak["sites"] = nullptr;
    peak["unattributedBytes"] = moment.unattributed_bytes;
    json["atPeak"] = std::move(peak);
  } else {
    json["atPeak"] = nullptr;
  }
  json["addedMs"] = OrNull(executor.added_ms);
  json["removedMs"] = OrNull(executor.removed_ms);
  json["removedReason"] = TextOrNull(executor.removed_reason);
  json["javaVersion"] = TextOrNull(executor.java_version);
  json["agentLoaded"] = TextOrNull(executor.agent_loaded);
  return json;
}

Json LeakJson(const ReportLeak& leak) {
  Json json;
  PutUdf(leak.udf, json);
  json["function"] = TextOrNull(leak.function);
  json["file"] = TextOrNull(leak.file);
  json["line"] = leak.line ? Json(leak.line) : Json(nullptr);
  json["workers"] = leak.workers;
  json["liveBytes"] = leak.live_bytes;
  const ReportLeakWorker& worker = leak.largest;
  Json largest;
  largest["executorId"] = worker.executor_id;
  largest["pid"] = worker.pid;
  largest["tasks"] = worker.tasks;
  largest["tasksWithBytes"] = worker.tasks_with_bytes;
  largest["perTaskBytes"] = worker.per_task_bytes;
  largest["perTaskLowBytes"] = worker.per_task_low_bytes;
  largest["perTaskHighBytes"] = worker.per_task_high_bytes;
  largest["liveBytes"] = worker.live_bytes;
  json["largest"] = std::move(largest);
  return json;
}

Json PostMortemJson(const ReportPostMortem& death) {
  Json json;
  json["executorId"] = death.executor_id;
  json["process"] = death.process;
  json["pid"] = OrNull(death.pid);
  json["exitCode"] = OrNull(death.exit_code);
  json["how"] = death.how;
  json["headline"] = death.headline;
  json["reason"] = TextOrNull(death.reason);
  json["outOfMemory"] = death.out_of_memory;
  json["timeMs"] = death.time_ms;
  json["limitBytes"] = OrNull(death.limit_bytes);
  json["usedBytes"] = OrNull(death.used_bytes);
  json["lastSampleAgeMs"] = OrNull(death.last_sample_age_ms);
  json["stageId"] = OrNull(death.stage_id);
  json["taskAttemptId"] = OrNull(death.task_attempt_id);
  Json space = nullptr;
  if (death.address_space) {
    space = Json{{"limitBytes", OrNull(death.address_space->limit_bytes)},
                 {"virtualBytes", death.address_space->virtual_bytes},
                 {"residentBytes", death.address_space->resident_bytes},
                 {"refusedBytes", death.address_space->refused_bytes}};
  }
  json["addressSpace"] = std::move(space);
  Json stack = Json::array();
  for (const ReportFrame& frame : death.stack) stack.push_back(FrameJson(frame));
  json["stack"] = std::move(stack);
  json["processes"] = ProcessesJson(death.processes, true);
  Json sites = Json::array();
  for (const ReportSite& site : death.sites) sites.push_back(SiteJson(site));
  json["sites"] = std::move(sites);
  Json advice = Json::array();
  for (const ReportAdvice& piece : death.advice) {
    advice.push_back(
        Json{{"conf", TextOrNull(piece.conf)}, {"from", TextOrNull(piece.from)}, {"to", TextOrNull(piece.to)}, {"because", piece.because}});
  }
  json["advice"] = std::move(advice);
  return json;
}

std::string Dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

template <typename Row, typename Write>
std::string PageJson(const Report& report, const char* name, const std::vector<Row>& rows, RowRange range, Write&& write) {
  size_t begin = std::min(range.offset, rows.size()), end = begin + std::min(range.length, rows.size() - begin);
  Json json;
  json["schemaVersion"] = kReportSchemaVersion;
  json["unfinished"] = report.unfinished;
  json["total"] = rows.size();
  json["offset"] = range.offset;
  json[name] = Json::array();
  for (size_t i = begin; i < end; ++i) json[name].push_back(write(rows[i]));
  return Dump(json);
}

}  // namespace

std::string WriteReportJson(const Report& report) {
  Json json;
  json["schemaVersion"] = kReportSchemaVersion;
  json["unfinished"] = report.unfinished;
  Json application;
  application["id"] = TextOrNull(report.application.id);
  application["name"] = TextOrNull(report.application.name);
  application["sparkVersion"] = TextOrNull(report.application.spark_version);
  application["pythonVersion"] = TextOrNull(report.application.python_version);
  application["master"] = TextOrNull(report.application.master);
  application["startedMs"] = OrNull(report.application.started_ms);
  application["endedMs"] = OrNull(report.application.ended_ms);
  json["application"] = std::move(application);
  json["sampling"] = Json{{"jvmIntervalBytes", OrNull(report.sampling.jvm_interval_bytes)},
                          {"pythonIntervalBytes", OrNull(report.sampling.python_interval_bytes)}};
  Json executors = Json::array();
  for (const ReportExecutor& executor : report.executors) executors.push_back(ExecutorJson(executor));
  json["executors"] = std::move(executors);
  Json stages = Json::array();
  for (const ReportStage& stage : report.stages) stages.push_back(StageJson(stage, Sites::kAll));
  json["stages"] = std::move(stages);
  json["otherExecutors"] = nullptr;
  if (report.other_executors) {
    json["otherExecutors"] =
        Json{{"executors", report.other_executors->executors}, {"largestUsedBytes", OrNull(report.other_executors->largest_used_bytes)}};
  }
  json["otherStages"] = nullptr;
  if (report.other_stages) {
    json["otherStages"] = Json{{"stages", report.other_stages->stages},
                               {"tasks", report.other_stages->tasks},
                               {"otherAttempts", report.other_stages->other_attempts},
                               {"totals", SumsJson(report.other_stages->totals)}};
  }
  Json leaks = Json::array();
  for (const ReportLeak& leak : report.leaks) leaks.push_back(LeakJson(leak));
  json["leaks"] = std::move(leaks);
  Json post_mortems = Json::array();
  for (const ReportPostMortem& death : report.post_mortems) post_mortems.push_back(PostMortemJson(death));
  json["postMortems"] = std::move(post_mortems);
  Json counters = Json::object();
  for (const auto& [name, value] : report.counters) counters[name] = value;
  json["counters"] = std::move(counters);
  Json not_available = Json::array();
  for (const ReportNotAvailable& entry : report.not_available) not_available.push_back(Json{{"what", entry.what}, {"why", entry.why}});
  json["notAvailable"] = std::move(not_available);
  return Dump(json);
}

std::string WriteExecutorsJson(const Report& report, RowRange range) {
  return PageJson(report, "executors", report.executors, range, ExecutorJson);
}

std::string WriteStagesJson(const Report& report, RowRange range) {
  return PageJson(report, "stages", report.stages, range, [](const ReportStage& stage) { return StageJson(stage, Sites::kNone); });
}

std::string WriteStageJson(const ReportStage& stage) { return Dump(StageJson(stage, Sites::kAll)); }

}  // namespace memprof
