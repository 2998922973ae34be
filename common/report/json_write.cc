#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/json.h"
#include "report/json_null.h"
#include "report/json_tasks.h"
#include "report/json_words.h"
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

// Figures of a line, a site or a UDF.
template <typename Row>
void PutBytes(const Row& row, Json& json) {
  json["tasks"] = row.tasks;
  json["allocatedBytes"] = row.allocated_bytes;
  json["allocations"] = row.allocations;
  json["liveAtPeakBytes"] = OrNull(row.live_at_peak_bytes);
  json["residentAtPeakBytes"] = OrNull(row.resident_at_peak_bytes);
  json["liveAtEndBytes"] = OrNull(row.live_at_end_bytes);
}

template <typename Row>
void PutError(const Row& row, Json& json) {
  json["sampled"] = row.sampled;
  json["errorBytes"] = OrNull(row.error_bytes);
}

Json LineJson(const ReportLine& line) {
  Json json;
  PutUdf(line.udf, json);
  json["function"] = TextOrNull(line.function);
  json["file"] = TextOrNull(line.file);
  json["line"] = line.line ? Json(line.line) : Json(nullptr);
  json["source"] = TextOrNull(line.source);
  PutBytes(line, json);
  PutError(line, json);
  json["sites"] = line.sites;
  return json;
}

Json SiteJson(const ReportSite& site) {
  Json json;
  json["origin"] = OriginWord(site.origin);
  PutUdf(site.udf, json);
  PutBytes(site, json);
  json["retainedBytes"] = OrNull(site.retained_bytes);
  PutError(site, json);
  Json frames = Json::array();
  for (const ReportFrame& frame : site.frames) frames.push_back(FrameJson(frame));
  json["frames"] = std::move(frames);
  if (!site.spark_operator.empty()) json["operator"] = site.spark_operator;
  if (site.asked_by) json["askedBy"] = *site.asked_by;
  if (site.stage_id) json["stageId"] = *site.stage_id;
  return json;
}

Json UdfShareJson(const ReportUdfShare& share) {
  Json json;
  PutUdf(share.udf, json);
  PutBytes(share, json);
  PutError(share, json);
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
  Json udfs = Json::array(), operators = Json::array();
  for (const ReportUdfShare& share : group.udfs) udfs.push_back(UdfShareJson(share));
  json["udfs"] = std::move(udfs);
  for (const ReportOperator& one : group.operators) {
    operators.push_back({{"operator", one.name},
                         {"origin", OriginWord(one.origin)},
                         {"sites", one.sites},
                         {"allocatedBytes", one.allocated_bytes},
                         {"allocations", one.allocations}});
  }
  json["operators"] = std::move(operators);
  json["remainders"] = SumsJson(group.remainders);
  json["totals"] = SumsJson(group.totals);
  json["arrowPoolPeakBytes"] = OrNull(group.arrow_pool.peak_bytes);
  json["arrowPoolEndBytes"] = OrNull(group.arrow_pool.end_bytes);
  json["arrowPoolGrowthBytes"] = OrNull(group.arrow_pool.growth_bytes);
}

const char* ModeWord(bool off_heap) { return off_heap ? "offHeap" : "onHeap"; }

Json PoolMomentJson(const ReportPoolMoment& moment) {
  return Json{{"mode", ModeWord(moment.off_heap)},
              {"maxBytes", moment.max_bytes},
              {"storageRegionBytes", OrNull(moment.storage_region_bytes)},
              {"storageBytes", moment.storage_bytes},
              {"executionBytes", moment.execution_bytes}};
}

