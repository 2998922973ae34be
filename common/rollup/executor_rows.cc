#include "rollup/executor_rows.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "budget/budget.h"
#include "budget/driver.h"
#include "budget/memory_size.h"
#include "proto/memprof.pb.h"
#include "report/cut.h"
#include "report/executor_order.h"
#include "rollup/executor_limit.h"
#include "rollup/executor_sums.h"
#include "rollup/gc_percent.h"
#include "rollup/heap_shortages.h"
#include "rollup/left_memory.h"
#include "rollup/parsed_snapshot.h"
#include "rollup/retained.h"

namespace memprof {
namespace {

template <typename Rows>
std::vector<ReportNamedBytes> NamedBytesOf(const Rows& rows) {
  std::vector<ReportNamedBytes> list;
  for (const proto::NamedBytes& row : rows) list.push_back({row.name(), row.bytes()});
  return list;
}

// Rows are measured independently, so the difference is computed here, once: rows + unattributed = rss always holds.
ReportProcess ProcessRow(const proto::Process& process) {
  ReportProcess row;
  row.pid = process.pid();
  if (process.start_ticks() != 0) row.start_ticks = process.start_ticks();
  row.kind = process.kind();
  row.name = process.name();
  row.peak_rss_bytes = process.peak_rss_bytes();
  row.rows = NamedBytesOf(process.peak_rows());
  row.unattributed_bytes = static_cast<int64_t>(process.peak_rss_bytes());
  for (const ReportNamedBytes& measured : row.rows) row.unattributed_bytes -= static_cast<int64_t>(measured.bytes);
  if (process.has_rows_rss_bytes()) row.rows_rss_bytes = process.rows_rss_bytes();
  if (process.has_last_task_attempt_id()) row.last_task_attempt_id = process.last_task_attempt_id();
  row.alive = process.alive();
  if (process.has_baseline()) {
    ReportBaseline& baseline = row.baseline.emplace();
    baseline.start_rss_bytes = process.baseline().start_rss_bytes();
    if (process.baseline().has_first_task_rss_bytes()) baseline.first_task_rss_bytes = process.baseline().first_task_rss_bytes();
    for (const proto::ImportedModule& module : process.baseline().modules()) {
      baseline.modules.push_back({module.name(), module.live_bytes(), module.with_imports_bytes()});
    }
  }
  return row;
}

template <typename Processes>
std::vector<ReportProcess> RowsOfProcesses(const Processes& processes) {
  std::vector<ReportProcess> rows;
  for (const proto::Process& process : processes) rows.push_back(ProcessRow(process));
  std::stable_sort(rows.begin(), rows.end(), [](const ReportProcess& a, const ReportProcess& b) {
    return std::tuple(a.kind != "jvm", b.peak_rss_bytes, a.pid) < std::tuple(b.kind != "jvm", a.peak_rss_bytes, b.pid);
  });
  return rows;
}

uint64_t Beyond(uint64_t bytes, uint64_t share) { return bytes > share ? bytes - share : 0; }

ReportSparkPool PoolRow(const proto::SparkPool& pool) {
  const proto::PoolUse& last = pool.last();
  ReportSparkPool row;
  row.last = {last.off_heap(), last.max_bytes(), std::nullopt, last.storage_bytes(), last.execution_bytes()};
  row.last_ms = pool.last_ms();
  row.storage_pool_bytes = last.storage_pool_bytes();
  row.storage_peak_bytes = pool.storage_peak_bytes();
  row.execution_peak_bytes = pool.execution_peak_bytes();
  if (!last.has_storage_region_bytes()) return row;
  const uint64_t region = last.storage_region_bytes();
  row.last.storage_region_bytes = region;
  row.storage_borrowed_peak_bytes = Beyond(pool.storage_peak_bytes(), region);
  row.execution_borrowed_peak_bytes = Beyond(pool.execution_peak_bytes(), Beyond(last.max_bytes(), region));
  row.unevictable_peak_bytes = std::min(pool.storage_peak_bytes(), region);
  return row;
}

// At the tick when the container's use was largest: the largest simultaneous sum measured.
std::optional<uint64_t> BesideJvmAtPeak(const proto::ExecutorSnapshot& snapshot) {
  if (!snapshot.has_at_peak() || snapshot.at_peak().processes().empty()) return std::nullopt;
  return BesideJvm(snapshot.at_peak());
}

template <typename T>
std::optional<T> Measured(bool measured, T value) {
  return measured ? std::optional<T>(value) : std::nullopt;
}

const char* LimitSourceWord(LimitSource source) {
  switch (source) {
    case LimitSource::kCgroup:
      return "cgroup";
    case LimitSource::kSpark:
      return "spark";
    case LimitSource::kHost:
      return "host";
    case LimitSource::kUnknown:
      break;
  }
  return "";
}

std::optional<uint64_t> PeakOf(std::string_view region, uint64_t pyspark_budget, const proto::ExecutorSnapshot& snapshot) {
  if (region == "heap.storage") return Measured(snapshot.has_spark_storage_peak_bytes(), snapshot.spark_storage_peak_bytes());
  if (region == "offHeap") {
    const auto& pools = snapshot.spark_pools();
    const auto pool = std::find_if(pools.begin(), pools.end(), [](const proto::SparkPool& each) { return each.last().off_heap(); });
    return pool == pools.end() ? std::nullopt : std::optional(pool->used_peak_bytes());
  }
  if (region == "heap.execution") return Measured(snapshot.has_spark_execution_peak_bytes(), snapshot.spark_execution_peak_bytes());
  // Python, and the programs that it starts, live in its own region where the manager granted one, and in the overhead everywhere else.
  if (region == "overhead" && pyspark_budget == 0) return BesideJvmAtPeak(snapshot);
  if (region == "pyspark" && pyspark_budget != 0) return BesideJvmAtPeak(snapshot);
  return std::nullopt;
}

void PutBudget(const StoreState& state, const ClusterManager& manager, const ExecutorFacts& facts, const proto::ExecutorSnapshot& snapshot,
               ReportExecutor& row, std::set<ReportNotAvailable>& not_available) {
  const Budget budget = manager.BudgetOf(RequestOf(facts, snapshot, state));
  row.limit_bytes = budget.limit_bytes;
  row.limit_source = LimitSourceWord(budget.limit_source);
  row.limit_shared = budget.limit_source == LimitSource::kCgroup && snapshot.cgroup_shared();
  row.limit_enforced = budget.limit_enforced;
  if (LivedAbove(facts, budget)) row.limit_enforced = false;
  row.limit_unseen = snapshot.cgroup_unseen() && !snapshot.has_cgroup_limit_bytes();
  row.kills_itself_on_out_of_memory = snapshot.kills_itself_on_out_of_memory();
  row.requested_bytes = budget.requested_bytes;
  uint64_t pyspark_budget = 0;
  for (const BudgetRegion& region : budget.regions) {
    if (region.name == "pyspark") pyspark_budget = region.bytes.value_or(0);
  }
  for (const BudgetRegion& region : budget.regions) {
    row.regions.push_back({std::string(region.name), region.bytes, PeakOf(region.name, pyspark_budget, snapshot)});
  }
  if (budget.heap_from_request) {
    not_available.insert({"Runtime.maxMemory of executor " + row.id,
                          "no snapshot of it arrived; its heap regions are worked out from the heap that was asked for"});
  }
}

std::optional<ReportHeapUse> HeapUseRow(bool measured, const proto::HeapUse& use) {
  return measured ? std::optional(ReportHeapUse{use.bytes(), use.collection(), use.time_ms(), use.whole_heap()}) : std::nullopt;
}

ReportExecutor ExecutorRow(std::string_view id, const ExecutorFacts& facts, const proto::ExecutorSnapshot& snapshot, size_t retained_sites,
                           const StoreState& state) {
  ReportExecutor row;
  row.id = id;
  row.host = facts.host.empty() ? std::string_view(snapshot.host()) : std::string_view(facts.host);
  if (facts.cores > 0) row.cores = facts.cores;
  row.resource_profile = facts.resource_profile;
  if (facts.pyspark_mib >= 0) row.resource_profile.pyspark_bytes = static_cast<uint64_t>(facts.pyspark_mib) * kMib;
  row.host_memory_bytes = Measured(snapshot.has_host_memory_bytes(), snapshot.host_memory_bytes());
  row.host_is_group = snapshot.host_is_group();
  row.heap_max_bytes = Measured(snapshot.has_heap_max_bytes(), snapshot.heap_max_bytes());
  row.heap_after_gc = HeapUseRow(snapshot.has_heap_after_gc(), snapshot.heap_after_gc());
  row.heap_after_gc_peak = HeapUseRow(snapshot.has_heap_after_gc_peak(), snapshot.heap_after_gc_peak());
  row.direct_peak_bytes = Measured(snapshot.has_offheap_peak_bytes(), snapshot.offheap_peak_bytes());
  for (const proto::SparkPool& pool : snapshot.spark_pools()) row.spark_pools.push_back(PoolRow(pool));
  row.unroll_peak_bytes = Measured(snapshot.has_spark_unroll_peak_bytes(), snapshot.spark_unroll_peak_bytes());
  if (snapshot.has_swap()) {
    row.swap = ReportSwap{snapshot.swap().peak_bytes(), snapshot.swap().beside_jvm_bytes(), snapshot.swap().left_bytes()};
  }
  row.processes = RowsOfProcesses(snapshot.processes());
  if (snapshot.has_at_peak()) row.at_peak = MomentRow(snapshot.at_peak());
  row.retained = RetainedRow(facts, retained_sites);
  row.left_off_heap = LeftRow(facts, Origin::kJvmOffHeap, retained_sites, state);
  row.left_native = LeftRow(facts, Origin::kJvmNative, retained_sites, state);
  for (const proto::Collector& collector : snapshot.collectors()) {
    ReportCollector& out = row.gc.emplace_back();
    out = {collector.name(),
           collector.stops_the_world(),
           collector.collections(),
           collector.total_ms(),
           collector.longest_ms(),
           collector.longest_before_bytes(),
           collector.longest_after_bytes(),
           collector.last_before_bytes(),
           collector.last_after_bytes()};
    out.percent = GcPercent(collector.total_ms(), snapshot.gc_watched_ms());
    for (const proto::Counter& cause : collector.causes()) out.causes.emplace_back(cause.name(), cause.value());
  }
  row.gc_stopped_ms = Measured(snapshot.has_gc_stopped_ms(), snapshot.gc_stopped_ms());
  if (snapshot.has_gc_stopped_ms()) row.gc_percent = GcPercent(snapshot.gc_stopped_ms(), snapshot.gc_watched_ms());
  row.added_ms = Measured(facts.added, facts.added_ms);
  row.removed_ms = Measured(facts.removed, facts.removed_ms);
  row.removed_reason = facts.removed_reason;
  row.java_version = snapshot.java_version();
  row.agent_loaded = snapshot.agent_loaded();
  return row;
}

constexpr uint64_t kMostRowBytes = 4u << 20;

// Requested while the application ended, to replace an executor that ended with it, and never started.
bool NeverWas(const ExecutorFacts& facts, const StoreState& state) {
  return !facts.added && facts.removed && facts.snapshot.empty() && state.CameAfterEnd(facts.removed_ms, facts.removed_event);
}

class Managers {
 public:
  explicit Managers(const StoreState& state) {
    const std::string_view master = MasterOf(state);
    of_executors_ = ClusterManagerOf(master);
    of_driver_ = ClusterManagerOfDriver(master);
  }

