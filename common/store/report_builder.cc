#include "store/report_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "advice/findings.h"
#include "postmortem/post_mortems.h"
#include "report/death_keys.h"
#include "report/digest.h"
#include "report/verdict.h"
#include "rollup/accounting.h"
#include "rollup/driver_rows.h"
#include "rollup/executor_rows.h"
#include "rollup/named_cached.h"
#include "rollup/retained.h"
#include "rollup/site_rollup.h"
#include "rollup/stage_sums.h"
#include "rollup/task_rows.h"
#include "rollup/time_lines.h"
#include "store/never_measured.h"

namespace memprof {
namespace {

// A report stays readable and its file small: rows for the heaviest sites of each origin, fewer where there are very
// many stages, the rest in remainders.
constexpr size_t kSitesPerOrigin = 40, kOtherSitesPerOrigin = 10, kFewestSites = 3, kSitesOfAllStages = 4000;
constexpr size_t kErrorsShown = 5, kLeaksShown = 100, kConsumersShown = 16;
constexpr size_t kFindingsShown = 20, kFindingsOfAKind = 3, kCachedShown = 200, kBroadcastsShown = 200, kActionsShown = 200;
constexpr uint64_t kLeastGrowthIntervals = 4;  // growth below one exactly counted block is not reported

// About how much JSON all stages may take, and how much each stage may always take. With executors and the rest a report stays below
// 16 MB; it is rebuilt regularly while the application runs, in the driver's native memory.
constexpr uint64_t kStageBytes = 9u << 20, kFewestBytesOfStage = 12u << 10;

size_t SitesPerOrigin(size_t most, size_t stages) {
  return std::clamp(kSitesOfAllStages / std::max<size_t>(stages, 1), kFewestSites, most);
}

std::optional<int64_t> Given(bool given, int64_t value) { return given ? std::optional(value) : std::nullopt; }

// Spark takes Kryo for arrays of bytes and numbers and for texts, as PySpark's own RDDs are, whatever is set
// (SerializerManager.getSerializer), and no event says what the elements are. So the class is known only where Kryo is set as well.
void PutSerializer(const StoreState& state, std::vector<ReportCachedData>& rows) {
  const auto setting = state.configuration.find("spark.serializer");
  if (setting == state.configuration.end() || setting->second != "org.apache.spark.serializer.KryoSerializer") return;
  for (ReportCachedData& row : rows) {
    if (!row.storage_level.empty() && !row.deserialized) row.serializer = setting->second;
  }
}

const char* StatusOf(const StageFacts& stage) {
  if (stage.completed) return stage.failure_reason == 0 ? "complete" : "failed";
  return stage.submitted ? "running" : "unknown";
}

// What the rows of all stages are made with.
struct StageRowMaker {
  // `rows`: how many stages get one; the more, the fewer sites each.
  StageRowMaker(const StoreState& of, RetainedSites retained_sites, size_t rows)
      : state(of),
        stacks(*of.interner, of.symbols),
        leads(*of.interner),
        operators(*of.interner),
        retained(std::move(retained_sites)),
        stages(rows) {}

  struct Made {
    ReportStage row;
    uint64_t bytes = 0;  // of JSON, about
    bool awaits_names = false;
  };
  // `tasks` are accounted; `room`: bytes of JSON that the sites may come to.
  Made Make(StageKey key, const StageFacts& stage, const std::vector<AccountedTask>& tasks, uint64_t room) const;