Json StageMemoryJson(const ReportStageMemory& memory) {
  Json consumers = Json::array();
  for (const ReportMemoryConsumer& consumer : memory.consumers) {
    consumers.push_back(Json{{"name", consumer.name},
                             {"operation", TextOrNull(consumer.operation)},
                             {"mode", ModeWord(consumer.off_heap)},
                             {"tasks", consumer.tasks},
                             {"peakBytes", consumer.peak_bytes}});
  }
  Json fullest = Json::array();
  for (const ReportPoolMoment& moment : memory.fullest) fullest.push_back(PoolMomentJson(moment));
  return Json{{"consumers", std::move(consumers)},
              {"peakExecutionBytes", OrNull(memory.peak_execution_bytes)},
              {"spilledMemoryBytes", OrNull(memory.spilled_memory_bytes)},
              {"spilledDiskBytes", OrNull(memory.spilled_disk_bytes)},
              {"tasksSpilled", memory.tasks_spilled},
              {"fullest", std::move(fullest)}};
}

Json SparkPoolJson(const ReportSparkPool& pool) {
  Json json = PoolMomentJson(pool.last);
  json["lastMs"] = pool.last_ms;
  json["storagePoolBytes"] = pool.storage_pool_bytes;
  json["storagePeakBytes"] = pool.storage_peak_bytes;
  json["executionPeakBytes"] = pool.execution_peak_bytes;
  json["storageBorrowedPeakBytes"] = OrNull(pool.storage_borrowed_peak_bytes);
  json["executionBorrowedPeakBytes"] = OrNull(pool.execution_borrowed_peak_bytes);
  json["unevictablePeakBytes"] = OrNull(pool.unevictable_peak_bytes);
  return json;
}

