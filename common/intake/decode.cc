#include "intake/decode.h"

#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "facts/interned_profile.h"
#include "proto/envelope.h"
#include "timeline/packing.h"

namespace memprof {
namespace {

constexpr uint32_t kMaxFrames = 256;  // recorders keep 128, and a Python site's native frames come on top

Status Corrupt(const char* what) { return Status::Error(ErrorCode::kCorrupt, "message refused: %s", what); }

bool Plausible(uint64_t figure) { return figure <= kMaxFigure; }
bool Plausible(double variance) { return std::isfinite(variance) && variance >= 0; }

Status CheckFrames(const proto::TaskProfile& profile) {
  auto strings = static_cast<uint32_t>(profile.strings_size());
  for (const proto::Frame& frame : profile.frames()) {
    for (uint32_t index : {frame.function(), frame.file(), frame.module(), frame.build_id()}) {
      if (index != 0 && index >= strings) return Corrupt("a frame names a string that is not there");
    }
  }
  std::vector<uint32_t> depths(profile.stacks_size() + 1);
  for (int i = 0; i < profile.stacks_size(); ++i) {
    const proto::Stack& stack = profile.stacks(i);
    if (stack.parent() > static_cast<uint32_t>(i)) return Corrupt("a stack comes before its parent");
    if (stack.frame() >= static_cast<uint32_t>(profile.frames_size())) return Corrupt("a stack names a frame that is not there");
    depths[i + 1] = depths[stack.parent()] + 1;
    if (depths[i + 1] > kMaxFrames) return Corrupt("a stack is deeper than any recorder keeps");
  }
  return {};
}

Status CheckSites(const proto::TaskProfile& profile) {
  for (const proto::Site& site : profile.sites()) {
    if (site.stack() > static_cast<uint32_t>(profile.stacks_size())) return Corrupt("a site names a stack that is not there");
    if (OriginOf(site.origin()) == Origin::kUnknown) return Corrupt("a site does not say where it comes from");
    if (site.udf() > static_cast<uint32_t>(profile.udfs_size())) return Corrupt("a site names a UDF that is not there");
    if (!Plausible(site.allocated_bytes()) || !Plausible(site.allocations()) || !Plausible(site.live_at_peak_bytes()) ||
        !Plausible(site.live_bytes()) || !Plausible(site.resident_at_peak_bytes()) || !Plausible(site.read_at_peak_bytes()) ||
        site.resident_later_bytes() > site.resident_at_peak_bytes() || !Plausible(site.variance()) || !Plausible(site.peak_variance())) {
      return Corrupt("a site has a figure no machine reaches");
    }
  }
  for (const proto::Remainder& remainder : profile.remainders()) {
    if (OriginOf(remainder.origin()) == Origin::kUnknown) return Corrupt("a remainder does not say where it comes from");
    if (!Plausible(remainder.sites()) || !Plausible(remainder.allocated_bytes()) || !Plausible(remainder.allocations()) ||
        !Plausible(remainder.live_at_peak_bytes())) {
      return Corrupt("a remainder has a figure no machine reaches");
    }
  }
  for (const proto::Leftovers& leftovers : profile.leftovers()) {
    for (const uint32_t udf : leftovers.udfs()) {
      if (udf > static_cast<uint32_t>(profile.udfs_size())) return Corrupt("leftovers name a UDF that is not there");
    }
    for (const proto::Leftover& site : leftovers.sites()) {
      if (site.stack() > static_cast<uint32_t>(profile.stacks_size())) return Corrupt("leftovers name a stack that is not there");
      if (!Plausible(site.live_bytes())) return Corrupt("leftovers have a figure no machine reaches");
    }
  }
  return {};
}

Status CheckIncidents(const proto::TaskProfile& profile) {
  constexpr int kMost = 128, kMostSignals = 64;
  if (profile.incidents_size() > kMost) return Corrupt("more incidents than a task can have");
  for (const proto::Incident& incident : profile.incidents()) {
    if (incident.stack() > static_cast<uint32_t>(profile.stacks_size())) return Corrupt("an incident names a stack that is not there");
    if (incident.signal() < 0 || incident.signal() > kMostSignals) return Corrupt("an incident names a signal that is not there");
    if (!Plausible(incident.asked_bytes()) || !Plausible(incident.virtual_bytes()) || !Plausible(incident.resident_bytes()) ||
        !Plausible(incident.limit_bytes())) {
      return Corrupt("an incident has a figure no machine reaches");
    }
  }
  return {};
}

bool Plausible(const proto::PoolUse& pool) {
  return Plausible(pool.max_bytes()) && Plausible(pool.storage_region_bytes()) && Plausible(pool.storage_bytes()) &&
         Plausible(pool.execution_bytes()) && Plausible(pool.storage_pool_bytes());
}

Status CheckMemory(const proto::TaskMemory& memory) {
  constexpr int kMostConsumers = 64;
  constexpr size_t kMostNameBytes = 256;
  bool plausible = Plausible(memory.peak_execution_bytes()) && Plausible(memory.spilled_memory_bytes()) &&
                   Plausible(memory.spilled_disk_bytes()) && memory.fullest_size() <= static_cast<int>(kMemoryModes) &&
                   memory.consumers_size() <= kMostConsumers;
  for (const proto::PoolUse& pool : memory.fullest()) plausible = plausible && Plausible(pool);
  for (const proto::MemoryConsumer& consumer : memory.consumers()) {
    plausible = plausible && Plausible(consumer.peak_bytes()) && consumer.name().size() <= kMostNameBytes;
  }
  return plausible ? Status() : Corrupt("a task has a figure of Spark's memory no machine reaches");
}

constexpr size_t kMostProcessName = 256;  // NAME_MAX is 255

template <typename Processes>
Status CheckProcesses(const Processes& processes) {
  for (const proto::Process& process : processes) {
    bool plausible = Plausible(process.peak_rss_bytes()) && Plausible(process.rows_rss_bytes());
    for (const proto::NamedBytes& row : process.peak_rows()) plausible = plausible && Plausible(row.bytes());
    const proto::Baseline& baseline = process.baseline();
    plausible = plausible && Plausible(baseline.start_rss_bytes()) && Plausible(baseline.first_task_rss_bytes());
    for (const proto::ImportedModule& module : baseline.modules()) {
      plausible = plausible && Plausible(module.live_bytes()) && Plausible(module.with_imports_bytes());
    }
    if (!plausible || process.peak_rows_size() > 64 || baseline.modules_size() > 64)
      return Corrupt("a process has a figure no machine reaches");
    if (process.name().size() > kMostProcessName) return Corrupt("a process has a name longer than any file's");
  }
  return {};
}

Status CheckMoment(const proto::Moment& moment) {
  bool plausible = Plausible(moment.used_bytes());
  for (const proto::NamedBytes& row : moment.regions()) plausible = plausible && Plausible(row.bytes());
  return plausible ? CheckProcesses(moment.processes()) : Corrupt("a moment has a figure no machine reaches");
}

Status CheckSnapshot(const proto::ExecutorSnapshot& snapshot) {
  for (uint64_t figure :
       {snapshot.cgroup_limit_bytes(), snapshot.host_memory_bytes(), snapshot.heap_max_bytes(), snapshot.heap_after_gc().bytes(),
        snapshot.heap_after_gc_peak().bytes(), snapshot.spark_storage_peak_bytes(), snapshot.spark_unroll_peak_bytes(),
        snapshot.spark_execution_peak_bytes(), snapshot.offheap_peak_bytes(), snapshot.at_peak().used_bytes()}) {
    if (!Plausible(figure)) return Corrupt("an executor snapshot has a figure no machine reaches");
  }
  for (const proto::NamedBytes& row : snapshot.at_peak().regions()) {
    if (!Plausible(row.bytes())) return Corrupt("an executor snapshot has a figure no machine reaches");
  }
  bool plausible_pools = snapshot.spark_pools_size() <= static_cast<int>(kMemoryModes);
  for (const proto::SparkPool& pool : snapshot.spark_pools()) {
    plausible_pools =
        plausible_pools && Plausible(pool.last()) && Plausible(pool.storage_peak_bytes()) && Plausible(pool.execution_peak_bytes());
  }
  if (!plausible_pools) return Corrupt("Spark's memory has a figure no machine reaches");
  for (const proto::Collector& collector : snapshot.collectors()) {
    bool plausible = true;
    for (uint64_t figure : {collector.collections(), collector.total_ms(), collector.longest_ms(), collector.longest_before_bytes(),
                            collector.longest_after_bytes(), collector.last_before_bytes(), collector.last_after_bytes()}) {
      plausible = plausible && Plausible(figure);
    }
    for (const proto::Counter& cause : collector.causes()) plausible = plausible && Plausible(cause.value());
    if (!plausible || collector.causes_size() > 64) return Corrupt("a collector has a figure no machine reaches");
  }
  if (!Plausible(snapshot.gc_stopped_ms()) || !Plausible(snapshot.gc_watched_ms()))
    return Corrupt("an executor snapshot has a figure no machine reaches");
  if (Status status = CheckProcesses(snapshot.processes()); !status.ok()) return status;
  if (Status status = CheckMoment(snapshot.last()); !status.ok()) return status;
  return CheckProcesses(snapshot.at_peak().processes());
}

Status CheckRetained(const proto::RetainedHeap& retained) {
  constexpr int kMostSites = 256;
  // Twice what an executor sends: the report has a row for every frame of every site.
  constexpr size_t kMostBytes = 32u << 10;
  if (retained.ByteSizeLong() > kMostBytes) return Corrupt("what a heap retains is longer than any executor sends");
  const proto::TaskProfile& names = retained.names();
  if (Status status = CheckFrames(names); !status.ok()) return status;
  bool plausible = Plausible(retained.heap_used_after_bytes()) && Plausible(retained.heap_max_bytes()) &&
                   Plausible(retained.total_bytes()) && Plausible(retained.variance()) && Plausible(retained.other_sites()) &&
                   Plausible(retained.other_bytes()) && retained.sites_size() <= kMostSites;
  for (const proto::RetainedSite& site : retained.sites()) {
    plausible = plausible && Plausible(site.bytes()) && Plausible(site.objects()) && Plausible(site.variance());
    if (site.stack() > static_cast<uint32_t>(names.stacks_size())) return Corrupt("a retained site names a stack that is not there");
    if (site.thread() != 0 && site.thread() >= static_cast<uint32_t>(names.strings_size())) {
      return Corrupt("a retained site names a thread that is not there");
    }
  }
  return plausible ? Status() : Corrupt("what a heap retains has a figure no machine reaches");
}

Status CheckLeft(const proto::LeftMemory& left) {
  constexpr int kMostSites = 64;
  constexpr size_t kMostBytes = 16u << 10;  // twice what an executor sends
  if (left.ByteSizeLong() > kMostBytes) return Corrupt("what no task holds off-heap is longer than any executor sends");
  if (Status status = CheckFrames(left.names()); !status.ok()) return status;
  bool plausible = Plausible(left.other_bytes()) && left.sites_size() <= kMostSites;
  for (const proto::LeftSite& site : left.sites()) {
    plausible = plausible && Plausible(site.bytes()) && Plausible(site.blocks()) && Plausible(site.variance());
    if (site.stack() > static_cast<uint32_t>(left.names().stacks_size())) return Corrupt("a site off-heap names a stack that is not there");
    if (site.thread() != 0 && site.thread() >= static_cast<uint32_t>(left.names().strings_size()))
      return Corrupt("a site off-heap names a thread that is not there");
  }
  return plausible ? Status() : Corrupt("what no task holds off-heap has a figure no machine reaches");
}

Status CheckShortage(const proto::HeapShortage& shortage) {
  if (Status status = CheckRetained(shortage.retained()); !status.ok()) return status;
  constexpr int kMostClasses = 256, kMostRegions = 16;
  constexpr size_t kMostNameBytes = 512;
  if (Status status = CheckFrames(shortage.names()); !status.ok()) return status;
  if (shortage.stack() > static_cast<uint32_t>(shortage.names().stacks_size()))
    return Corrupt("a heap error names a stack that is not there");
  bool plausible = Plausible(shortage.errors()) && Plausible(shortage.other_classes()) && Plausible(shortage.other_bytes()) &&
                   Plausible(shortage.total_bytes()) && Plausible(shortage.total_objects()) && shortage.classes_size() <= kMostClasses &&
                   shortage.regions_size() <= kMostRegions && shortage.error().size() <= kMostNameBytes &&
                   shortage.thread().size() <= kMostNameBytes;
  for (const proto::HeapClass& each : shortage.classes()) {
    plausible = plausible && Plausible(each.bytes()) && Plausible(each.objects()) && each.name().size() <= kMostNameBytes;
  }
  for (const proto::NamedBytes& region : shortage.regions()) plausible = plausible && Plausible(region.bytes());
  return plausible ? Status() : Corrupt("a full heap has a figure no machine reaches");
}

Status CheckDeath(const proto::WorkerDeath& death) {
  constexpr int kMostSignals = 64;
  if (death.signal() < 0 || death.signal() > kMostSignals) return Corrupt("a worker died of a signal that is not there");
  if (!Plausible(death.limit_bytes()) || !Plausible(death.live_bytes()) || !Plausible(death.allocated_bytes())) {
    return Corrupt("a worker's death has a figure no machine reaches");
  }
  if (death.program().size() > kMostProcessName) return Corrupt("a process has a name longer than any file's");
  return CheckMoment(death.before());
}

}  // namespace

Status DecodeEnvelope(std::string_view bytes, proto::Envelope& envelope) {
  // protobuf would write a line to stderr for every string that is not UTF-8; the Status says it instead.
  static const bool quiet = (google::protobuf::SetLogHandler(nullptr), true);
  static_cast<void>(quiet);
  if (bytes.size() > kMaxEnvelopeBytes) {
    return Status::Error(ErrorCode::kExhausted, "message refused: %zu bytes are more than the %zu any message may have", bytes.size(),
                         kMaxEnvelopeBytes);
  }
  if (!envelope.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return Corrupt("it is not an Envelope");
  if (envelope.schema_version() != kSchemaVersion) {
    return Status::Error(ErrorCode::kUnsupported,
                         "message refused: schema version %u, this store reads version %u (mixed versions on the cluster?)",
                         envelope.schema_version(), kSchemaVersion);
  }
  if (envelope.message_case() != proto::Envelope::kSymbols && envelope.executor_id().empty()) return Corrupt("it names no executor");
  switch (envelope.message_case()) {
    case proto::Envelope::kTask: {
      const proto::TaskProfile& profile = envelope.task();
      if (Status status = CheckFrames(profile); !status.ok()) return status;
      if (Status status = CheckSites(profile); !status.ok()) return status;
      if (Status status = CheckIncidents(profile); !status.ok()) return status;
      if (Status status = CheckMemory(profile.spark_memory()); !status.ok()) return status;
      if (!Plausible(profile.gc_stopped_ms())) return Corrupt("a task's pauses are longer than any machine runs");
      return profile.has_executor() ? CheckSnapshot(profile.executor()) : Status();
    }
    case proto::Envelope::kExecutor:
      return CheckSnapshot(envelope.executor());
    case proto::Envelope::kSymbols:
      return {};
    case proto::Envelope::kWorkerDeath:
      return CheckDeath(envelope.worker_death());
    case proto::Envelope::kTimeLine:
      return UnpackSamples(envelope.time_line()) ? Status() : Corrupt("a time line contradicts itself");
    case proto::Envelope::kRetainedHeap:
      return CheckRetained(envelope.retained_heap());
    case proto::Envelope::kLeftOffHeap:
      return CheckLeft(envelope.left_off_heap());
    case proto::Envelope::kLeftNative:
      return CheckLeft(envelope.left_native());
    case proto::Envelope::kHeapShortage:
      return CheckShortage(envelope.heap_shortage());
    case proto::Envelope::MESSAGE_NOT_SET:
      break;
  }
  return Corrupt("the Envelope is empty");
}

}  // namespace memprof
