#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/json.h"
#include "report/json_tasks.h"
#include "report/words.h"

namespace memprof {
namespace {

using Json = nlohmann::ordered_json;

// A report is read from disk and may be damaged: every getter answers "absent" for a missing key or a wrong type.
const Json& At(const Json& json, const char* key) {
  static const Json absent;
  if (!json.is_object()) return absent;
  auto found = json.find(key);
  return found == json.end() ? absent : *found;
}

std::string Text(const Json& json, const char* key) {
  const Json& value = At(json, key);
  return value.is_string() ? value.get<std::string>() : std::string();
}

template <typename T>
std::optional<T> Number(const Json& json, const char* key) {
  const Json& value = At(json, key);
  if (value.is_number_unsigned()) {
    uint64_t number = value.get<uint64_t>();
    if (number <= static_cast<uint64_t>(std::numeric_limits<T>::max())) return static_cast<T>(number);
    return std::nullopt;
  }
  if constexpr (std::is_signed_v<T>) {
    if (value.is_number_integer()) {
      int64_t number = value.get<int64_t>();
      if (number >= std::numeric_limits<T>::min()) return static_cast<T>(number);
    }
  }
  return std::nullopt;
}

template <typename T>
T NumberOr(const Json& json, const char* key, T otherwise) {
  return Number<T>(json, key).value_or(otherwise);
}

bool Flag(const Json& json, const char* key, bool otherwise) {
  const Json& value = At(json, key);
  return value.is_boolean() ? value.get<bool>() : otherwise;
}

template <typename T, typename Reader>
std::vector<T> List(const Json& json, const char* key, Reader read) {
  std::vector<T> list;
  const Json& value = At(json, key);
  if (!value.is_array()) return list;
  list.reserve(value.size());
  for (const Json& element : value) {
    if (element.is_object()) list.push_back(read(element));
  }
  return list;
}

ReportFrame ReadFrame(const Json& json) {
  ReportFrame frame;
  frame.language = LanguageOfWord(Text(json, "language"));
  frame.function = Text(json, "function");
  frame.file = Text(json, "file");
  frame.line = NumberOr<uint32_t>(json, "line", 0);
  frame.module = Text(json, "module");
  frame.offset = Number<uint64_t>(json, "offset");
  frame.build_id = Text(json, "buildId");
  return frame;
}

std::optional<ReportUdf> ReadUdf(const Json& json) {
  ReportUdf udf{Text(json, "udfName"), Text(json, "udfKind"), Text(json, "udfFile"), NumberOr<uint32_t>(json, "udfLine", 0)};
  return udf == ReportUdf() ? std::nullopt : std::optional(std::move(udf));
}

// Of a line, a site or a UDF.
template <typename Row>
void ReadFigures(const Json& json, Row& row) {
  row.tasks = NumberOr<uint64_t>(json, "tasks", 0);
  row.allocated_bytes = NumberOr<uint64_t>(json, "allocatedBytes", 0);
  row.allocations = NumberOr<uint64_t>(json, "allocations", 0);
  row.live_at_peak_bytes = Number<uint64_t>(json, "liveAtPeakBytes");
  row.resident_at_peak_bytes = Number<uint64_t>(json, "residentAtPeakBytes");
  row.live_at_end_bytes = Number<uint64_t>(json, "liveAtEndBytes");
  row.sampled = Flag(json, "sampled", false);
  row.error_bytes = Number<uint64_t>(json, "errorBytes");
}

ReportLine ReadLine(const Json& json, size_t sites) {
  ReportLine line;
  line.udf = ReadUdf(json);
  line.function = Text(json, "function");
  line.file = Text(json, "file");
  line.line = NumberOr<uint32_t>(json, "line", 0);
  line.source = Text(json, "source");
  ReadFigures(json, line);
  for (const Json& site : At(json, "sites")) {
    if (site.is_number_unsigned() && site.get<uint64_t>() < sites) line.sites.push_back(site.get<uint32_t>());
  }
  return line;
}

ReportSite ReadSite(const Json& json) {
  ReportSite site;
  site.origin = OriginOfWord(Text(json, "origin"));
  site.udf = ReadUdf(json);
  ReadFigures(json, site);
  site.retained_bytes = Number<uint64_t>(json, "retainedBytes");
  site.frames = List<ReportFrame>(json, "frames", ReadFrame);
  site.spark_operator = Text(json, "operator");
  site.asked_by = Number<uint32_t>(json, "askedBy");
  if (site.asked_by && *site.asked_by >= site.frames.size()) site.asked_by.reset();
  site.stage_id = Number<int32_t>(json, "stageId");
  return site;
}

ReportLeak ReadLeak(const Json& json) {
  ReportLeak leak;
  leak.udf = ReadUdf(json);
  leak.function = Text(json, "function");
  leak.file = Text(json, "file");
  leak.line = NumberOr<uint32_t>(json, "line", 0);
  leak.workers = NumberOr<uint64_t>(json, "workers", 0);
  leak.live_bytes = NumberOr<uint64_t>(json, "liveBytes", 0);
  const Json& largest = At(json, "largest");
  leak.largest.executor_id = Text(largest, "executorId");
  leak.largest.pid = NumberOr<int32_t>(largest, "pid", 0);
  leak.largest.tasks = NumberOr<uint64_t>(largest, "tasks", 0);
  leak.largest.tasks_with_bytes = NumberOr<uint64_t>(largest, "tasksWithBytes", 0);
  leak.largest.per_task_bytes = NumberOr<uint64_t>(largest, "perTaskBytes", 0);
  leak.largest.per_task_low_bytes = NumberOr<uint64_t>(largest, "perTaskLowBytes", 0);
  leak.largest.per_task_high_bytes = NumberOr<uint64_t>(largest, "perTaskHighBytes", 0);
  leak.largest.live_bytes = NumberOr<uint64_t>(largest, "liveBytes", 0);
  return leak;
}

ReportOriginSum ReadSum(const Json& json) {
  ReportOriginSum sum;
  sum.origin = OriginOfWord(Text(json, "origin"));
  sum.sites = NumberOr<uint64_t>(json, "sites", 0);
  sum.allocated_bytes = NumberOr<uint64_t>(json, "allocatedBytes", 0);
  sum.allocations = NumberOr<uint64_t>(json, "allocations", 0);
  sum.live_at_peak_bytes = Number<uint64_t>(json, "liveAtPeakBytes");
  return sum;
}

ReportOperator ReadOperator(const Json& json) {
  return {Text(json, "operator"), OriginOfWord(Text(json, "origin")), NumberOr<uint64_t>(json, "sites", 0),
          NumberOr<uint64_t>(json, "allocatedBytes", 0), NumberOr<uint64_t>(json, "allocations", 0)};
}

ReportUdfShare ReadUdfShare(const Json& json) {
  ReportUdfShare share;
  share.udf = ReadUdf(json);
  ReadFigures(json, share);
  return share;
}

void ReadGroup(const Json& json, ReportSiteGroup& group) {
  group.tasks = NumberOr<uint64_t>(json, "tasks", 0);
  group.udfs = List<ReportUdfShare>(json, "udfs", ReadUdfShare);
  group.sites = List<ReportSite>(json, "sites", ReadSite);
  group.lines = List<ReportLine>(json, "lines", [&](const Json& line) { return ReadLine(line, group.sites.size()); });
  group.operators = List<ReportOperator>(json, "operators", ReadOperator);
  group.remainders = List<ReportOriginSum>(json, "remainders", ReadSum);
  group.totals = List<ReportOriginSum>(json, "totals", ReadSum);
  group.arrow_pool = {Number<uint64_t>(json, "arrowPoolPeakBytes"), Number<uint64_t>(json, "arrowPoolEndBytes"),
                      Number<int64_t>(json, "arrowPoolGrowthBytes")};
}

bool IsOffHeap(const Json& json) { return Text(json, "mode") == "offHeap"; }

ReportPoolMoment ReadPoolMoment(const Json& json) {
  return {IsOffHeap(json), NumberOr<uint64_t>(json, "maxBytes", 0), Number<uint64_t>(json, "storageRegionBytes"),
          NumberOr<uint64_t>(json, "storageBytes", 0), NumberOr<uint64_t>(json, "executionBytes", 0)};
}

ReportStageMemory ReadStageMemory(const Json& json) {
  ReportStageMemory memory;
  memory.consumers = List<ReportMemoryConsumer>(json, "consumers", [](const Json& row) {
    return ReportMemoryConsumer{Text(row, "name"), Text(row, "operation"), IsOffHeap(row), NumberOr<uint64_t>(row, "tasks", 0),
                                NumberOr<uint64_t>(row, "peakBytes", 0)};
  });
  memory.peak_execution_bytes = Number<uint64_t>(json, "peakExecutionBytes");
  memory.spilled_memory_bytes = Number<uint64_t>(json, "spilledMemoryBytes");
  memory.spilled_disk_bytes = Number<uint64_t>(json, "spilledDiskBytes");
  memory.tasks_spilled = NumberOr<uint64_t>(json, "tasksSpilled", 0);
  memory.fullest = List<ReportPoolMoment>(json, "fullest", ReadPoolMoment);
  return memory;
}

ReportSparkPool ReadSparkPool(const Json& json) {
  ReportSparkPool pool;
  pool.last = ReadPoolMoment(json);
  pool.last_ms = NumberOr<int64_t>(json, "lastMs", 0);
  pool.storage_pool_bytes = NumberOr<uint64_t>(json, "storagePoolBytes", 0);
  pool.storage_peak_bytes = NumberOr<uint64_t>(json, "storagePeakBytes", 0);
  pool.execution_peak_bytes = NumberOr<uint64_t>(json, "executionPeakBytes", 0);
  pool.storage_borrowed_peak_bytes = Number<uint64_t>(json, "storageBorrowedPeakBytes");
  pool.execution_borrowed_peak_bytes = Number<uint64_t>(json, "executionBorrowedPeakBytes");
  pool.unevictable_peak_bytes = Number<uint64_t>(json, "unevictablePeakBytes");
  return pool;
}

ReportStage ReadStage(const Json& json) {
  ReportStage stage;
  ReadGroup(json, stage);
  stage.stage_id = NumberOr<int32_t>(json, "stageId", 0);
  stage.attempt = NumberOr<int32_t>(json, "attempt", 0);
  stage.name = Text(json, "name");
  stage.call_site = Text(json, "callSite");
  stage.status = Text(json, "status");
  stage.failure_reason = Text(json, "failureReason");
  stage.submitted_ms = Number<int64_t>(json, "submittedMs");
  stage.completed_ms = Number<int64_t>(json, "completedMs");
  stage.partitions = Number<uint64_t>(json, "partitions");
  stage.profiled_tasks = NumberOr<uint64_t>(json, "profiledTasks", 0);
  stage.partial_tasks = NumberOr<uint64_t>(json, "partialTasks", 0);
  stage.memory = ReadStageMemory(At(json, "sparkMemory"));
  ReadTasks(json, stage);
  const Json& other = At(json, "otherAttempts");
  ReadGroup(other, stage.other_attempts);
  stage.other_attempts.failed = NumberOr<uint64_t>(other, "failed", 0);
  stage.other_attempts.killed = NumberOr<uint64_t>(other, "killed", 0);
  stage.other_attempts.lost = NumberOr<uint64_t>(other, "lost", 0);
  stage.other_attempts.superseded = NumberOr<uint64_t>(other, "superseded", 0);
  stage.other_attempts.unknown = NumberOr<uint64_t>(other, "unknown", 0);
  stage.other_attempts.errors = List<ReportTaskError>(other, "errors", [](const Json& error) {
    return ReportTaskError{Text(error, "message"), NumberOr<uint64_t>(error, "tasks", 0)};
  });
  return stage;
}

ReportRow ReadRow(const Json& json) { return {Text(json, "name"), NumberOr<uint64_t>(json, "bytes", 0)}; }

ReportBaseline ReadBaseline(const Json& json) {
  ReportBaseline baseline;
  baseline.start_rss_bytes = NumberOr<uint64_t>(json, "startRssBytes", 0);
  baseline.first_task_rss_bytes = Number<uint64_t>(json, "firstTaskRssBytes");
  baseline.modules = List<ReportImport>(json, "modules", [](const Json& row) {
    return ReportImport{Text(row, "name"), NumberOr<uint64_t>(row, "liveBytes", 0), NumberOr<uint64_t>(row, "withImportsBytes", 0)};
  });
  return baseline;
}

ReportProcess ReadProcess(const Json& json, bool of_moment) {
  ReportProcess process;
  process.pid = NumberOr<int32_t>(json, "pid", 0);
  process.kind = Text(json, "kind");
  process.peak_rss_bytes = NumberOr<uint64_t>(json, of_moment ? "bytes" : "peakRssBytes", 0);
  process.rows = List<ReportRow>(json, of_moment ? "rows" : "peakRows", ReadRow);
  process.unattributed_bytes = NumberOr<int64_t>(json, "unattributedBytes", 0);
  process.rows_rss_bytes = Number<uint64_t>(json, "peakRowsRssBytes");
  process.last_task_attempt_id = Number<int64_t>(json, "lastTaskAttemptId");
  process.alive = Flag(json, "alive", false);
  if (const Json& baseline = At(json, "baseline"); baseline.is_object()) process.baseline = ReadBaseline(baseline);
  return process;
}

constexpr size_t kMostSamples = 10'000;  // of one executor; ours are far fewer

// KiB, as samples have them, of a whole number of bytes.
uint32_t Kib(const Json& bytes) { return bytes.is_number_unsigned() ? TimeSample::ToKib(bytes.get<uint64_t>()) : kNoFigure; }

template <typename Put>
void ReadPairs(const Json& lists, size_t most, std::vector<TimeSample>& samples, Put put) {
  for (size_t i = 0; lists.is_array() && i < std::min(lists.size(), samples.size()); ++i) {
    size_t entry = 0;
    for (const Json& pair : lists[i]) {
      const bool good = pair.is_array() && pair.size() == 2 && pair[0].is_number_unsigned() && pair[1].is_number_unsigned() &&
                        pair[0].get<uint64_t>() <= INT32_MAX;
      if (good && entry < most) put(samples[i], entry++, pair[0].get<int32_t>(), pair[1]);
    }
  }
}

std::optional<ReportTimeLine> ReadTimeLine(const Json& json) {
  const Json& times = At(json, "timesMs");
  if (!times.is_array() || times.empty() || times.size() > kMostSamples) return std::nullopt;
  ReportTimeLine line;
  line.samples.resize(times.size());
  for (size_t i = 0; i < times.size(); ++i) {
    if (!times[i].is_number_unsigned() || times[i].get<uint64_t>() > uint64_t{1} << 53) return std::nullopt;
    line.samples[i].time_ms = times[i].get<int64_t>();
    if (i > 0 && line.samples[i].time_ms <= line.samples[i - 1].time_ms) return std::nullopt;
  }
  auto each = [&](const Json& list, auto put) {
    for (size_t i = 0; list.is_array() && i < std::min(list.size(), line.samples.size()); ++i) put(line.samples[i], list[i]);
  };
  auto count = [](const Json& value) { return value.is_number_unsigned() ? static_cast<uint32_t>(value.get<uint64_t>()) : 0; };
  each(At(json, "runningTasks"), [&](TimeSample& sample, const Json& value) { sample.running_tasks = count(value); });
  each(At(json, "taskStarts"), [&](TimeSample& sample, const Json& value) { sample.task_starts = count(value); });
  each(At(json, "gcPauses"), [&](TimeSample& sample, const Json& value) { sample.pauses = count(value); });
  each(At(json, "gcStoppedMicros"), [&](TimeSample& sample, const Json& value) { sample.stopped_us = count(value); });
  each(At(json, "pressurePercent"), [&](TimeSample& sample, const Json& value) {
    if (value.is_number() && value.get<double>() >= 0 && value.get<double>() <= 100) {
      sample[Gauge::kPressure] = static_cast<uint32_t>(std::lround(value.get<double>() * 100));
    }
  });
  for (const Json& series : At(json, "series")) {
    const auto name = std::find(kGaugeNames.begin(), kGaugeNames.end(), Text(series, "name"));
    if (name == kGaugeNames.end() || *name == kGaugeNames[static_cast<size_t>(Gauge::kPressure)]) continue;  // the rest is worked out
    const auto gauge = static_cast<Gauge>(name - kGaugeNames.begin());
    each(At(series, "bytes"), [&](TimeSample& sample, const Json& value) { sample[gauge] = Kib(value); });
  }
  ReadPairs(At(json, "workers"), TimeSample::kWorkers, line.samples, [](TimeSample& sample, size_t entry, int32_t pid, const Json& bytes) {
    sample.workers[entry] = {pid, Kib(bytes)};
  });
  ReadPairs(At(json, "stages"), TimeSample::kStages, line.samples, [&](TimeSample& sample, size_t entry, int32_t id, const Json& tasks) {
    sample.stages[entry] = {id, count(tasks)};
  });
  line.thinned = NumberOr<uint64_t>(json, "thinnedSamples", 0);
  return line;
}

std::optional<ReportRetained> ReadRetained(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  ReportRetained retained;
  retained.time_ms = NumberOr<int64_t>(json, "timeMs", 0);
  retained.collection = Text(json, "collection");
  retained.heap_used_after_bytes = NumberOr<uint64_t>(json, "heapUsedAfterBytes", 0);
  retained.heap_max_bytes = Number<uint64_t>(json, "heapMaxBytes");
  retained.total_bytes = NumberOr<uint64_t>(json, "totalBytes", 0);
  retained.error_bytes = Number<uint64_t>(json, "errorBytes");
  retained.sites = List<ReportRetainedSite>(json, "sites", [](const Json& row) {
    ReportRetainedSite site;
    site.retained_bytes = NumberOr<uint64_t>(row, "retainedBytes", 0);
    site.objects = NumberOr<uint64_t>(row, "objects", 0);
    site.error_bytes = Number<uint64_t>(row, "errorBytes");
    site.stage_id = Number<int32_t>(row, "stageId");
    site.stage_attempt = Number<int32_t>(row, "stageAttempt");
    site.thread = Text(row, "thread");
    site.frames = List<ReportFrame>(row, "frames", ReadFrame);
    return site;
  });
  retained.other_sites = NumberOr<uint64_t>(json, "otherSites", 0);
  retained.other_bytes = NumberOr<uint64_t>(json, "otherBytes", 0);
  return retained;
}

std::optional<ReportHeapShortage> ReadHeapShortage(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  ReportHeapShortage heap;
  heap.time_ms = NumberOr<int64_t>(json, "timeMs", 0);
  heap.error = Text(json, "error");
  heap.thread = Text(json, "thread");
  heap.errors = NumberOr<uint64_t>(json, "errors", 0);
  heap.total_bytes = Number<uint64_t>(json, "totalBytes");
  heap.total_objects = Number<uint64_t>(json, "totalObjects");
  heap.cut_short = Flag(json, "cutShort", false);
  heap.classes = List<ReportHeapClass>(json, "classes", [](const Json& row) {
    return ReportHeapClass{Text(row, "name"), NumberOr<uint64_t>(row, "bytes", 0), NumberOr<uint64_t>(row, "objects", 0)};
  });
  heap.other_classes = NumberOr<uint64_t>(json, "otherClasses", 0);
  heap.other_bytes = NumberOr<uint64_t>(json, "otherBytes", 0);
  heap.regions = List<ReportRow>(json, "regions", [](const Json& row) {
    return ReportRow{Text(row, "name"), NumberOr<uint64_t>(row, "bytes", 0)};
  });
  return heap;
}

ReportCollector ReadCollector(const Json& json) {
  ReportCollector collector;
  collector.collector = Text(json, "collector");
  collector.stops_the_world = Flag(json, "stopsTheWorld", true);
  collector.collections = NumberOr<uint64_t>(json, "collections", 0);
  collector.total_ms = NumberOr<uint64_t>(json, "totalMs", 0);
  collector.longest_ms = NumberOr<uint64_t>(json, "longestMs", 0);
  collector.longest_before_bytes = NumberOr<uint64_t>(json, "longestBeforeBytes", 0);
  collector.longest_after_bytes = NumberOr<uint64_t>(json, "longestAfterBytes", 0);
  collector.last_before_bytes = NumberOr<uint64_t>(json, "lastBeforeBytes", 0);
  collector.last_after_bytes = NumberOr<uint64_t>(json, "lastAfterBytes", 0);
  for (const Json& cause : At(json, "causes")) {
    if (cause.is_object()) collector.causes.emplace_back(Text(cause, "cause"), NumberOr<uint64_t>(cause, "collections", 0));
  }
  return collector;
}

ReportExecutor ReadExecutor(const Json& json) {
  ReportExecutor executor;
  executor.id = Text(json, "id");
  executor.host = Text(json, "host");
  executor.cores = Number<int64_t>(json, "cores");
  executor.limit_bytes = Number<uint64_t>(json, "limitBytes");
  executor.limit_source = Text(json, "limitSource");
  executor.limit_shared = Flag(json, "limitShared", false);
  executor.limit_enforced = Flag(json, "limitEnforced", true);
  executor.requested_bytes = Number<uint64_t>(json, "requestedBytes");
  executor.host_memory_bytes = Number<uint64_t>(json, "hostMemoryBytes");
  executor.heap_max_bytes = Number<uint64_t>(json, "heapMaxBytes");
  executor.heap_used_peak_bytes = Number<uint64_t>(json, "heapUsedPeakBytes");
  executor.direct_peak_bytes = Number<uint64_t>(json, "directPeakBytes");
  executor.regions = List<ReportRegion>(json, "regions", [](const Json& region) {
    return ReportRegion{Text(region, "name"), Number<uint64_t>(region, "budgetBytes"), Number<uint64_t>(region, "peakBytes")};
  });
  executor.spark_pools = List<ReportSparkPool>(json, "sparkMemory", ReadSparkPool);
  executor.processes = List<ReportProcess>(json, "processes", [](const Json& process) { return ReadProcess(process, false); });
  const Json& peak = At(json, "atPeak");
  if (peak.is_object()) {
    ReportMoment moment;
    moment.time_ms = NumberOr<int64_t>(peak, "timeMs", 0);
    moment.used_bytes = NumberOr<uint64_t>(peak, "usedBytes", 0);
    moment.regions = List<ReportRow>(peak, "regions", ReadRow);
    moment.processes = List<ReportProcess>(peak, "processes", [](const Json& process) { return ReadProcess(process, true); });
    for (const Json& task : At(peak, "activeTasks")) {
      if (task.is_number_integer()) moment.active_tasks.push_back(task.get<int64_t>());
    }
    moment.unattributed_bytes = NumberOr<int64_t>(peak, "unattributedBytes", 0);
    executor.at_peak = std::move(moment);
  }
  executor.time_line = ReadTimeLine(At(json, "timeline"));
  executor.retained = ReadRetained(At(json, "retained"));
  executor.nearly_full_heap = ReadHeapShortage(At(json, "nearlyFullHeap"));
  executor.gc = List<ReportCollector>(json, "gc", ReadCollector);
  executor.gc_stopped_ms = Number<uint64_t>(json, "gcStoppedMs");
  executor.added_ms = Number<int64_t>(json, "addedMs");
  executor.removed_ms = Number<int64_t>(json, "removedMs");
  executor.removed_reason = Text(json, "removedReason");
  executor.java_version = Text(json, "javaVersion");
  executor.agent_loaded = Text(json, "agentLoaded");
  return executor;
}

std::vector<ReportAdvice> ReadAdvice(const Json& json) {
  return List<ReportAdvice>(json, "advice", [](const Json& piece) {
    return ReportAdvice{Text(piece, "conf"), Text(piece, "from"), Text(piece, "to"), Text(piece, "because")};
  });
}

ReportFinding ReadFinding(const Json& json) {
  return {Text(json, "headline"), Number<int32_t>(json, "stageId"), Number<int32_t>(json, "attempt"), ReadAdvice(json)};
}

ReportCachedData ReadCached(const Json& json) {
  ReportCachedData cached;
  cached.rdd_id = NumberOr<int64_t>(json, "rddId", 0);
  cached.name = Text(json, "name");
  cached.call_site = Text(json, "callSite");
  cached.storage_level = Text(json, "storageLevel");
  cached.deserialized = Flag(json, "deserialized", false);
  cached.off_heap = IsOffHeap(json);
  cached.partitions = Number<uint64_t>(json, "partitions");
  cached.blocks = NumberOr<uint64_t>(json, "blocks", 0);
  cached.memory_bytes = NumberOr<uint64_t>(json, "memoryBytes", 0);
  cached.disk_bytes = NumberOr<uint64_t>(json, "diskBytes", 0);
  cached.peak_blocks = NumberOr<uint64_t>(json, "peakBlocks", 0);
  cached.peak_memory_bytes = NumberOr<uint64_t>(json, "peakMemoryBytes", 0);
  cached.peak_disk_bytes = NumberOr<uint64_t>(json, "peakDiskBytes", 0);
  cached.executors = List<ReportCachedShare>(json, "executors", [](const Json& share) {
    return ReportCachedShare{Text(share, "id"), NumberOr<uint64_t>(share, "memoryBytes", 0), NumberOr<uint64_t>(share, "diskBytes", 0)};
  });
  return cached;
}

ReportBroadcast ReadBroadcast(const Json& json) {
  return {NumberOr<int64_t>(json, "id", 0),
          NumberOr<uint64_t>(json, "bytes", 0),
          NumberOr<uint64_t>(json, "peakMemoryBytes", 0),
          NumberOr<uint64_t>(json, "peakDiskBytes", 0),
          NumberOr<uint64_t>(json, "memoryBytes", 0),
          NumberOr<uint64_t>(json, "driverPeakBytes", 0)};
}

std::vector<int32_t> ReadIds(const Json& json, const char* key) {
  std::vector<int32_t> ids;
  const Json& value = At(json, key);
  if (!value.is_array()) return ids;
  for (const Json& id : value) {
    const int64_t number = id.is_number_integer() ? id.get<int64_t>() : -1;
    if (number >= 0 && number <= std::numeric_limits<int32_t>::max()) ids.push_back(static_cast<int32_t>(number));
  }
  return ids;
}

ReportAction ReadAction(const Json& json) {
  ReportAction action;
  action.jobs = ReadIds(json, "jobs");
  action.stages = ReadIds(json, "stages");
  action.query_id = Number<int64_t>(json, "queryId");
  action.call_site = Text(json, "callSite");
  action.function = Text(json, "function");
  action.file = Text(json, "file");
  action.line = NumberOr<uint32_t>(json, "line", 0);
  action.description = Text(json, "description");
  action.status = Text(json, "status");
  action.failure_reason = Text(json, "failureReason");
  action.started_ms = NumberOr<int64_t>(json, "startedMs", 0);
  action.ended_ms = Number<int64_t>(json, "endedMs");
  action.result_tasks = NumberOr<uint64_t>(json, "resultTasks", 0);
  action.result_rows = Number<uint64_t>(json, "resultRows");
  action.result_bytes = NumberOr<uint64_t>(json, "resultBytes", 0);
  action.broadcast_bytes = NumberOr<uint64_t>(json, "broadcastBytes", 0);
  action.results = List<ReportStageResults>(json, "results", [](const Json& row) {
    return ReportStageResults{NumberOr<int32_t>(row, "stageId", 0),
                              NumberOr<int32_t>(row, "jobId", 0),
                              Text(row, "purpose") == "broadcast",
                              NumberOr<uint64_t>(row, "tasks", 0),
                              Number<uint64_t>(row, "partitions"),
                              NumberOr<uint64_t>(row, "resultBytes", 0),
                              NumberOr<uint64_t>(row, "largestResultBytes", 0)};
  });
  return action;
}

std::optional<ReportDriver> ReadDriver(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  ReportDriver driver;
  driver.max_result_bytes = Number<uint64_t>(json, "maxResultBytes");
  driver.actions = List<ReportAction>(json, "actions", ReadAction);
  if (const Json& others = At(json, "otherActions"); others.is_object()) {
    driver.other_actions =
        ReportOtherActions{NumberOr<uint64_t>(others, "actions", 0), NumberOr<uint64_t>(others, "resultTasks", 0),
                           NumberOr<uint64_t>(others, "resultBytes", 0), NumberOr<uint64_t>(others, "broadcastBytes", 0)};
  }
  return driver;
}

ReportPostMortem ReadPostMortem(const Json& json) {
  ReportPostMortem death;
  death.executor_id = Text(json, "executorId");
  death.process = Text(json, "process");
  death.pid = Number<int32_t>(json, "pid");
  death.exit_code = Number<int32_t>(json, "exitCode");
  death.how = Text(json, "how");
  death.headline = Text(json, "headline");
  death.reason = Text(json, "reason");
  death.out_of_memory = Flag(json, "outOfMemory", false);
  death.survived = Flag(json, "survived", false);
  death.time_ms = NumberOr<int64_t>(json, "timeMs", 0);
  death.limit_bytes = Number<uint64_t>(json, "limitBytes");
  death.used_bytes = Number<uint64_t>(json, "usedBytes");
  death.last_sample_age_ms = Number<int64_t>(json, "lastSampleAgeMs");
  death.stage_id = Number<int32_t>(json, "stageId");
  death.task_attempt_id = Number<int64_t>(json, "taskAttemptId");
  death.job_id = Number<int32_t>(json, "jobId");
  death.action = Text(json, "action");
  const Json& space = At(json, "addressSpace");
  if (space.is_object()) {
    death.address_space = ReportAddressSpace{Number<uint64_t>(space, "limitBytes"), NumberOr<uint64_t>(space, "virtualBytes", 0),
                                             NumberOr<uint64_t>(space, "residentBytes", 0), NumberOr<uint64_t>(space, "refusedBytes", 0)};
  }
  death.stack = List<ReportFrame>(json, "stack", ReadFrame);
  death.processes = List<ReportProcess>(json, "processes", [](const Json& process) { return ReadProcess(process, true); });
  death.regions = List<ReportRegionUse>(json, "regions", [](const Json& region) {
    return ReportRegionUse{Text(region, "name"), Number<uint64_t>(region, "budgetBytes"), Number<uint64_t>(region, "bytes")};
  });
  death.sites = List<ReportSite>(json, "sites", ReadSite);
  death.retained = ReadRetained(At(json, "retained"));
  death.heap = ReadHeapShortage(At(json, "heap"));
  death.advice = ReadAdvice(json);
  return death;
}

}  // namespace

Result<Report> ReadReportJson(std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return Status::Error(ErrorCode::kCorrupt, "not a report: this is not JSON (cut off, or another file)");
  std::optional<int64_t> version = Number<int64_t>(json, "schemaVersion");
  if (!version || !At(json, "stages").is_array() || !At(json, "executors").is_array()) {
    return Status::Error(ErrorCode::kCorrupt, "not a sparkmemprof report: schemaVersion, executors or stages are missing");
  }
  if (*version != kReportSchemaVersion) {
    return Status::Error(ErrorCode::kUnsupported, "report of schema version %lld; this sparkmemprof reads version %d",
                         static_cast<long long>(*version), kReportSchemaVersion);
  }
  Report report;
  report.unfinished = Flag(json, "unfinished", false);
  const Json& application = At(json, "application");
  report.application.id = Text(application, "id");
  report.application.name = Text(application, "name");
  report.application.spark_version = Text(application, "sparkVersion");
  report.application.python_version = Text(application, "pythonVersion");
  report.application.master = Text(application, "master");
  report.application.started_ms = Number<int64_t>(application, "startedMs");
  report.application.ended_ms = Number<int64_t>(application, "endedMs");
  const Json& sampling = At(json, "sampling");
  report.sampling.jvm_interval_bytes = Number<uint64_t>(sampling, "jvmIntervalBytes");
  report.sampling.python_interval_bytes = Number<uint64_t>(sampling, "pythonIntervalBytes");
  report.executors = List<ReportExecutor>(json, "executors", ReadExecutor);
  report.findings = List<ReportFinding>(json, "findings", ReadFinding);
  report.cached_data = List<ReportCachedData>(json, "cachedData", ReadCached);
  report.broadcasts = List<ReportBroadcast>(json, "broadcasts", ReadBroadcast);
  report.driver = ReadDriver(At(json, "driver"));
  report.stages = List<ReportStage>(json, "stages", ReadStage);
  if (const Json& other = At(json, "otherExecutors"); other.is_object()) {
    report.other_executors = {NumberOr<uint64_t>(other, "executors", 0), Number<uint64_t>(other, "largestUsedBytes")};
  }
  if (const Json& other = At(json, "otherStages"); other.is_object()) {
    report.other_stages = {NumberOr<uint64_t>(other, "stages", 0), NumberOr<uint64_t>(other, "tasks", 0),
                           NumberOr<uint64_t>(other, "otherAttempts", 0), List<ReportOriginSum>(other, "totals", ReadSum)};
  }
  report.leaks = List<ReportLeak>(json, "leaks", ReadLeak);
  report.post_mortems = List<ReportPostMortem>(json, "postMortems", ReadPostMortem);
  const Json& counters = At(json, "counters");
  if (counters.is_object()) {
    for (const auto& [name, value] : counters.items()) {
      if (value.is_number_unsigned()) report.counters.emplace_back(name, value.get<uint64_t>());
    }
  }
  report.not_available = List<ReportNotAvailable>(json, "notAvailable", [](const Json& entry) {
    return ReportNotAvailable{Text(entry, "what"), Text(entry, "why")};
  });
  return report;
}

}  // namespace memprof