  bool IsDriver(std::string_view id) const { return of_driver_ && id == "driver"; }
  const ClusterManager& Of(std::string_view id) const { return IsDriver(id) ? *of_driver_ : *of_executors_; }

 private:
  std::unique_ptr<ClusterManager> of_executors_, of_driver_;
};

struct Choice {
  std::vector<ExecutorById> shown, others;
};

// Which executors have a row: those that used most, and the driver.
Choice ChooseRows(const StoreState& state, const Managers& managers) {
  std::vector<ExecutorById> order(state.executors.size());
  std::transform(state.executors.begin(), state.executors.end(), order.begin(),
                 [](const auto& executor) { return std::pair(std::string_view(executor.first), &executor.second); });
  std::sort(order.begin(), order.end(), UsedMore);
  Choice choice;
  uint64_t bytes = 0;
  for (const auto& [id, facts] : order) {
    if (NeverWas(*facts, state)) continue;
    const bool has_room = choice.shown.size() < kMostExecutorRows && bytes < kMostRowBytes;
    if (!has_room && !managers.IsDriver(id)) {
      choice.others.emplace_back(id, facts);
      continue;
    }
    bytes += 1000 + 4 * facts->snapshot.size();  // names of keys make JSON longer than protobuf
    choice.shown.emplace_back(id, facts);
  }
  return choice;
}

ReportExecutor WholeRow(const StoreState& state, const Managers& managers, std::string_view id, const ExecutorFacts& facts,
                        const proto::ExecutorSnapshot& snapshot, size_t retained_sites, std::set<ReportNotAvailable>& not_available) {
  ReportExecutor row = ExecutorRow(id, facts, snapshot, retained_sites, state);
  row.nearly_full_heap = NearlyFullHeap(row.id, state);
  PutBudget(state, managers.Of(id), facts, snapshot, row, not_available);
  return row;
}

}  // namespace

uint64_t BesideJvm(const proto::Moment& moment) {
  uint64_t sum = 0;
  for (const proto::Process& process : moment.processes()) {
    if (process.kind() != "jvm") sum += process.peak_rss_bytes();  // at this moment
  }
  return sum;
}

ReportMoment MomentRow(const proto::Moment& moment) {
  ReportMoment row;
  row.time_ms = moment.time_ms();
  row.used_bytes = moment.used_bytes();
  row.regions = NamedBytesOf(moment.regions());
  row.processes = RowsOfProcesses(moment.processes());
  row.active_tasks.assign(moment.active_tasks().begin(), moment.active_tasks().end());
  if (moment.has_shared_bytes()) {
    row.shared_bytes = moment.shared_bytes();
    row.shared_age_ms = moment.shared_age_ms();
  }
  row.unattributed_bytes = moment.unattributed_bytes();
  return row;
}

std::vector<ReportExecutor> ExecutorRows(const StoreState& state, std::set<ReportNotAvailable>& not_available, CounterSums& counters,
                                         ExecutorSums& rest) {
  const Managers managers(state);
  const size_t retained_sites = RetainedSitesShown(std::min(state.executors.size(), kMostExecutorRows));
  const Choice choice = ChooseRows(state, managers);
  for (const auto& [id, facts] : choice.others) rest.Add(*facts, state, counters);
  std::vector<ReportExecutor> rows;
  for (const auto& [id, facts] : choice.shown) {
    const ParsedSnapshot parsed(*facts);
    const proto::ExecutorSnapshot& snapshot = *parsed;
    ReportExecutor row = WholeRow(state, managers, id, *facts, snapshot, retained_sites, not_available);
    if (managers.IsDriver(id) && !DriverHasContainer(&state.configuration)) {
      not_available.insert({"a container of the driver",
                            "in client mode nobody reserves memory for it; its limit is its cgroup's, or the memory of its machine"});
    }
    if (facts->snapshot.empty()) not_available.insert({"processes and peaks of executor " + row.id, "no snapshot of it arrived"});
    for (const proto::Process& process : snapshot.processes()) {
      if (!process.has_baseline() || process.kind() != "python-worker") continue;
      not_available.insert({"baseline.modules of what a worker's daemon had imported",
                            "only workers are profiled; it is in baseline.startRssBytes, shared with the daemon until it is written to"});
    }
    for (const proto::NotAvailable& entry : snapshot.not_available()) not_available.insert({entry.what(), entry.why()});
    for (const proto::Counter& counter : snapshot.counters()) AddCounter(counter.name(), std::min(counter.value(), kMaxFigure), counters);
    rows.push_back(std::move(row));
  }
  std::sort(rows.begin(), rows.end(), [](const ReportExecutor& a, const ReportExecutor& b) { return ExecutorBefore(a.id, b.id); });
  return rows;
}

bool DriverIsApart(const StoreState& state) { return Managers(state).IsDriver("driver"); }

std::vector<std::string_view> ExecutorsWithRow(const StoreState& state) {
  std::vector<std::string_view> ids;
  for (const auto& [id, facts] : ChooseRows(state, Managers(state)).shown) ids.push_back(id);
  return ids;
}

RowsOfExecutors::RowsOfExecutors(const StoreState& state, const std::vector<ReportExecutor>& shown) : state_(state) {
  for (const ReportExecutor& row : shown) rows_.emplace(row.id, &row);
}

const ReportExecutor* RowsOfExecutors::Of(std::string_view id) {
  if (const auto found = rows_.find(id); found != rows_.end()) return found->second;
  const auto facts = state_.executors.find(id);
  if (facts == state_.executors.end()) return nullptr;
  std::set<ReportNotAvailable> unused;
  const size_t retained_sites = RetainedSitesShown(std::min(state_.executors.size(), kMostExecutorRows));
  others_.push_back(std::make_unique<ReportExecutor>(
      WholeRow(state_, Managers(state_), id, facts->second, *ParsedSnapshot(facts->second), retained_sites, unused)));
  return rows_.emplace(others_.back()->id, others_.back().get()).first->second;
}

}  // namespace memprof
