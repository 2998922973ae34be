#include "store/report_builder.h"

#include <algorithm>
#include <initializer_list>

#include "postmortem/post_mortems.h"
#include "store/accounting.h"
#include "store/executor_rows.h"
#include "store/rollup.h"
#include "store/stage_sums.h"

namespace memprof {
namespace {

// A report stays readable and its file small: rows for the heaviest sites of each origin, fewer where there are very
// many stages, the rest in remainders.
constexpr size_t kSitesPerOrigin = 40, kOtherSitesPerOrigin = 10, kFewestSites = 3, kSitesOfAllStages = 4000;
constexpr size_t kErrorsShown = 5, kLeaksShown = 100;
constexpr uint64_t kLeastGrowthIntervals = 4;  // what comes to less than a block that is counted for certain is not told

// About how much JSON all stages may come to, and what each may whatever the others take. With executors and the rest a report
// stays below 16 MB; it is rebuilt every so often while the application runs, as a byte[] of the driver's heap.
constexpr uint64_t kStageBytes = 9u << 20, kFewestBytesOfStage = 12u << 10;

size_t SitesPerOrigin(size_t most, size_t stages) {
  return std::clamp(kSitesOfAllStages / std::max<size_t>(stages, 1), kFewestSites, most);
}

std::optional<int64_t> Given(bool given, int64_t value) { return given ? std::optional(value) : std::nullopt; }

const char* StatusOf(const StageRecord& stage) {
  if (stage.completed) return stage.failure_reason == 0 ? "complete" : "failed";
  return stage.submitted ? "running" : "unknown";
}

ReportStage StageRow(const StoreState& state, const NamedStacks& stacks, const LeadLines& leads, StageKey key, const StageRecord& stage,
                     std::vector<AccountedTask> tasks, size_t stages, uint64_t room, uint64_t& bytes, bool& awaits_names) {
  const Interner& interner = *state.interner;
  AccountTasks(stage, tasks);
  ReportStage row;
  row.stage_id = key.stage_id;
  row.attempt = key.attempt;
  row.name = interner.StringAt(stage.name);
  row.call_site = interner.StringAt(stage.call_site);
  row.failure_reason = interner.StringAt(stage.failure_reason);
  row.status = StatusOf(stage);
  row.submitted_ms = Given(stage.submitted, stage.submitted_ms);
  row.completed_ms = Given(stage.completed, stage.completed_ms);
  if (stage.partitions >= 0) row.partitions = static_cast<uint64_t>(stage.partitions);
  row.profiled_tasks = stage.folded_profiled;
  row.partial_tasks = stage.folded_partial;

  auto accounts = stage.folded_accounts;
  std::map<std::string, uint64_t> errors;
  for (const auto& [error, count] : stage.folded_errors) errors[std::string(interner.StringAt(error))] += count;
  SiteRollup counted(interner, stacks, leads, state.source), others(interner, stacks, leads, state.source);
  counted.AddFolded(stage.folded);
  others.AddFolded(stage.folded_others);
  for (const AccountedTask& task : tasks) {
    ++accounts[static_cast<size_t>(task.account)];
    bool counts = task.account == Account::kCounted;
    const auto& profile = task.task->profile;
    if (!counts && task.task->error != 0) ++errors[std::string(interner.StringAt(task.task->error))];
    if (!profile) continue;
    (counts ? counted : others).AddTask(*profile);
    if (counts) ++row.profiled_tasks;
    if (counts && profile->partial) ++row.partial_tasks;
  }
  auto number = [&](Account account) { return accounts[static_cast<size_t>(account)]; };
  row.tasks = number(Account::kCounted);
  bytes = 1500 + row.name.size() + row.call_site.size() + row.failure_reason.size();
  bytes += counted.Fill({SitesPerOrigin(kSitesPerOrigin, stages), kFewestSites, room}, row, awaits_names);

  ReportOtherAttempts& other = row.other_attempts;
  other.failed = number(Account::kFailed);
  other.killed = number(Account::kKilled);
  other.lost = number(Account::kLost);
  other.superseded = number(Account::kSuperseded);
  other.unknown = number(Account::kUnknown);
  other.tasks = other.failed + other.killed + other.lost + other.superseded + other.unknown;
  bytes += others.Fill({SitesPerOrigin(kOtherSitesPerOrigin, stages), 1, room / 4}, other, awaits_names);
  for (auto& [message, count] : errors) other.errors.push_back({message, count});
  std::stable_sort(other.errors.begin(), other.errors.end(), [](const auto& a, const auto& b) { return a.tasks > b.tasks; });
  if (other.errors.size() > kErrorsShown) other.errors.resize(kErrorsShown);
  return row;
}

void AddStages(const StoreState& state, BuiltReport& built) {
  NamedStacks stacks(*state.interner, state.symbols);
  LeadLines leads(*state.interner);
  std::map<StageKey, std::vector<AccountedTask>> by_stage = TasksByStage(state);
  for (const auto& [key, stage] : state.stages) by_stage.try_emplace(key);
  CountingMemory unused;
  const StageRecord unheard_of(&unused);  // its tasks came, its events did not (yet)
  struct Candidate {
    StageKey key;
    const StageRecord* stage;
    std::vector<AccountedTask>* tasks;
    StageSums sums;
  };
  std::vector<Candidate> candidates;
  for (auto& [key, tasks] : by_stage) {
    auto found = state.stages.find(key);
    const StageRecord& stage = found == state.stages.end() ? unheard_of : found->second;
    AccountTasks(stage, tasks);
    candidates.push_back({key, &stage, &tasks, SumsOf(stage, tasks)});
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) { return RankOf(a.key, *a.stage, a.sums) > RankOf(b.key, *b.stage, b.sums); });
  StageSums rest = state.dropped_stages;
  const size_t rows = std::min(candidates.size(), kMostStageRows);
  uint64_t left = kStageBytes;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& stage = candidates[i];
    if (i >= rows || left == 0) {
      rest.Add(stage.sums);
      continue;
    }
    // The heaviest come first and may take more than an equal share of what is left.
    const uint64_t room = std::max(kFewestBytesOfStage, std::min(left, 4 * left / (rows - i)));
    uint64_t bytes = 0;
    built.report.stages.push_back(
        StageRow(state, stacks, leads, stage.key, *stage.stage, *stage.tasks, rows, room, bytes, built.awaits_names));
    left -= std::min(left, bytes);
  }
  std::sort(built.report.stages.begin(), built.report.stages.end(),
            [](const ReportStage& a, const ReportStage& b) { return std::pair(a.stage_id, a.attempt) < std::pair(b.stage_id, b.attempt); });
  if (rest.stages != 0) built.report.other_stages = rest.Row();
}

