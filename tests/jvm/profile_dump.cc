// profile_dump FILE: prints a serialised memprof.proto.Envelope as JSON, its frames and stacks resolved. A test tool.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "proto/memprof.pb.h"
#include "timeline/packing.h"

namespace {

using nlohmann::json;
namespace proto = memprof::proto;

const char* const kLanguages[] = {"unknown", "python", "native", "java"};
const char* const kOrigins[] = {"unknown", "python", "jvm-heap", "jvm-offheap", "jvm-native"};

json Rows(const google::protobuf::RepeatedPtrField<proto::NamedBytes>& rows) {
  json out = json::object();
  for (const proto::NamedBytes& row : rows) out[row.name()] = row.bytes();
  return out;
}

json Counters(const google::protobuf::RepeatedPtrField<proto::Counter>& counters) {
  json out = json::object();
  for (const proto::Counter& counter : counters) out[counter.name()] = counter.value();
  return out;
}

json Processes(const google::protobuf::RepeatedPtrField<proto::Process>& processes) {
  json out = json::array();
  for (const proto::Process& process : processes) {
    json one = {{"pid", process.pid()},
                {"kind", process.kind()},
                {"peakRssBytes", process.peak_rss_bytes()},
                {"rows", Rows(process.peak_rows())},
                {"unattributedBytes", process.unattributed_bytes()},
                {"alive", process.alive()}};
    if (process.has_last_task_attempt_id()) one["lastTaskAttemptId"] = process.last_task_attempt_id();
    out.push_back(one);
  }
  return out;
}

json Executor(const proto::ExecutorSnapshot& executor) {
  json out = {{"takenMs", executor.taken_ms()},
              {"jvmPid", executor.jvm_pid()},
              {"host", executor.host()},
              {"cgroupShared", executor.cgroup_shared()},
              {"cgroupUnseen", executor.cgroup_unseen()},
              {"processes", Processes(executor.processes())},
              {"javaVersion", executor.java_version()},
              {"agentLoaded", executor.agent_loaded()},
              {"exitsOnOutOfMemory", executor.exits_on_out_of_memory()},
              {"killsItselfOnOutOfMemory", executor.kills_itself_on_out_of_memory()},
              {"counters", Counters(executor.counters())},
              {"notAvailable", json::object()}};
  for (const proto::NotAvailable& entry : executor.not_available()) out["notAvailable"][entry.what()] = entry.why();
  if (executor.has_cgroup_limit_bytes()) out["cgroupLimitBytes"] = executor.cgroup_limit_bytes();
  if (executor.has_host_memory_bytes()) out["hostMemoryBytes"] = executor.host_memory_bytes();
  out["hostIsGroup"] = executor.host_is_group();
  if (executor.has_heap_max_bytes()) out["heapMaxBytes"] = executor.heap_max_bytes();
  const auto use = [](const proto::HeapUse& of) {
    return json{{"bytes", of.bytes()}, {"collection", of.collection()}, {"timeMs", of.time_ms()}};
  };
  if (executor.has_heap_after_gc()) out["heapAfterGc"] = use(executor.heap_after_gc());
  if (executor.has_heap_after_gc_peak()) out["heapAfterGcPeak"] = use(executor.heap_after_gc_peak());
  if (executor.has_spark_storage_peak_bytes()) out["sparkStoragePeakBytes"] = executor.spark_storage_peak_bytes();
  if (executor.has_spark_unroll_peak_bytes()) out["sparkUnrollPeakBytes"] = executor.spark_unroll_peak_bytes();
  if (executor.has_gc_watched_ms()) out["gc"] = {{"stoppedMs", executor.gc_stopped_ms()}, {"watchedMs", executor.gc_watched_ms()}};
  if (executor.has_spark_execution_peak_bytes()) out["sparkExecutionPeakBytes"] = executor.spark_execution_peak_bytes();
  if (executor.has_offheap_peak_bytes()) out["offheapPeakBytes"] = executor.offheap_peak_bytes();
  if (executor.has_at_peak()) {
    const proto::Moment& moment = executor.at_peak();
    out["atPeak"] = {{"timeMs", moment.time_ms()},           {"usedBytes", moment.used_bytes()},
                     {"regions", Rows(moment.regions())},    {"processes", Processes(moment.processes())},
                     {"sharedBytes", moment.shared_bytes()}, {"unattributedBytes", moment.unattributed_bytes()},
                     {"activeTasks", moment.active_tasks()}};
  }
  if (executor.has_last()) {
    const proto::Moment& last = executor.last();
    out["last"] = {{"timeMs", last.time_ms()}, {"usedBytes", last.used_bytes()}, {"hostAvailableBytes", last.host_available_bytes()}};
  }
  return out;
}

json TimeLine(const proto::TimeLine& message) {
  json out = json::array();
  const auto samples = memprof::UnpackSamples(message);
  if (!samples) return "contradicts itself";
  for (const memprof::TimeSample& sample : *samples) {
    json one = {{"timeMs", sample.time_ms}, {"runningTasks", sample.running_tasks}, {"taskStarts", sample.task_starts},
                {"pauses", sample.pauses},  {"stoppedMicros", sample.stopped_us},   {"workers", json::object()},
                {"stages", json::object()}};
    for (size_t gauge = 0; gauge < memprof::kGauges; ++gauge) {
      if (sample.figures[gauge] != memprof::kNoFigure) one[memprof::kGaugeNames[gauge]] = sample.figures[gauge];
    }
    for (const auto& worker : sample.workers) {
      if (worker.pid != 0) one["workers"][std::to_string(worker.pid)] = worker.kib;
    }
    for (const auto& stage : sample.stages) {
      if (stage.id >= 0) one["stages"][std::to_string(stage.id)] = stage.tasks;
    }
    out.push_back(one);
  }
  return out;
}

json Retained(const proto::RetainedHeap& heap) {
  const proto::TaskProfile& names = heap.names();
  json out = {{"timeMs", heap.time_ms()},
              {"collection", heap.collection()},
              {"heapUsedAfterBytes", heap.heap_used_after_bytes()},
              {"heapMaxBytes", heap.heap_max_bytes()},
              {"totalBytes", heap.total_bytes()},
              {"variance", heap.variance()},
              {"intervalBytes", heap.interval_bytes()},
              {"otherSites", heap.other_sites()},
              {"otherBytes", heap.other_bytes()},
              {"sites", json::array()}};
  for (const proto::RetainedSite& site : heap.sites()) {
    json one = {{"bytes", site.bytes()},
                {"objects", site.objects()},
                {"variance", site.variance()},
                {"stageId", site.stage_id()},
                {"stageAttempt", site.stage_attempt()},
                {"thread", names.strings(static_cast<int>(site.thread()))},
                {"frames", json::array()}};
    for (uint32_t stack = site.stack(); stack != 0; stack = names.stacks(static_cast<int>(stack) - 1).parent()) {
      const proto::Frame& frame = names.frames(static_cast<int>(names.stacks(static_cast<int>(stack) - 1).frame()));
      const json named = {{"function", names.strings(static_cast<int>(frame.function()))}, {"line", frame.line()}};
      one["frames"].insert(one["frames"].begin(), named);
    }
    out["sites"].push_back(one);
  }
  return out;
}

json Left(const proto::LeftMemory& left) {
  json out = {{"timeMs", left.time_ms()}, {"otherBytes", left.other_bytes()}, {"sites", json::array()}};
  for (const proto::LeftSite& site : left.sites()) {
    const proto::TaskProfile& names = left.names();
    json one = {{"bytes", site.bytes()},      {"stageId", site.stage_id()},
                {"tasks", site.tasks()},      {"thread", names.strings(static_cast<int>(site.thread()))},
                {"functions", json::array()}, {"native", json::array()}};
    for (uint32_t stack = site.stack(); stack != 0; stack = names.stacks(static_cast<int>(stack) - 1).parent()) {
      const proto::Frame& frame = names.frames(static_cast<int>(names.stacks(static_cast<int>(stack) - 1).frame()));
      const std::string& function = names.strings(static_cast<int>(frame.function()));
      if (frame.language() == proto::NATIVE) {
        one["native"].push_back(
            {{"function", function}, {"module", names.strings(static_cast<int>(frame.module()))}, {"offset", frame.offset()}});
      } else {
        one["functions"].push_back(function);
      }
    }
    out["sites"].push_back(one);
  }
  return out;
}

json WorkerDeath(const proto::WorkerDeath& death) {
  return {{"pid", death.pid()},
          {"taskAttemptId", death.task_attempt_id()},
          {"liveBytes", death.live_bytes()},
          {"hasBefore", death.has_before()},
          {"startedByTask", death.started_by_task()}};
}

json Shortage(const proto::HeapShortage& shortage) {
  const proto::TaskProfile& names = shortage.names();
  json out = {{"timeMs", shortage.time_ms()},
              {"error", shortage.error()},
              {"endsJvm", shortage.ends_jvm()},
              {"nearlyFull", shortage.nearly_full()},
              {"ofJvm", shortage.of_jvm()},
              {"thread", shortage.thread()},
              {"taskAttemptId", shortage.task_attempt_id()},
              {"stageId", shortage.stage_id()},
              {"partition", shortage.partition()},
              {"errors", shortage.errors()},
              {"otherClasses", shortage.other_classes()},
              {"otherBytes", shortage.other_bytes()},
              {"totalBytes", shortage.total_bytes()},
              {"totalObjects", shortage.total_objects()},
              {"cutShort", shortage.cut_short()},
              {"regions", Rows(shortage.regions())},
              {"classes", json::array()},
              {"frames", json::array()}};
  for (const proto::HeapClass& each : shortage.classes()) {
    out["classes"].push_back({{"name", each.name()}, {"bytes", each.bytes()}, {"objects", each.objects()}});
  }
  for (uint32_t stack = shortage.stack(); stack != 0; stack = names.stacks(static_cast<int>(stack) - 1).parent()) {
    const proto::Frame& frame = names.frames(static_cast<int>(names.stacks(static_cast<int>(stack) - 1).frame()));
    const json named = {{"function", names.strings(static_cast<int>(frame.function()))}, {"line", frame.line()}};
    out["frames"].insert(out["frames"].begin(), named);
  }
  if (shortage.has_retained()) out["retained"] = Retained(shortage.retained());
  return out;
}

class TaskJson {
 public:
  explicit TaskJson(const proto::TaskProfile& task) : task_(task) {}