// With at most `tasks` rows of its tasks; none where its sites are left out, too.
Json StageJson(const ReportStage& stage, Sites which, size_t tasks = SIZE_MAX) {
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
  json["distributions"] = DistributionsJson(stage.distributions);
  if (which == Sites::kAll) json["taskRows"] = TaskColumns(stage, 0, tasks);
  json["sparkMemory"] = StageMemoryJson(stage.memory);
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

constexpr int64_t kKib = 1024;

Json FiguresJson(const std::vector<TimeSample>& samples, Gauge gauge) {
  Json figures = Json::array();
  for (const TimeSample& sample : samples) {
    figures.push_back(sample[gauge] == kNoFigure ? Json(nullptr) : Json(sample[gauge] * kKib));
  }
  return figures;
}

// What the container used and no process had: pages of the file cache and of the kernel. Negative where processes share pages.
Json UnattributedJson(const std::vector<TimeSample>& samples) {
  Json figures = Json::array();
  for (const TimeSample& sample : samples) {
    int64_t left = sample[Gauge::kUsed];
    bool known = sample[Gauge::kUsed] != kNoFigure;
    for (Gauge part : {Gauge::kJvm, Gauge::kPythonWorkers, Gauge::kPythonOther}) {
      known = known && sample[part] != kNoFigure;
      left -= sample[part];
    }
    figures.push_back(known ? Json(left * kKib) : Json(nullptr));
  }
  return figures;
}

Json TimeLineJson(const ReportTimeLine& line) {
  const std::vector<TimeSample>& samples = line.samples;
  auto measured = [&](Gauge gauge) {
    return std::any_of(samples.begin(), samples.end(), [&](const TimeSample& sample) { return sample[gauge] != kNoFigure; });
  };
  Json times = Json::array(), series = Json::array(), running = Json::array(), starts = Json::array(), pauses = Json::array(),
       stopped = Json::array(), workers = Json::array(), stages = Json::array();
  for (const TimeSample& sample : samples) {
    times.push_back(sample.time_ms);
    running.push_back(sample.running_tasks);
    starts.push_back(sample.task_starts);
    pauses.push_back(sample.pauses);
    stopped.push_back(sample.stopped_us);
    Json held = Json::array(), run = Json::array();
    for (const TimeSample::Worker& worker : sample.workers) {
      if (worker.pid != 0) held.push_back({worker.pid, worker.kib * kKib});
    }
    for (const TimeSample::Stage& stage : sample.stages) {
      if (stage.id >= 0) run.push_back({stage.id, stage.tasks});
    }
    workers.push_back(std::move(held));
    stages.push_back(std::move(run));
  }
  for (size_t gauge = 0; gauge < kGauges; ++gauge) {
    if (static_cast<Gauge>(gauge) == Gauge::kPressure || !measured(static_cast<Gauge>(gauge))) continue;
    series.push_back(Json{{"name", kGaugeNames[gauge]}, {"bytes", FiguresJson(samples, static_cast<Gauge>(gauge))}});
  }
  if (measured(Gauge::kUsed)) series.push_back(Json{{"name", "unattributed"}, {"bytes", UnattributedJson(samples)}});
  Json pressure = nullptr;
  if (measured(Gauge::kPressure)) {
    pressure = Json::array();
    for (const TimeSample& sample : samples) {
      const uint32_t hundredths = sample[Gauge::kPressure];
      pressure.push_back(hundredths == kNoFigure ? Json(nullptr) : Json(hundredths / 100.0));
    }
  }
  return Json{{"timesMs", std::move(times)},           {"series", std::move(series)},     {"pressurePercent", std::move(pressure)},
              {"runningTasks", std::move(running)},    {"taskStarts", std::move(starts)}, {"gcPauses", std::move(pauses)},
              {"gcStoppedMicros", std::move(stopped)}, {"workers", std::move(workers)},   {"stages", std::move(stages)},
              {"thinnedSamples", line.thinned}};
}

Json RetainedJson(const std::optional<ReportRetained>& retained) {
  if (!retained) return nullptr;
  Json json;
  json["timeMs"] = retained->time_ms;
  json["collection"] = retained->collection;
  json["heapUsedAfterBytes"] = retained->heap_used_after_bytes;
  json["heapMaxBytes"] = OrNull(retained->heap_max_bytes);
  json["totalBytes"] = retained->total_bytes;
  json["errorBytes"] = OrNull(retained->error_bytes);
  Json sites = Json::array();
  for (const ReportRetainedSite& site : retained->sites) {
    Json row;
    row["origin"] = OriginWord(Origin::kJvmHeap);
    row["retainedBytes"] = site.retained_bytes;
    row["objects"] = site.objects;
    row["errorBytes"] = OrNull(site.error_bytes);
    row["stageId"] = OrNull(site.stage_id);
    row["stageAttempt"] = OrNull(site.stage_attempt);
    row["thread"] = TextOrNull(site.thread);
    Json frames = Json::array();
    for (const ReportFrame& frame : site.frames) frames.push_back(FrameJson(frame));
    row["frames"] = std::move(frames);
    sites.push_back(std::move(row));
  }
  json["sites"] = std::move(sites);
  json["otherSites"] = retained->other_sites;
  json["otherBytes"] = retained->other_bytes;
  return json;
}

Json HeapShortageJson(const std::optional<ReportHeapShortage>& heap) {
  if (!heap) return nullptr;
  Json json;
  json["timeMs"] = heap->time_ms;
  json["error"] = TextOrNull(heap->error);
  json["thread"] = TextOrNull(heap->thread);
  json["errors"] = heap->errors;
  json["totalBytes"] = OrNull(heap->total_bytes);
  json["totalObjects"] = OrNull(heap->total_objects);
  json["cutShort"] = heap->cut_short;
  Json classes = Json::array();
  for (const ReportHeapClass& each : heap->classes) {
    classes.push_back(Json{{"name", each.name}, {"bytes", each.bytes}, {"objects", each.objects}});
  }
  json["classes"] = std::move(classes);
  json["otherClasses"] = heap->other_classes;
  json["otherBytes"] = heap->other_bytes;
  Json regions = Json::array();
  for (const ReportRow& region : heap->regions) regions.push_back(Json{{"name", region.name}, {"bytes", region.bytes}});
  json["regions"] = std::move(regions);
  return json;
}

Json CollectorJson(const ReportCollector& collector) {
  Json json;
  json["collector"] = collector.collector;
  json["stopsTheWorld"] = collector.stops_the_world;
  json["collections"] = collector.collections;
  json["totalMs"] = collector.total_ms;
  json["longestMs"] = collector.longest_ms;
  json["longestBeforeBytes"] = collector.longest_before_bytes;
  json["longestAfterBytes"] = collector.longest_after_bytes;
  json["lastBeforeBytes"] = collector.last_before_bytes;
  json["lastAfterBytes"] = collector.last_after_bytes;
  Json causes = Json::array();
  for (const auto& [cause, count] : collector.causes) causes.push_back(Json{{"cause", cause}, {"collections", count}});
  json["causes"] = std::move(causes);
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
  Json pools = Json::array();
  for (const ReportSparkPool& pool : executor.spark_pools) pools.push_back(SparkPoolJson(pool));
  json["sparkMemory"] = std::move(pools);
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
  json["timeline"] = executor.time_line ? TimeLineJson(*executor.time_line) : Json(nullptr);
  json["retained"] = RetainedJson(executor.retained);
  json["nearlyFullHeap"] = HeapShortageJson(executor.nearly_full_heap);
  Json collectors = Json::array();
  for (const ReportCollector& collector : executor.gc) collectors.push_back(CollectorJson(collector));
  json["gc"] = std::move(collectors);
  json["gcStoppedMs"] = OrNull(executor.gc_stopped_ms);
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

Json AdviceJson(const std::vector<ReportAdvice>& advice) {
  Json json = Json::array();
  for (const ReportAdvice& piece : advice) {
    json.push_back(
        Json{{"conf", TextOrNull(piece.conf)}, {"from", TextOrNull(piece.from)}, {"to", TextOrNull(piece.to)}, {"because", piece.because}});
  }
  return json;
}

Json FindingJson(const ReportFinding& finding) {
  return Json{{"headline", finding.headline},
              {"stageId", OrNull(finding.stage_id)},
              {"attempt", OrNull(finding.attempt)},
              {"advice", AdviceJson(finding.advice)}};
}

Json CachedJson(const ReportCachedData& cached) {
  Json json;
  json["rddId"] = cached.rdd_id;
  json["name"] = TextOrNull(cached.name);
  json["callSite"] = TextOrNull(cached.call_site);
  json["storageLevel"] = TextOrNull(cached.storage_level);
  const bool known = !cached.storage_level.empty();
  json["deserialized"] = known ? Json(cached.deserialized) : Json(nullptr);
  json["mode"] = known ? Json(ModeWord(cached.off_heap)) : Json(nullptr);
  json["partitions"] = OrNull(cached.partitions);
  json["blocks"] = cached.blocks;
  json["memoryBytes"] = cached.memory_bytes;
  json["diskBytes"] = cached.disk_bytes;
  json["peakBlocks"] = cached.peak_blocks;
  json["peakMemoryBytes"] = cached.peak_memory_bytes;
  json["peakDiskBytes"] = cached.peak_disk_bytes;
  Json executors = Json::array();
  for (const ReportCachedShare& share : cached.executors) {
    executors.push_back(Json{{"id", share.executor_id}, {"memoryBytes", share.memory_bytes}, {"diskBytes", share.disk_bytes}});
  }
  json["executors"] = std::move(executors);
  return json;
}

Json BroadcastJson(const ReportBroadcast& broadcast) {
  return Json{{"id", broadcast.id},
              {"bytes", broadcast.bytes},
              {"peakMemoryBytes", broadcast.peak_memory_bytes},
              {"peakDiskBytes", broadcast.peak_disk_bytes},
              {"memoryBytes", broadcast.memory_bytes},
              {"driverPeakBytes", broadcast.driver_peak_bytes}};
}

Json ActionJson(const ReportAction& action) {
  Json json;
  json["jobs"] = action.jobs;
  json["stages"] = action.stages;
  json["queryId"] = OrNull(action.query_id);
  json["callSite"] = TextOrNull(action.call_site);
  json["function"] = TextOrNull(action.function);
  json["file"] = TextOrNull(action.file);
  json["line"] = action.line ? Json(action.line) : Json(nullptr);
  json["description"] = TextOrNull(action.description);
  json["status"] = action.status;
  json["failureReason"] = TextOrNull(action.failure_reason);
  json["startedMs"] = action.started_ms;
  json["endedMs"] = OrNull(action.ended_ms);
  json["resultTasks"] = action.result_tasks;
  json["resultRows"] = OrNull(action.result_rows);
  json["resultBytes"] = action.result_bytes;
  json["broadcastBytes"] = action.broadcast_bytes;
  Json results = Json::array();
  for (const ReportStageResults& row : action.results) {
    results.push_back(Json{{"stageId", row.stage_id},
                           {"jobId", row.job_id},
                           {"purpose", row.broadcast ? "broadcast" : "result"},
                           {"tasks", row.tasks},
                           {"partitions", OrNull(row.partitions)},
                           {"resultBytes", row.result_bytes},
                           {"largestResultBytes", row.largest_result_bytes}});
  }
  json["results"] = std::move(results);
  return json;
}

Json DriverJson(const std::optional<ReportDriver>& driver) {
  if (!driver) return nullptr;
  Json actions = Json::array();
  for (const ReportAction& action : driver->actions) actions.push_back(ActionJson(action));
  Json others = nullptr;
  if (driver->other_actions) {
    others = Json{{"actions", driver->other_actions->actions},
                  {"resultTasks", driver->other_actions->result_tasks},
                  {"resultBytes", driver->other_actions->result_bytes},
                  {"broadcastBytes", driver->other_actions->broadcast_bytes}};
  }
  return Json{{"maxResultBytes", OrNull(driver->max_result_bytes)}, {"actions", std::move(actions)}, {"otherActions", std::move(others)}};
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
  json["survived"] = death.survived;
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
  json["jobId"] = OrNull(death.job_id);
  json["action"] = TextOrNull(death.action);
  json["addressSpace"] = std::move(space);
  Json stack = Json::array();
  for (const ReportFrame& frame : death.stack) stack.push_back(FrameJson(frame));
  json["stack"] = std::move(stack);
  json["processes"] = ProcessesJson(death.processes, true);
  Json regions = Json::array();
  for (const ReportRegionUse& region : death.regions) {
    regions.push_back(Json{{"name", region.name}, {"budgetBytes", OrNull(region.budget_bytes)}, {"bytes", OrNull(region.bytes)}});
  }
  json["regions"] = std::move(regions);
  Json sites = Json::array();
  for (const ReportSite& site : death.sites) sites.push_back(SiteJson(site));
  json["sites"] = std::move(sites);
  json["retained"] = RetainedJson(death.retained);
  json["heap"] = HeapShortageJson(death.heap);
  json["advice"] = AdviceJson(death.advice);
  return json;
}

std::string TextOf(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string Dump(const Json& json) { return TextOf(json) + "\n"; }

// A row as `convert` makes it, with its words.
template <typename Convert>
auto Worded(Convert convert) {
  return [convert](const auto& row) mutable {
    Json json = convert(row);
    AddWords(row, json);
    return json;
  };
}

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

// The members of a report, row by row: all rows of a report of 9 MB as values at once took 20 MB more of the driver's memory.
class Members {
 public:
  void Put(const char* name, const Json& value) {
    Begin(name);
    text_ += TextOf(value);
  }

  template <typename Row, typename Convert>
  void PutRows(const char* name, const std::vector<Row>& rows, Convert&& convert) {
    Begin(name);
    text_ += '[';
    for (const Row& row : rows) {
      if (&row != rows.data()) text_ += ',';
      text_ += TextOf(convert(row));
    }
    text_ += ']';
  }

  std::string Text() && { return std::move(text_ += "}\n"); }

 private:
  void Begin(const char* name) {
    text_ += text_.empty() ? '{' : ',';
    text_ += TextOf(Json(name));
    text_ += ':';
  }

  std::string text_;
};

}  // namespace

std::string WriteReportJson(const Report& report, Words words) {
  Members json;
  const auto put_rows = [&](const char* name, const auto& rows, auto convert) {
    words == Words::kAll ? json.PutRows(name, rows, Worded(convert)) : json.PutRows(name, rows, convert);
  };
  json.Put("schemaVersion", kReportSchemaVersion);
  json.Put("unfinished", report.unfinished);
  Json application;
  application["id"] = TextOrNull(report.application.id);
  application["name"] = TextOrNull(report.application.name);
  application["sparkVersion"] = TextOrNull(report.application.spark_version);
  application["pythonVersion"] = TextOrNull(report.application.python_version);
  application["master"] = TextOrNull(report.application.master);
  application["startedMs"] = OrNull(report.application.started_ms);
  application["endedMs"] = OrNull(report.application.ended_ms);
  json.Put("application", application);
  json.Put("sampling", Json{{"jvmIntervalBytes", OrNull(report.sampling.jvm_interval_bytes)},
                            {"pythonIntervalBytes", OrNull(report.sampling.python_interval_bytes)}});
  put_rows("executors", report.executors, ExecutorJson);
  const std::vector<size_t> tasks = TaskRowsShown(report.stages);
  put_rows("stages", report.stages,
           [&, i = size_t{0}](const ReportStage& stage) mutable { return StageJson(stage, Sites::kAll, tasks[i++]); });
  Json other_executors, other_stages;
  if (report.other_executors) {
    other_executors =
        Json{{"executors", report.other_executors->executors}, {"largestUsedBytes", OrNull(report.other_executors->largest_used_bytes)}};
  }
  if (report.other_stages) {
    other_stages = Json{{"stages", report.other_stages->stages},
                        {"tasks", report.other_stages->tasks},
                        {"otherAttempts", report.other_stages->other_attempts},
                        {"totals", SumsJson(report.other_stages->totals)}};
  }
  json.Put("otherExecutors", other_executors);
  json.Put("otherStages", other_stages);
  put_rows("leaks", report.leaks, LeakJson);
  put_rows("postMortems", report.post_mortems, PostMortemJson);
  json.PutRows("findings", report.findings, FindingJson);
  json.PutRows("cachedData", report.cached_data, CachedJson);
  json.PutRows("broadcasts", report.broadcasts, BroadcastJson);
  Json driver = DriverJson(report.driver);
  if (words == Words::kAll) AddWords(report.driver, driver);
  json.Put("driver", driver);
  Json counters = Json::object();
  for (const auto& [name, value] : report.counters) counters[name] = value;
  json.Put("counters", counters);
  json.PutRows("notAvailable", report.not_available, [](const ReportNotAvailable& entry) {
    return Json{{"what", entry.what}, {"why", entry.why}};
  });
  if (words == Words::kAll) json.Put("verdict", VerdictJson(report));
  return std::move(json).Text();
}

std::string WriteExecutorsJson(const Report& report, RowRange range) {
  return PageJson(report, "executors", report.executors, range, Worded(ExecutorJson));
}

std::string WriteStagesJson(const Report& report, RowRange range) {
  return PageJson(report, "stages", report.stages, range, Worded([](const ReportStage& stage) { return StageJson(stage, Sites::kNone); }));
}

std::string WriteStageJson(const ReportStage& stage) {
  Json json = StageJson(stage, Sites::kAll, TaskRowsShown({&stage, 1})[0]);
  AddWords(stage, json);
  return Dump(json);
}

std::string WriteTasksJson(const Report& report, const ReportStage& stage, RowRange range) {
  Json json;
  json["schemaVersion"] = kReportSchemaVersion;
  json["unfinished"] = report.unfinished;
  json["total"] = stage.task_rows.size();
  json["offset"] = range.offset;
  json["taskRows"] = TaskColumns(stage, range.offset, range.length);
  return Dump(json);
}

}  // namespace memprof
