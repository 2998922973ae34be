#include "advice/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <utility>

#include "budget/memory_size.h"
#include "report/same_process.h"
#include "report/units.h"
#include "report/verdict.h"

namespace memprof {
namespace {

constexpr uint64_t kIdleWorker = 16 * kMib;  // below this a worker waits for a task and holds nothing of one

PythonAtOnce SumOf(const std::vector<ReportProcess>& processes) {
  PythonAtOnce python;
  for (const ReportProcess& process : processes) {
    if (process.kind == "jvm") continue;
    python.bytes += process.peak_rss_bytes;
    if (process.kind == "program") python.programs += process.peak_rss_bytes;
    if (process.kind == "python-driver") python.of_driver += process.peak_rss_bytes;
    if (process.kind == "python-worker" && process.peak_rss_bytes >= kIdleWorker) python.by_worker.push_back(process.peak_rss_bytes);
  }
  std::sort(python.by_worker.begin(), python.by_worker.end(), std::greater<>());
  return python;
}

// The sites are those of one worker's task, which was killed while it filled a block: it needed all of that block. What other processes
// of that task hold is theirs.
PythonAtOnce WithBlocksOf(const ReportPostMortem& death, uint64_t live, std::vector<ReportProcess> processes) {
  const std::optional<int64_t> task = death.task_attempt_id;
  for (const ReportProcess& process : processes) {
    if (!IsOf(death, process) && task && process.last_task_attempt_id == task) live -= std::min(live, process.peak_rss_bytes);
  }
  const auto found = std::find_if(processes.begin(), processes.end(), [&](const ReportProcess& process) { return IsOf(death, process); });
  ReportProcess& worker =
      found != processes.end() ? *found : processes.emplace_back(ReportProcess{.pid = *death.pid, .kind = "python-worker"});
  const bool more = live > worker.peak_rss_bytes;
  worker.peak_rss_bytes = std::max(live, worker.peak_rss_bytes);
  PythonAtOnce python = SumOf(processes);
  if (more) python.by = PythonAtOnce::By::kResidentAndSites;
  return python;
}

}  // namespace

PythonAtOnce ResidentPythonSum(const AdviceInput& input) {
  PythonAtOnce largest = SumOf(input.death->processes);
  if (!input.executor->at_peak) return largest;
  PythonAtOnce at_peak = SumOf(input.executor->at_peak->processes);
  return at_peak.bytes > largest.bytes ? at_peak : largest;
}

PythonAtOnce LargestPythonSum(const AdviceInput& input) {
  const ReportPostMortem& death = *input.death;
  uint64_t live = 0;
  for (const ReportSite& site : death.sites) {
    if (site.origin == Origin::kPython) live += site.live_at_peak_bytes.value_or(0);
  }
  const bool of_one = death.process == "python-worker" && death.pid && !death.started_by_task && death.program.empty();
  PythonAtOnce largest = ResidentPythonSum(input);
  if (of_one) {
    PythonAtOnce of_dead = WithBlocksOf(death, live, death.processes);
    if (of_dead.bytes >= largest.bytes) largest = std::move(of_dead);
  }
  const uint64_t others = largest.programs + largest.of_driver;
  if (!of_one && live > largest.bytes - others) {
    const double times = static_cast<double>(live) / static_cast<double>(std::max<uint64_t>(largest.bytes - others, 1));
    for (uint64_t& bytes : largest.by_worker) bytes = static_cast<uint64_t>(static_cast<double>(bytes) * times);
    if (largest.by_worker.empty()) largest.by_worker = {live};
    largest.bytes = live + others;
    largest.by = PythonAtOnce::By::kSites;
  }
  largest.tasks = std::min<uint64_t>(largest.workers(), std::max<uint64_t>(TaskSlots(input).value_or(UINT64_MAX), 1));
  return largest;
}

uint64_t JvmResident(const AdviceInput& input) {
  for (const ReportProcess& process : input.death->processes) {
    if (process.kind == "jvm") return process.peak_rss_bytes;
  }
  return 0;
}

uint64_t JvmNative(const AdviceInput& input) {
  uint64_t resident = JvmResident(input);
  uint64_t heap = input.executor->heap_max_bytes.value_or(0);
  if (const uint64_t committed = LastOf(input, "heap.committed"); committed != 0) heap = committed;
  heap = std::min(heap, ResidentHeap(*input.executor).value_or(heap));
  uint64_t native = resident > heap ? resident - heap : 0;
  return native - std::min(native, SparksOffHeap(input));
}

uint64_t SparksOffHeap(const AdviceInput& input) {
  const uint64_t budget = BudgetOf(input, "offHeap");
  if (input.spark_off_heap) return std::min(budget, *input.spark_off_heap);  // memory that was granted but not used is not use
  if (input.last && !input.last->regions.empty()) return std::min(budget, LastOf(input, "offHeap"));  // with direct buffers
  return budget;
}

JvmSize JvmAtMost(const AdviceInput& input) {
  const uint64_t resident = JvmResident(input);
  const uint64_t grown = input.executor->heap_max_bytes.value_or(0) + JvmNative(input) + SparksOffHeap(input);
  return {std::max(resident, grown), grown > resident};
}

uint64_t BudgetOf(const ReportExecutor& executor, std::string_view region) {
  for (const ReportRegion& each : executor.regions) {
    if (each.name == region) return each.budget_bytes.value_or(0);
  }
  return 0;
}

uint64_t BudgetOf(const AdviceInput& input, std::string_view region) { return BudgetOf(*input.executor, region); }

uint64_t LastOf(const AdviceInput& input, std::string_view region) {
  if (!input.last) return 0;
  for (const ReportNamedBytes& each : input.last->regions) {
    if (each.name == region) return each.bytes;
  }
  return 0;
}

std::string TextOr(const SparkSettings* settings, const char* key, const char* otherwise) {
  const auto found = settings == nullptr ? SparkSettings::const_iterator() : settings->find(key);
  return settings == nullptr || found == settings->end() ? otherwise : found->second;
}

uint64_t SizeOr(const SparkSettings* settings, const char* key, uint64_t unit, uint64_t otherwise) {
  if (settings == nullptr) return otherwise;
  const auto found = settings->find(key);
  if (found == settings->end()) return otherwise;
  const Result<uint64_t> bytes = ParseMemorySize(found->second, unit);
  return bytes.ok() ? *bytes : otherwise;
}

HeapSize HeapAsSet(const SparkSettings* settings, const char* key, std::optional<uint64_t> heap_max_bytes) {
  constexpr double kSame = 0.8;
  const uint64_t set = SizeOr(settings, key, kMib, kGib), runs = heap_max_bytes.value_or(set);
  const bool is_as_set = runs <= set && static_cast<double>(runs) >= kSame * static_cast<double>(set);
  return is_as_set ? HeapSize{set, true} : HeapSize{runs, false};
}

std::string NotTakenPhrase(const SparkSettings* settings, const HeapSize& heap) {
  if (heap.as_set || TextOr(settings, "spark.driver.memory", "").empty()) return "";
  return "; the driver's JVM didn't get what is set: set it for spark-submit or in spark-defaults.conf, before it starts";
}

uint64_t NumberOr(const SparkSettings* settings, const char* key, uint64_t otherwise) {
  const auto found = settings == nullptr ? SparkSettings::const_iterator() : settings->find(key);
  if (settings == nullptr || found == settings->end()) return otherwise;
  const std::string& text = found->second;
  uint64_t number = 0;
  return std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc() ? number : 0;
}

uint64_t PysparkMemorySetting(const AdviceInput& input) {
  const ReportResourceProfile& profile = input.executor->resource_profile;
  if (profile.AsksFor(ReportResourceProfile::kPysparkMemory)) return profile.pyspark_bytes.value_or(BudgetOf(input, "pyspark"));
  return SizeOr(input.settings, "spark.executor.pyspark.memory", kMib, 0);
}

uint64_t BytesOfTasks(const PythonAtOnce& python, uint64_t tasks) {
  if (python.tasks == 0) return python.bytes - python.of_driver;
  tasks = std::min(tasks, python.tasks);
  uint64_t own = 0, all = 0;
  for (size_t i = 0; i < python.by_worker.size(); ++i) {
    all += python.by_worker[i];
    if (i % python.tasks < tasks) own += python.by_worker[i];
  }
  return own + (python.bytes - python.of_driver - all) * tasks / python.tasks;
}

std::string EachPhrase(const PythonAtOnce& python) {
  const uint64_t largest = BytesOfTasks(python, 1), mean = BytesOfTasks(python, python.tasks) / std::max<uint64_t>(python.tasks, 1);
  const bool alike = largest <= mean + mean / 10;
  return fmt::format("{}{} {}", alike ? "" : "up to ", FormatBytes(largest), python.workers() > python.tasks ? "for each task" : "each");
}

std::string PythonPhrase(const PythonAtOnce& python) {
  std::string workers = python.workers() <= 1 ? "" : fmt::format(" ({} at once)", python.workers());
  std::string programs = python.programs == 0 ? "" : fmt::format(" + {} in programs beside them", FormatBytes(python.programs));
  if (python.of_driver != 0) programs += fmt::format(" + {} in the driver's own process", FormatBytes(python.of_driver));
  const std::string bytes = FormatBytes(python.bytes - python.programs - python.of_driver);
  switch (python.by) {
    case PythonAtOnce::By::kSites:
      return fmt::format("Python had {} in live blocks{}{}", bytes, workers, programs);
    case PythonAtOnce::By::kResidentAndSites:
      return fmt::format("Python workers together held, with all blocks of the one that died, {}{}{}", bytes, workers, programs);
    case PythonAtOnce::By::kResident:
      break;
  }
  return fmt::format("Python workers together held {}{}{}", bytes, workers, programs);
}

std::string StillWanted(const AdviceInput& input, std::string_view or_else) {
  if (!input.peer_bytes.empty() || input.tasks_at_once == 0) return "";
  return fmt::format(
      "; how much more they wanted is not known, for no task of their stage has ended that was measured: if it dies again, {}", or_else);
}

bool LimitIsHosts(const AdviceInput& input) {
  return input.executor->host_memory_bytes && input.death->limit_bytes && *input.death->limit_bytes >= *input.executor->host_memory_bytes;
}

uint64_t TaskCpus(const AdviceInput& input) {
  const ReportResourceProfile& profile = input.executor->resource_profile;
  if (profile.id != 0 && profile.task_cpus != 0) return profile.task_cpus;
  const uint64_t cpus = NumberOr(input.settings, "spark.task.cpus", 1);
  return cpus > 0 && cpus <= UINT16_MAX ? cpus : 1;
}

std::optional<AgainstPeers> TaskAgainstPeers(const AdviceInput& input) {
  constexpr size_t kFewestPeers = 3;
  if (input.peer_bytes.size() < kFewestPeers) return std::nullopt;
  std::vector<uint64_t> peers = input.peer_bytes;
  const auto middle = peers.begin() + static_cast<ptrdiff_t>(peers.size() / 2);
  std::nth_element(peers.begin(), middle, peers.end());
  if (*middle == 0) return std::nullopt;
  return AgainstPeers{static_cast<double>(input.task_bytes) / static_cast<double>(*middle), *middle};
}

uint64_t TasksThatShareHeap(const AdviceInput& input) { return std::min<uint64_t>(input.tasks_at_once, TaskSlots(input).value_or(0)); }

uint64_t MostAllocatedBeside(const AdviceInput& input) {
  return *std::max_element(input.heap_by_task.begin() + 1, input.heap_by_task.end());
}

bool OneTaskAllocatedFarMore(const AdviceInput& input) {
  if (input.heap_by_task.size() < 2) return false;
  const uint64_t first = input.heap_by_task.front(), others = MostAllocatedBeside(input);
  if (first < input.executor->heap_max_bytes.value_or(0) / 2) return false;  // it has not filled it by itself
  // Where it is like those of its stage that have finished, the others are only not so far yet.
  const std::optional<AgainstPeers> peers = TaskAgainstPeers(input);
  return static_cast<double>(first) >= kFarMore * static_cast<double>(others) && (!peers || peers->times >= kFarMore);
}

std::optional<uint64_t> TaskSlots(const AdviceInput& input) {
  if (!input.executor->cores) return std::nullopt;
  return static_cast<uint64_t>(std::max<int64_t>(*input.executor->cores, 1)) / TaskCpus(input);
}

bool SettingsSizeLimit(const ReportExecutor& executor, uint64_t limit_bytes) {
  const uint64_t requested = executor.requested_bytes.value_or(limit_bytes);
  const bool is_own = !executor.limit_shared && BudgetOf(executor, "overhead") != 0;
  // Of a cgroup it is not known how much of it is rounding; what YARN granted is computed.
  return is_own && limit_bytes >= requested && (executor.limit_source == "spark" || limit_bytes / 2 < requested);
}

bool LimitIsAsRequested(const ReportExecutor& executor, uint64_t limit_bytes) {
  return executor.id != "driver" && SettingsSizeLimit(executor, limit_bytes);
}

uint64_t UsedInAll(const AdviceInput& input) {
  return std::max(JvmResident(input) + LargestPythonSum(input).bytes, input.death->used_bytes.value_or(0));
}

bool FilledSharedLimit(const AdviceInput& input) {
  return input.executor->limit_shared && !input.of_heap && input.death->process != "container";
}

uint64_t InSwap(const AdviceInput& input) { return input.executor->swap ? input.executor->swap->beside_jvm_bytes : 0; }

uint64_t OfNoProcess(const AdviceInput& input) {
  if (!input.last || input.executor->limit_source != "cgroup" || input.executor->limit_shared) return 0;
  const auto rest = static_cast<uint64_t>(std::max<int64_t>(0, input.last->unattributed_bytes));
  return rest < input.death->limit_bytes.value_or(0) / 20 ? 0 : rest;
}

uint64_t WithHeadroom(uint64_t bytes) { return static_cast<uint64_t>(static_cast<double>(bytes) * kHeadroom); }

std::string SparkSize(uint64_t bytes) { return fmt::format("{}m", (bytes + kMib - 1) / kMib); }

}  // namespace memprof