CounterSums Counters(const StoreState& state) {
  CounterSums counters = state.folded_counters;
  for (const auto& [id, task] : state.tasks) {
    if (!task.profile) continue;
    for (const CounterRecord& counter : task.profile->counters) {
      AddCounter(state.interner->StringAt(counter.name), counter.value, counters);
    }
  }
  AddCounter("droppedSites", state.dropped_sites, counters);
  AddCounter("droppedTasks", state.dropped_tasks, counters);
  if (state.dropped_lines != 0) AddCounter("droppedLines", state.dropped_lines, counters);
  if (state.dropped_stages.stages != 0) AddCounter("droppedStages", state.dropped_stages.stages, counters);
  if (state.dropped_executors.executors != 0) AddCounter("droppedExecutors", state.dropped_executors.executors, counters);
  if (state.growth.dropped_workers() != 0) AddCounter("droppedGrowth", state.growth.dropped_workers(), counters);
  if (state.dropped_deaths != 0) AddCounter("droppedPostMortems", state.dropped_deaths, counters);
  return counters;
}

// What no part of this version measures, said once where somebody could look for it.
void AddNeverMeasured(const Report& report, std::set<ReportNotAvailable>& not_available) {
  auto any_site = [&](Origin origin) {
    return std::any_of(report.stages.begin(), report.stages.end(), [&](const ReportStage& stage) {
      return std::any_of(stage.sites.begin(), stage.sites.end(), [&](const ReportSite& site) { return site.origin == origin; });
    });
  };
  if (any_site(Origin::kJvmHeap)) {
    not_available.insert({"liveAtPeakBytes and retainedBytes of jvm-heap sites",
                          "what is live in a heap is only known after a collection; bytes allocated are shown instead"});
  }
  if (any_site(Origin::kJvmOffHeap) || any_site(Origin::kJvmNative)) {
    not_available.insert({"residentAtPeakBytes of sites of the JVM", "pages are looked up in Python processes only"});
  }
  auto any_region = [&](std::string_view name) {
    return std::any_of(report.executors.begin(), report.executors.end(), [&](const ReportExecutor& executor) {
      return std::any_of(executor.regions.begin(), executor.regions.end(),
                         [&](const ReportRegion& region) { return region.name == name && !region.peak_bytes; });
    });
  };
  for (const auto& [region, why] : std::initializer_list<std::pair<const char*, const char*>>{
           {"heap.reserved", "Spark's reserve is not accounted for by anybody"},
           {"heap.user", "what is neither storage nor execution is known only together with what waits for a collection"},
           {"offHeap", "Spark's off-heap memory is among the blocks of directPeakBytes"},
           {"pyspark", "no budget of its own was granted, or no moment of the executor was measured; Python is part of the overhead"},
           {"overhead", "no moment of the executor was measured, or Python has a budget of its own"}}) {
    if (any_region(region)) not_available.insert({std::string("peakBytes of region ") + region, why});
  }
  if (!report.executors.empty()) {
    not_available.insert({"sites of jvm-native", "malloc of JNI libraries is not hooked; it is part of the JVM's unattributed memory"});
  }
  if (report.other_stages) {
    not_available.insert({"rows of all stages", "a report shows the heaviest; the others are summed up in otherStages"});
  }
  if (report.other_executors) {
    not_available.insert({"rows of all executors", "a report shows those that used most; the others are counted in otherExecutors"});
  }
  bool any_peak = std::any_of(report.executors.begin(), report.executors.end(), [](const auto& executor) { return executor.at_peak; });
  if (any_peak) not_available.insert({"executors.atPeak.sites", "sites are measured at the peak of their task, not of their executor"});
}

}  // namespace