  json Make() const {
    json out = {{"taskAttemptId", task_.task_attempt_id()},
                {"sequence", task_.sequence()},
                {"final", task_.final()},
                {"partial", task_.partial()},
                {"stageId", task_.stage_id()},
                {"stageAttempt", task_.stage_attempt()},
                {"partition", task_.partition()},
                {"attemptNumber", task_.attempt_number()},
                {"startMs", task_.start_ms()},
                {"takenMs", task_.taken_ms()},
                {"jvmIntervalBytes", task_.jvm_interval_bytes()},
                {"pythonIntervalBytes", task_.python_interval_bytes()},
                {"counters", Counters(task_.counters())},
                {"sites", json::array()},
                {"remainders", json::array()},
                {"sessions", json::array()}};
    for (const proto::Site& site : task_.sites()) out["sites"].push_back(Site(site));
    for (const proto::Remainder& remainder : task_.remainders()) {
      out["remainders"].push_back({{"origin", kOrigins[remainder.origin() % 5]},
                                   {"sites", remainder.sites()},
                                   {"allocatedBytes", remainder.allocated_bytes()},
                                   {"allocations", remainder.allocations()},
                                   {"liveAtPeakBytes", remainder.live_at_peak_bytes()},
                                   {"variance", remainder.variance()}});
    }
    for (const proto::Session& session : task_.sessions()) {
      json udfs = json::array();
      for (const uint32_t udf : session.udfs()) udfs.push_back(Udf(udf));
      out["sessions"].push_back({{"pid", session.pid()},
                                 {"number", session.number()},
                                 {"closed", session.closed()},
                                 {"checksumOk", session.checksum_ok()},
                                 {"livePeakBytes", session.live_peak_bytes()},
                                 {"allocatedBytes", session.allocated_bytes()},
                                 {"pythonVersion", session.python_version()},
                                 {"udfs", udfs},
                                 {"counters", Counters(session.counters())}});
    }
    if (task_.has_gc_stopped_ms()) out["gcStoppedMs"] = task_.gc_stopped_ms();
    if (task_.has_executor()) out["executor"] = Executor(task_.executor());
    return out;
  }

