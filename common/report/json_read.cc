#include <cmath>
#include <nlohmann/json.hpp>

#include "report/json.h"
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

ReportLine ReadLine(const Json& json, size_t sites) {
  ReportLine line;
  line.udf = ReadUdf(json);
  line.function = Text(json, "function");
  line.file = Text(json, "file");
  line.line = NumberOr<uint32_t>(json, "line", 0);
  line.source = Text(json, "source");
  line.tasks = NumberOr<uint64_t>(json, "tasks", 0);
  line.allocated_bytes = NumberOr<uint64_t>(json, "allocatedBytes", 0);
  line.allocations = NumberOr<uint64_t>(json, "allocations", 0);
  line.live_at_peak_bytes = Number<uint64_t>(json, "liveAtPeakBytes");
  line.resident_at_peak_bytes = Number<uint64_t>(json, "residentAtPeakBytes");
  line.live_at_end_bytes = Number<uint64_t>(json, "liveAtEndBytes");
  line.sampled = Flag(json, "sampled", false);
  line.error_bytes = Number<uint64_t>(json, "errorBytes");
  for (const Json& site : At(json, "sites")) {
    if (site.is_number_unsigned() && site.get<uint64_t>() < sites) line.sites.push_back(site.get<uint32_t>());
  }
  return line;
}

ReportSite ReadSite(const Json& json) {
  ReportSite site;
  site.origin = OriginOfWord(Text(json, "origin"));
  site.udf = ReadUdf(json);
  site.tasks = NumberOr<uint64_t>(json, "tasks", 0);
  site.allocated_bytes = NumberOr<uint64_t>(json, "allocatedBytes", 0);
  site.allocations = NumberOr<uint64_t>(json, "allocations", 0);
  site.live_at_peak_bytes = Number<uint64_t>(json, "liveAtPeakBytes");
  site.resident_at_peak_bytes = Number<uint64_t>(json, "residentAtPeakBytes");
  site.live_at_end_bytes = Number<uint64_t>(json, "liveAtEndBytes");
  site.retained_bytes = Number<uint64_t>(json, "retainedBytes");
  site.sampled = Flag(json, "sampled", false);
  site.error_bytes = Number<uint64_t>(json, "errorBytes");
  site.frames = List<ReportFrame>(json, "frames", ReadFrame);
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

void ReadGroup(const Json& json, ReportSiteGroup& group) {
  group.tasks = NumberOr<uint64_t>(json, "tasks", 0);
  group.sites = List<ReportSite>(json, "sites", ReadSite);
  group.lines = List<ReportLine>(json, "lines", [&](const Json& line) { return ReadLine(line, group.sites.size()); });
  group.remainders = List<ReportOriginSum>(json, "remainders", ReadSum);
  group.totals = List<ReportOriginSum>(json, "totals", ReadSum);
  group.arrow_pool = {Number<uint64_t>(json, "arrowPoolPeakBytes"), Number<uint64_t>(json, "arrowPoolEndBytes"),
                      Number<int64_t>(json, "arrowPoolGrowthBytes")};
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
  executor.added_ms = Number<int64_t>(json, "addedMs");
  executor.removed_ms = Number<int64_t>(json, "removedMs");
  executor.removed_reason = Text(json, "removedReason");
  executor.java_version = Text(json, "javaVersion");
  executor.agent_loaded = Text(json, "agentLoaded");
  return executor;
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
  death.time_ms = NumberOr<int64_t>(json, "timeMs", 0);
  death.limit_bytes = Number<uint64_t>(json, "limitBytes");
  death.used_bytes = Number<uint64_t>(json, "usedBytes");
  death.last_sample_age_ms = Number<int64_t>(json, "lastSampleAgeMs");
  death.stage_id = Number<int32_t>(json, "stageId");
  death.task_attempt_id = Number<int64_t>(json, "taskAttemptId");
  const Json& space = At(json, "addressSpace");
  if (space.is_object()) {
    death.address_space = ReportAddressSpace{Number<uint64_t>(space, "limitBytes"), NumberOr<uint64_t>(space, "virtualBytes", 0),
                                             NumberOr<uint64_t>(space, "residentBytes", 0), NumberOr<uint64_t>(space, "refusedBytes", 0)};
  }
  death.stack = List<ReportFrame>(json, "stack", ReadFrame);
  death.processes = List<ReportProcess>(json, "processes", [](const Json& process) { return ReadProcess(process, true); });
  death.sites = List<ReportSite>(json, "sites", ReadSite);
  death.advice = List<ReportAdvice>(json, "advice", [](const Json& piece) {
    return ReportAdvice{Text(piece, "conf"), Text(piece, "from"), Text(piece, "to"), Text(piece, "because")};
  });
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