  const StoreState& state;
  NamedStacks stacks;
  LeadLines leads;
  Operators operators;
  RetainedSites retained;
  size_t stages;
};

StageRowMaker::Made StageRowMaker::Make(StageKey key, const StageFacts& stage, const std::vector<AccountedTask>& tasks,
                                        uint64_t room) const {
  const Interner& interner = *state.interner;
  Made made;
  ReportStage& row = made.row;
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
  SiteRollup counted(interner, stacks, leads, operators, state.source), others(interner, stacks, leads, operators, state.source);
  CountingMemory unused;
  TaskMemorySums memory(&unused);
  memory.Add(stage.folded.spark_memory);
  counted.AddFolded(stage.folded);
  others.AddFolded(stage.folded_others);
  for (const AccountedTask& task : tasks) {
    ++accounts[static_cast<size_t>(task.account)];
    bool counts = task.account == Account::kCounted;
    const auto& profile = task.task->profile;
    if (!counts && task.task->error != 0) ++errors[std::string(interner.StringAt(task.task->error))];
    if (!profile) continue;
    (counts ? counted : others).AddTask(*profile);
    if (counts) memory.Add(profile->spark_memory);
    if (counts) ++row.profiled_tasks;
    if (counts && profile->partial) ++row.partial_tasks;
  }
  auto number = [&](Account account) { return accounts[static_cast<size_t>(account)]; };
  row.tasks = number(Account::kCounted);
  memory.Fill(interner, kConsumersShown, row.memory);
  made.bytes = 1900 + row.name.size() + row.call_site.size() + row.failure_reason.size() + 220 * row.memory.consumers.size();
  made.bytes += counted.Fill({SitesPerOrigin(kSitesPerOrigin, stages), kFewestSites, room}, row, made.awaits_names);

  PutTaskRows(interner, operators, stage, tasks, row);
  retained.PutInto(row);

  ReportOtherAttempts& other = row.other_attempts;
  other.failed = number(Account::kFailed);
  other.killed = number(Account::kKilled);
  other.lost = number(Account::kLost);
  other.superseded = number(Account::kSuperseded);
  other.unknown = number(Account::kUnknown);
  other.tasks = other.failed + other.killed + other.lost + other.superseded + other.unknown;
  made.bytes += others.Fill({SitesPerOrigin(kOtherSitesPerOrigin, stages), 1, room / 4}, other, made.awaits_names);
  for (auto& [message, count] : errors) other.errors.push_back({message, count});
  std::stable_sort(other.errors.begin(), other.errors.end(), [](const auto& a, const auto& b) { return a.tasks > b.tasks; });
  uint64_t not_shown = stage.dropped_error_tasks;
  for (size_t i = kErrorsShown; i < other.errors.size(); ++i) not_shown += other.errors[i].tasks;
  if (not_shown != 0) other.other_error_tasks = not_shown;
  if (other.errors.size() > kErrorsShown) other.errors.resize(kErrorsShown);
  return made;
}

void AddStages(const StoreState& state, BuiltReport& built) {
  std::map<StageKey, std::vector<AccountedTask>> by_stage = TasksByStage(state);
  for (const auto& [key, stage] : state.stages) by_stage.try_emplace(key);
  CountingMemory unused;
  const StageFacts unheard_of(&unused);  // its tasks came, its events did not (yet)
  struct Candidate {
    StageKey key;
    const StageFacts* stage;
    std::vector<AccountedTask>* tasks;
    StageSums sums;
  };
  std::vector<Candidate> candidates;
  for (auto& [key, tasks] : by_stage) {
    auto found = state.stages.find(key);
    const StageFacts& stage = found == state.stages.end() ? unheard_of : found->second;
    AccountTasks(stage, tasks);
    candidates.push_back({key, &stage, &tasks, SumsOf(stage, tasks)});
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) { return RankOf(a.key, *a.stage, a.sums) > RankOf(b.key, *b.stage, b.sums); });
  StageSums rest = state.dropped_stages;
  const size_t rows = std::min(candidates.size(), kMostStageRows);
  const StageRowMaker maker(state, RetainedSites(state), rows);
  uint64_t left = kStageBytes;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& stage = candidates[i];
    if (i >= rows || left == 0) {
      rest.Add(stage.sums);
      continue;
    }
    // The heaviest come first and may take more than an equal share of what is left.
    const uint64_t room = std::max(kFewestBytesOfStage, std::min(left, 4 * left / (rows - i)));
    StageRowMaker::Made made = maker.Make(stage.key, *stage.stage, *stage.tasks, room);
    built.report.stages.push_back(std::move(made.row));
    built.awaits_names = built.awaits_names || made.awaits_names;
    left -= std::min(left, made.bytes);
  }
  std::sort(built.report.stages.begin(), built.report.stages.end(),
            [](const ReportStage& a, const ReportStage& b) { return std::pair(a.stage_id, a.attempt) < std::pair(b.stage_id, b.attempt); });
  if (rest.stages != 0) built.report.other_stages = rest.Row();
}