 private:
  std::string Text(uint32_t index) const { return task_.strings(static_cast<int>(index)); }

  json Udf(uint32_t index) const {
    if (index == 0) return nullptr;
    const proto::Udf& udf = task_.udfs(static_cast<int>(index) - 1);
    return {{"name", udf.name()}, {"file", udf.file()}, {"line", udf.line()}, {"kind", udf.kind()}};
  }

  json Site(const proto::Site& site) const {
    json out = {{"origin", kOrigins[site.origin() % 5]},
                {"allocatedBytes", site.allocated_bytes()},
                {"allocations", site.allocations()},
                {"sampled", site.sampled()},
                {"variance", site.variance()},
                {"udf", Udf(site.udf())},
                {"frames", json::array()}};
    if (site.has_live_bytes()) out["liveBytes"] = site.live_bytes();
    if (site.has_live_at_peak_bytes()) out["liveAtPeakBytes"] = site.live_at_peak_bytes();
    if (site.has_resident_at_peak_bytes()) out["residentAtPeakBytes"] = site.resident_at_peak_bytes();
    out["peakVariance"] = site.peak_variance();
    for (uint32_t stack = site.stack(); stack != 0; stack = task_.stacks(static_cast<int>(stack) - 1).parent()) {
      const proto::Frame& frame = task_.frames(static_cast<int>(task_.stacks(static_cast<int>(stack) - 1).frame()));
      const json one = {{"language", kLanguages[frame.language() % 4]},
                        {"function", Text(frame.function())},
                        {"file", Text(frame.file())},
                        {"line", frame.line()},
                        {"module", Text(frame.module())},
                        {"buildId", Text(frame.build_id())},
                        {"offset", frame.offset()},
                        {"firstLine", frame.first_line()},
                        {"inFramework", frame.in_framework()}};
      out["frames"].insert(out["frames"].begin(), one);
    }
    return out;
  }

