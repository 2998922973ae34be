#include "intake/snapshots.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/counter_names.h"

namespace memprof {
namespace {

std::array<const proto::ExecutorSnapshot*, 2> Both(const proto::ExecutorSnapshot& a, const proto::ExecutorSnapshot& b) { return {&a, &b}; }

// The join of two baselines of one process: the later one, with the RSS at its first task, which only one of them may have.
proto::Baseline JoinedBaseline(const proto::Process& a, const proto::Process& b) {
  auto order = [](proto::Baseline value) {
    value.clear_first_task_rss_bytes();  // joined separately
    return std::tuple(value.as_of_session(), value.SerializeAsString());
  };
  proto::Baseline joined = order(a.baseline()) < order(b.baseline()) ? b.baseline() : a.baseline();
  const uint64_t first_task = std::max(a.baseline().first_task_rss_bytes(), b.baseline().first_task_rss_bytes());
  if (first_task != 0) joined.set_first_task_rss_bytes(first_task);
  return joined;
}

// Joins two reports of one process: the larger peak with the rows of that moment. A process measures its rows a little after its agent
// has read the peak, so of one peak there may be several reports: those rows count that were measured of the largest resident set.
void JoinProcess(const proto::Process& other, proto::Process& process) {
  auto order = [](proto::Process value) {
    value.clear_alive();
    value.clear_last_task_attempt_id();
    value.clear_baseline();
    return std::tuple(value.peak_rss_bytes(), value.rows_rss_bytes(), value.peak_rows_size(), value.SerializeAsString());
  };
  bool alive = process.alive() && other.alive();  // a dead process stays dead
  bool has_task = process.has_last_task_attempt_id() || other.has_last_task_attempt_id();
  int64_t task = std::max(process.last_task_attempt_id(), other.last_task_attempt_id());
  const bool has_baseline = process.has_baseline() || other.has_baseline();
  const proto::Baseline baseline = JoinedBaseline(process, other);
  if (order(process) < order(other)) process = other;
  process.set_alive(alive);
  if (has_baseline) *process.mutable_baseline() = baseline;
  if (has_task) process.set_last_task_attempt_id(task);
}

void KeepLargest(size_t most, std::vector<const proto::Process*>& processes) {
  std::stable_sort(processes.begin(), processes.end(),
                   [](const auto* a, const auto* b) { return a->peak_rss_bytes() > b->peak_rss_bytes(); });
  processes.resize(std::min(most, processes.size()));
}

void JoinProcesses(const proto::ExecutorSnapshot& other, proto::ExecutorSnapshot& snapshot) {
  // A pid is used again. And what a worker forks becomes a program by exec: two processes, for us.
  using Name = std::tuple<bool, int32_t, uint64_t>;
  std::map<Name, proto::Process> by_name;
  for (const proto::ExecutorSnapshot* from : Both(snapshot, other)) {
    for (const proto::Process& process : from->processes()) {
      const Name name{process.kind() == "program", process.pid(), process.start_ticks()};
      auto [entry, added] = by_name.try_emplace(name, process);
      if (!added) JoinProcess(process, entry->second);
    }
  }
  std::vector<const proto::Process*> kept, programs;
  for (const auto& [name, process] : by_name) (std::get<0>(name) ? programs : kept).push_back(&process);
  KeepLargest(kMaxProcesses, kept);
  KeepLargest(std::min<size_t>(kMaxPrograms, kMaxProcesses - kept.size()), programs);
  kept.insert(kept.end(), programs.begin(), programs.end());
  KeepLargest(kept.size(), kept);
  snapshot.clear_processes();
  for (const proto::Process* process : kept) *snapshot.add_processes() = *process;
}

// The larger one; first the later, if use has been measured of something else since.
void JoinMoment(const proto::ExecutorSnapshot& other, proto::ExecutorSnapshot& snapshot) {
  if (!other.has_at_peak()) return;
  auto order = [](const proto::Moment& value) {
    return std::tuple(value.measure(), value.used_bytes(), value.processes_size(), value.SerializeAsString());
  };
  if (!snapshot.has_at_peak() || order(snapshot.at_peak()) < order(other.at_peak())) *snapshot.mutable_at_peak() = other.at_peak();
}

void JoinLast(const proto::ExecutorSnapshot& other, proto::ExecutorSnapshot& snapshot) {
  auto order = [](const proto::Moment& value) {
    return std::tuple(value.clock_ms(), value.time_ms(), value.processes_size(), value.SerializeAsString());
  };
  if (other.has_last() && (!snapshot.has_last() || order(snapshot.last()) < order(other.last()))) *snapshot.mutable_last() = other.last();
  snapshot.set_boot_id(std::max(snapshot.boot_id(), other.boot_id()));
  if (other.has_host_oom_kills()) snapshot.set_host_oom_kills(std::max(snapshot.host_oom_kills(), other.host_oom_kills()));
  if (other.has_host_oom_kills_at_start()) {
    uint64_t known = snapshot.has_host_oom_kills_at_start() ? snapshot.host_oom_kills_at_start() : UINT64_MAX;
    snapshot.set_host_oom_kills_at_start(std::min(known, other.host_oom_kills_at_start()));
  }
}

// The later one, as a whole: counters of two cgroups have nothing in common.
void JoinKills(const proto::ExecutorSnapshot& other, proto::ExecutorSnapshot& snapshot) {
  const auto order = [](const proto::ExecutorSnapshot& value) {
    return std::tuple(!value.cgroup().empty(), value.cgroup_clock_ms(), std::string_view(value.cgroup()), value.has_oom_kills(),
                      value.oom_kills(), value.has_oom_kills_at_start(), ~value.oom_kills_at_start());
  };
  if (order(other) <= order(snapshot)) return;
  snapshot.set_cgroup(other.cgroup());
  snapshot.set_cgroup_clock_ms(other.cgroup_clock_ms());
  snapshot.clear_oom_kills();
  if (other.has_oom_kills()) snapshot.set_oom_kills(other.oom_kills());
  snapshot.clear_oom_kills_at_start();
  if (other.has_oom_kills_at_start()) snapshot.set_oom_kills_at_start(other.oom_kills_at_start());
}

// Joins two reports of one mode's memory: the later look, and the larger of each peak.
void JoinPools(const proto::ExecutorSnapshot& other, proto::ExecutorSnapshot& snapshot) {
  std::map<bool, proto::SparkPool> pools;
  for (const proto::ExecutorSnapshot* from : Both(snapshot, other)) {
    for (const proto::SparkPool& pool : from->spark_pools()) {
      proto::SparkPool& known = pools[pool.last().off_heap()];
      const auto order = [](const proto::SparkPool& value) {
        return std::tuple(value.last_clock_ms(), value.last_ms(), value.last().SerializeAsString());
      };
      if (!known.has_last() || order(known) < order(pool)) {
        *known.mutable_last() = pool.last();
        known.set_last_ms(pool.last_ms());
        known.set_last_clock_ms(pool.last_clock_ms());
      }
      known.set_storage_peak_bytes(std::max(known.storage_peak_bytes(), pool.storage_peak_bytes()));
      known.set_execution_peak_bytes(std::max(known.execution_peak_bytes(), pool.execution_peak_bytes()));
      known.set_used_peak_bytes(std::max(known.used_peak_bytes(), pool.used_peak_bytes()));
    }
  }
  snapshot.clear_spark_pools();
  for (const auto& [off_heap, pool] : pools) *snapshot.add_spark_pools() = pool;
}

constexpr std::string_view kOfNoTask[] = {kNoTaskHeapBytes, kNoTaskOffHeapBytes, kNoTaskNativeBytes};

// Their sum, and each: in this order the later snapshot is the larger one.
std::pair<uint64_t, std::map<std::string, uint64_t>> BytesOfNoTask(const proto::ExecutorSnapshot& snapshot, std::string_view family) {
  std::pair<uint64_t, std::map<std::string, uint64_t>> bytes;
  for (const proto::Counter& counter : snapshot.counters()) {
    if (!counter.name().starts_with(family)) continue;
    bytes.first += counter.value();
    bytes.second[counter.name()] = counter.value();
  }
  return bytes;
}

// Bytes of no task are those of one snapshot, of the later one, whose sum is larger: one that is no longer among the largest is a part
// of "other threads".
void JoinCounters(const proto::ExecutorSnapshot& other, proto::ExecutorSnapshot& snapshot) {
  std::map<std::string, uint64_t> counters;
  for (const proto::ExecutorSnapshot* from : Both(snapshot, other)) {
    for (const proto::Counter& counter : from->counters()) {
      uint64_t& value = counters[counter.name()];
      value = std::max(value, counter.value());  // they count from the executor's start
    }
  }
  for (const std::string_view family : kOfNoTask) {
    std::erase_if(counters, [family](const auto& counter) { return counter.first.starts_with(family); });
    std::map<std::string, uint64_t> later = std::max(BytesOfNoTask(snapshot, family), BytesOfNoTask(other, family)).second;
    counters.merge(later);
  }
  snapshot.clear_counters();
  for (const auto& [name, value] : counters) {
    proto::Counter& counter = *snapshot.add_counters();
    counter.set_name(name);
    counter.set_value(value);
  }
}

void JoinNotAvailable(const proto::ExecutorSnapshot& other, proto::ExecutorSnapshot& snapshot) {
  std::set<std::pair<std::string, std::string>> entries;
  for (const proto::ExecutorSnapshot* from : Both(snapshot, other)) {
    for (const proto::NotAvailable& entry : from->not_available()) entries.emplace(entry.what(), entry.why());
  }
  snapshot.clear_not_available();
  for (const auto& [what, why] : entries) {
    proto::NotAvailable& entry = *snapshot.add_not_available();
    entry.set_what(what);
    entry.set_why(why);
  }
}

// Collectors' figures count from the executor's start: of each collector, the report that has counted more is kept.
void JoinCollectors(const proto::ExecutorSnapshot& other, proto::ExecutorSnapshot& snapshot) {
  std::map<std::string, proto::Collector> collectors;
  for (const proto::ExecutorSnapshot* from : Both(snapshot, other)) {
    for (const proto::Collector& collector : from->collectors()) {
      auto [known, added] = collectors.try_emplace(collector.name(), collector);
      auto order = [](const proto::Collector& value) { return std::tuple(value.collections(), value.SerializeAsString()); };
      if (!added && order(known->second) < order(collector)) known->second = collector;
    }
  }
  snapshot.clear_collectors();
  for (const auto& [name, collector] : collectors) {
    if (snapshot.collectors_size() < kMaxCollectors) *snapshot.add_collectors() = collector;
  }
}

void JoinHeapUse(const proto::ExecutorSnapshot& other, proto::ExecutorSnapshot& snapshot) {
  const auto later = [](const proto::HeapUse& use) {
    return std::tuple(use.clock_ms(), use.time_ms(), use.bytes(), use.collection(), use.whole_heap());
  };
  // A collection of the whole heap takes back what a young one before it had left: the peak is the one that is known after the last.
  const auto known_later = [&](const proto::HeapUse& peak) {
    const bool of_older_agent = peak.known_clock_ms() == 0;  // which takes those of the whole heap alone, once there are any
    return std::tuple(peak.known_clock_ms(), of_older_agent && peak.whole_heap(), peak.bytes(), later(peak));
  };
  if (other.has_heap_after_gc_peak() && known_later(other.heap_after_gc_peak()) > known_later(snapshot.heap_after_gc_peak())) {
    *snapshot.mutable_heap_after_gc_peak() = other.heap_after_gc_peak();
  }
  if (other.has_heap_after_gc() && later(other.heap_after_gc()) > later(snapshot.heap_after_gc())) {
    *snapshot.mutable_heap_after_gc() = other.heap_after_gc();
  }
}

// The later one: a limit may be raised or lowered in place. Of one moment, the smaller. None may mean that the cgroup can't be read any
// more, which lifts no limit.
void JoinLimit(const proto::ExecutorSnapshot& other, proto::ExecutorSnapshot& snapshot) {
  const auto order = [](const proto::ExecutorSnapshot& value) {
    return std::tuple(value.has_cgroup_limit_bytes(), value.cgroup_limit_clock_ms(), ~value.cgroup_limit_bytes());
  };
  if (order(other) <= order(snapshot)) return;
  snapshot.set_cgroup_limit_bytes(other.cgroup_limit_bytes());
  snapshot.set_cgroup_limit_clock_ms(other.cgroup_limit_clock_ms());
}

// The later one, as a whole: the group that stands for a host may be made larger or smaller, too.
void JoinHost(const proto::ExecutorSnapshot& other, proto::ExecutorSnapshot& snapshot) {
  const auto order = [](const proto::ExecutorSnapshot& value) {
    return std::tuple(value.has_host_memory_bytes(), value.host_memory_clock_ms(), value.host_memory_bytes(), value.host_is_group());
  };
  if (order(other) <= order(snapshot)) return;
  snapshot.set_host_memory_bytes(other.host_memory_bytes());
  snapshot.set_host_is_group(other.host_is_group());
  snapshot.set_host_memory_clock_ms(other.host_memory_clock_ms());
}

// The larger peak, and what was left at the later look.
void JoinSwap(const proto::ExecutorSnapshot& other, proto::ExecutorSnapshot& snapshot) {
  if (!other.has_swap()) return;
  const bool is_first = !snapshot.has_swap();
  proto::SwapUse& known = *snapshot.mutable_swap();
  const auto peak = [](const proto::SwapUse& use) { return std::pair(use.peak_bytes(), use.beside_jvm_bytes()); };
  const auto look = [](const proto::SwapUse& use) { return std::pair(use.clock_ms(), ~use.left_bytes()); };
  if (is_first || peak(known) < peak(other.swap())) {
    known.set_peak_bytes(other.swap().peak_bytes());
    known.set_beside_jvm_bytes(other.swap().beside_jvm_bytes());
  }
  if (is_first || look(known) < look(other.swap())) {
    known.set_left_bytes(other.swap().left_bytes());
    known.set_clock_ms(other.swap().clock_ms());
  }
}

// Texts about the JVM: the later report's, so that the order of arrival does not matter.
void JoinWords(const proto::ExecutorSnapshot& other, proto::ExecutorSnapshot& snapshot) {
  auto order = [](const proto::ExecutorSnapshot& value) {
    return std::tuple(value.last().clock_ms(), value.taken_ms(), value.jvm_pid(), value.host(), value.java_version(), value.agent_loaded());
  };
  if (order(snapshot) >= order(other)) return;
  snapshot.set_taken_ms(other.taken_ms());
  snapshot.set_jvm_pid(other.jvm_pid());
  snapshot.set_host(other.host());
  snapshot.set_java_version(other.java_version());
  snapshot.set_agent_loaded(other.agent_loaded());
}

}  // namespace

void JoinSnapshot(const proto::ExecutorSnapshot& other, proto::ExecutorSnapshot& snapshot) {
  JoinWords(other, snapshot);
  snapshot.set_exits_on_out_of_memory(snapshot.exits_on_out_of_memory() || other.exits_on_out_of_memory());
  snapshot.set_kills_itself_on_out_of_memory(snapshot.kills_itself_on_out_of_memory() || other.kills_itself_on_out_of_memory());
  snapshot.set_cgroup_shared(snapshot.cgroup_shared() || other.cgroup_shared());
  snapshot.set_cgroup_unseen(snapshot.cgroup_unseen() || other.cgroup_unseen());
  JoinLimit(other, snapshot);
  JoinHost(other, snapshot);
  JoinSwap(other, snapshot);
  auto raise = [&](bool measured, uint64_t value, uint64_t known, void (proto::ExecutorSnapshot::*set)(uint64_t)) {
    if (measured) (snapshot.*set)(std::max(value, known));
  };
  using S = proto::ExecutorSnapshot;
  raise(other.has_heap_max_bytes(), other.heap_max_bytes(), snapshot.heap_max_bytes(), &S::set_heap_max_bytes);
  raise(other.has_spark_storage_peak_bytes(), other.spark_storage_peak_bytes(), snapshot.spark_storage_peak_bytes(),
        &S::set_spark_storage_peak_bytes);
  raise(other.has_spark_unroll_peak_bytes(), other.spark_unroll_peak_bytes(), snapshot.spark_unroll_peak_bytes(),
        &S::set_spark_unroll_peak_bytes);
  raise(other.has_spark_execution_peak_bytes(), other.spark_execution_peak_bytes(), snapshot.spark_execution_peak_bytes(),
        &S::set_spark_execution_peak_bytes);
  raise(other.has_offheap_peak_bytes(), other.offheap_peak_bytes(), snapshot.offheap_peak_bytes(), &S::set_offheap_peak_bytes);
  JoinPools(other, snapshot);
  JoinProcesses(other, snapshot);
  JoinMoment(other, snapshot);
  JoinLast(other, snapshot);
  JoinKills(other, snapshot);
  JoinCounters(other, snapshot);
  JoinNotAvailable(other, snapshot);
  JoinCollectors(other, snapshot);
  JoinHeapUse(other, snapshot);
  raise(other.has_gc_stopped_ms(), other.gc_stopped_ms(), snapshot.gc_stopped_ms(), &S::set_gc_stopped_ms);
  raise(other.has_gc_watched_ms(), other.gc_watched_ms(), snapshot.gc_watched_ms(), &S::set_gc_watched_ms);
}

}  // namespace memprof