BuiltReport BuildReport(const StoreState& state, bool unfinished) {
  BuiltReport built;
  Report& report = built.report;
  report.unfinished = unfinished;
  report.application = state.application;
  if (report.application.python_version.empty()) report.application.python_version = state.session_python_version;
  if (state.jvm_interval_bytes != 0) report.sampling.jvm_interval_bytes = state.jvm_interval_bytes;
  if (state.python_interval_bytes != 0) report.sampling.python_interval_bytes = state.python_interval_bytes;
  std::set<ReportNotAvailable> not_available = state.not_available;
  CounterSums counters = Counters(state);
  ExecutorSums other_executors = state.dropped_executors;
  report.executors = ExecutorRows(state, not_available, counters, other_executors);
  if (other_executors.executors != 0) report.other_executors = {other_executors.executors, other_executors.largest_used_bytes};
  AddStages(state, built);
  report.leaks = Leaks(state);
  report.post_mortems = PostMortems(state, report.executors, built.awaits_names);
  AddNeverMeasured(report, not_available);
  report.not_available.assign(not_available.begin(), not_available.end());
  report.counters.assign(counters.begin(), counters.end());
  return built;
}

std::vector<ReportLeak> Leaks(const StoreState& state) {
  return state.growth.Leaks(*state.interner, kLeastGrowthIntervals * state.python_interval_bytes, kLeaksShown);
}

std::vector<ReportStage> BuildStages(const StoreState& state, const std::vector<StageKey>& keys) {
  std::vector<ReportStage> rows;
  if (keys.empty()) return rows;
  NamedStacks stacks(*state.interner, state.symbols);
  LeadLines leads(*state.interner);
  std::map<StageKey, std::vector<AccountedTask>> by_stage = TasksByStage(state);
  CountingMemory unused;
  const StageRecord unheard_of(&unused);
  for (const StageKey& key : keys) {
    auto found = state.stages.find(key);
    uint64_t bytes = 0;
    bool awaits_names = false;
    rows.push_back(StageRow(state, stacks, leads, key, found == state.stages.end() ? unheard_of : found->second, std::move(by_stage[key]),
                            1, kStageBytes, bytes, awaits_names));
  }
  return rows;
}

}  // namespace memprof