CounterSums Counters(const StoreState& state) {
  CounterSums counters = state.folded_counters;
  for (const auto& [id, task] : state.tasks) {
    if (!task.profile) continue;
    for (const InternedCounter& counter : task.profile->counters) {
      AddCounter(state.interner->StringAt(counter.name), counter.value, counters);
    }
  }
  AddCounter("droppedSites", state.dropped_sites, counters);
  AddCounter("droppedTasks", state.dropped_tasks, counters);
  if (state.dropped_lines != 0) AddCounter("droppedLines", state.dropped_lines, counters);
  if (state.dropped_task_rows != 0) AddCounter("droppedTaskRows", state.dropped_task_rows, counters);
  if (state.dropped_consumers != 0) AddCounter("droppedMemoryConsumers", state.dropped_consumers, counters);
  const uint64_t dropped_cached = state.dropped_cached + state.cached.dropped_datasets();
  if (dropped_cached != 0) AddCounter("droppedCachedData", dropped_cached, counters);
  if (state.cached.dropped_blocks() != 0) AddCounter("droppedBlocks", state.cached.dropped_blocks(), counters);
  if (state.dropped_stages.stages != 0) AddCounter("droppedStages", state.dropped_stages.stages, counters);
  if (state.dropped_executors.executors != 0) AddCounter("droppedExecutors", state.dropped_executors.executors, counters);
  if (state.dropped_retained_heaps != 0) AddCounter("droppedRetainedHeaps", state.dropped_retained_heaps, counters);
  if (state.growth.dropped_workers() != 0) AddCounter("droppedGrowth", state.growth.dropped_workers(), counters);
  return counters;
}

// Of rows that come largest first, and of which there may be one more than are shown.
void KeepFirst(size_t shown, const char* what, auto& rows, std::set<ReportNotAvailable>& not_available) {
  if (rows.size() <= shown) return;
  rows.resize(shown);
  not_available.insert({fmt::format("the smaller {}", what), fmt::format("a report has rows of the {} largest", shown)});
}

// Findings of one kind, each with its weight; the `most` heaviest are shown.
using Weighed = std::vector<std::pair<uint64_t, ReportFinding>>;

void AddHeaviest(size_t most, Weighed found, std::vector<ReportFinding>& findings) {
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  for (size_t i = 0; i < std::min(most, found.size()); ++i) findings.push_back(std::move(found[i].second));
}

// The most bytes that any one task of a stage had, of whatever kind.
uint64_t HeaviestTask(const ReportStage& stage) {
  uint64_t most = 0;
  for (const ReportDistribution& spread : stage.distributions) {
    if (spread.figure != TaskFigure::kDurationMs && spread.figure != TaskFigure::kGcMs) most = std::max(most, spread.quantiles[4]);
  }
  return most;
}