  const proto::TaskProfile& task_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: profile_dump FILE\n");
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  proto::Envelope envelope;
  if (!envelope.ParseFromString(bytes)) {
    fprintf(stderr, "profile_dump: %s holds no envelope\n", argv[1]);
    return 1;
  }
  json out = {{"schemaVersion", envelope.schema_version()}, {"executorId", envelope.executor_id()}, {"bytes", bytes.size()}};
  if (envelope.has_task()) out["task"] = TaskJson(envelope.task()).Make();
  if (envelope.has_executor()) out["executor"] = Executor(envelope.executor());
  if (envelope.has_time_line()) out["timeLine"] = TimeLine(envelope.time_line());
  if (envelope.has_worker_death()) out["workerDeath"] = WorkerDeath(envelope.worker_death());
  if (envelope.has_heap_shortage()) out["shortage"] = Shortage(envelope.heap_shortage());
  if (envelope.has_left_off_heap()) out["left"] = Left(envelope.left_off_heap());
  if (envelope.has_left_native()) out["leftNative"] = Left(envelope.left_native());
  if (envelope.has_retained_heap()) out["retained"] = Retained(envelope.retained_heap());
  if (envelope.has_symbols()) {
    out["symbols"] = json::array();
    for (const proto::Symbol& symbol : envelope.symbols().symbols()) {
      out["symbols"].push_back({{"module", symbol.module()},
                                {"buildId", symbol.build_id()},
                                {"offset", symbol.offset()},
                                {"function", symbol.function()},
                                {"file", symbol.file()},
                                {"line", symbol.line()}});
    }
  }
  printf("%s\n", out.dump().c_str());
  return 0;
}