// After leaks and post-mortems. Of each kind the worst; what kills first comes first.
void AddFindings(const StoreState& state, Report& report) {
  Weighed full, spills, uneven, growing;
  std::set<std::pair<std::string, uint64_t>> shared;
  const auto add = [](uint64_t weight, std::optional<ReportFinding> finding, Weighed& found) {
    if (finding) found.emplace_back(weight, std::move(*finding));
  };
  for (const ReportExecutor* executor : ExecutorsByUse(report)) {
    const bool died = std::any_of(report.post_mortems.begin(), report.post_mortems.end(), [&](const ReportPostMortem& death) {
      const bool whole = death.process != "python-worker" && !death.job_id;
      return death.executor_id == executor->id && !death.survived && (whole || death.out_of_memory);
    });
    const bool died_beside = std::any_of(report.other_deaths.begin(), report.other_deaths.end(),
                                         [&](const ReportOtherDeath& death) { return death.key == ExecutorDeathKey(executor->id); });
    if (died || died_beside) continue;
    // A limit that several share is told once, of the one that saw most.
    if (executor->limit_shared && !shared.emplace(executor->host, executor->limit_bytes.value_or(0)).second) continue;
    add(static_cast<uint64_t>(1000 * std::max(0.0, UseOf(*executor))), FindFullContainer(*executor, &state.configuration), full);
  }
  const bool of_spark = report.application.master != "program";  // a program's processes are no partitions
  for (const ReportStage& stage : report.stages) {
    if (of_spark) add(HeaviestTask(stage), FindUnevenTasks(stage), uneven);
    const auto facts = state.stages.find({stage.stage_id, stage.attempt});
    if (facts == state.stages.end() || state.cached.dropped_blocks() != 0) continue;  // shares of storage would be wrong
    const CachedByMode cached = NamedCached(facts->second.cached, state.cached);
    add(stage.memory.spilled_memory_bytes.value_or(0), FindCachedDataThatSpills(stage, cached, &state.configuration), spills);
  }
  for (const ReportLeak& leak : report.leaks) add(leak.live_bytes, FindGrowingLine(leak), growing);
  AddHeaviest(kFindingsOfAKind, std::move(full), report.findings);
  AddHeaviest(kFindingsShown, std::move(spills), report.findings);
  AddHeaviest(kFindingsOfAKind, std::move(growing), report.findings);
  AddHeaviest(kFindingsOfAKind, std::move(uneven), report.findings);
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
  PutTimeLines(state, report.executors);
  if (other_executors.executors != 0) report.other_executors = {other_executors.executors, other_executors.largest_used_bytes};
  AddStages(state, built);
  report.cached_data = state.cached.Rows(kCachedShown + 1);
  report.broadcasts = state.cached.Broadcasts(kBroadcastsShown + 1);
  KeepFirst(kCachedShown, "cached data", report.cached_data, not_available);
  PutSerializer(state, report.cached_data);
  KeepFirst(kBroadcastsShown, "broadcast variables", report.broadcasts, not_available);
  report.driver = DriverRow(state, kActionsShown);
  report.leaks = Leaks(state);
  PostMortemRows post_mortems = PostMortems(state, report.executors, built.awaits_names);
  report.post_mortems = std::move(post_mortems.shown);
  report.other_deaths = std::move(post_mortems.others);
  const uint64_t dropped = state.dropped_deaths + state.dropped_executor_deaths + post_mortems.dropped;
  if (dropped != 0) AddCounter("droppedPostMortems", dropped, counters);
  AddFindings(state, report);
  report.counters.assign(counters.begin(), counters.end());
  if (state.dropped_retained_heaps != 0) {
    not_available.insert({"retainedBytes of some executors' heaps",
                          "the store was full (spark.memprof.store.limit sets its size); droppedRetainedHeaps counts them"});
  }
  AddNeverMeasured(report, state.dropped_retained_heaps != 0, not_available);
  report.not_available.assign(not_available.begin(), not_available.end());
  return built;
}

std::vector<ReportLeak> Leaks(const StoreState& state) {
  return state.growth.Leaks(*state.interner, kLeastGrowthIntervals * state.python_interval_bytes, kLeaksShown);
}

std::vector<ReportStage> BuildStages(const StoreState& state, const std::vector<StageKey>& keys) {
  std::vector<ReportStage> rows;
  if (keys.empty()) return rows;
  const StageRowMaker maker(state, RetainedSites(state, keys), 1);
  std::map<StageKey, std::vector<AccountedTask>> by_stage = TasksByStage(state);
  CountingMemory unused;
  const StageFacts unheard_of(&unused);
  for (const StageKey& key : keys) {
    auto found = state.stages.find(key);
    const StageFacts& stage = found == state.stages.end() ? unheard_of : found->second;
    std::vector<AccountedTask>& tasks = by_stage[key];
    AccountTasks(stage, tasks);
    rows.push_back(maker.Make(key, stage, tasks, kStageBytes).row);
  }
  return rows;
}

}  // namespace memprof
