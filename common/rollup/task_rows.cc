#include "rollup/task_rows.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "facts/figures.h"
#include "rollup/gc_percent.h"
#include "rollup/site_rollup.h"

namespace memprof {
namespace {

static_assert(kAccounts == kTaskStatuses && static_cast<size_t>(Account::kSuperseded) == static_cast<size_t>(ReportTaskStatus::kSuperseded),
              "a task's status is its account");

uint64_t& At(TaskFigure figure, TaskFigures& figures) { return figures[static_cast<size_t>(figure)]; }
uint64_t At(TaskFigure figure, const TaskFigures& figures) { return figures[static_cast<size_t>(figure)]; }

// Heaviest first: by what Python held, then by what the JVM allocated. An unmeasured figure comes after a measured zero.
auto OrderOf(const FoldedTaskRow& row) {
  const auto weight = [&](TaskFigure figure) { return ~(At(figure, row.figures) + 1); };  // + 1: not measured becomes 0
  return std::tuple(weight(TaskFigure::kPythonLiveAtPeak), weight(TaskFigure::kHeapAllocated), row.task_attempt_id);
}

bool Before(const FoldedTaskRow& a, const FoldedTaskRow& b) { return OrderOf(a) < OrderOf(b); }

// Of what Python held at its peak; nothing: not known.
std::optional<uint64_t> KeptBy(const InternedProfile& profile) {
  std::optional<uint64_t> kept;
  for (const InternedSite& site : profile.sites) {
    if (site.key.origin == Origin::kPython && KeptBytes(site.figures)) kept = kept.value_or(0) + *KeptBytes(site.figures);
  }
  return kept;
}

uint64_t OfBroadcasts(const InternedProfile& profile, const Operators& operators) {
  uint64_t bytes = 0;
  for (const InternedSite& site : profile.sites) {
    if (site.key.origin == Origin::kJvmHeap && operators.ReadsBroadcast(site.key.stack)) bytes += site.figures.allocated_bytes;
  }
  return bytes;
}

void PutProfile(const InternedProfile& profile, const Operators& operators, TaskFigures& figures) {
  const std::array<uint64_t, kOrigins> allocated = AllocatedBy(profile);
  const TaskPeak peak(profile);
  const auto live = [&](Origin origin) -> std::optional<uint64_t> {
    if ((peak.measured >> static_cast<size_t>(origin) & 1) == 0) return std::nullopt;
    return peak.live_at_peak_bytes[static_cast<size_t>(origin)];
  };
  const std::optional<uint64_t> native = live(Origin::kJvmNative), off_heap = live(Origin::kJvmOffHeap);
  At(TaskFigure::kPythonLiveAtPeak, figures) = live(Origin::kPython).value_or(kNoTaskFigure);
  const uint64_t python = allocated[static_cast<size_t>(Origin::kPython)], heap = allocated[static_cast<size_t>(Origin::kJvmHeap)];
  if (python != 0 || live(Origin::kPython)) At(TaskFigure::kPythonAllocated, figures) = python;
  if (heap != 0 || profile.jvm_interval_bytes != 0) At(TaskFigure::kHeapAllocated, figures) = heap;  // what has no sample is small
  if (native || off_heap) At(TaskFigure::kOffHeapLiveAtPeak, figures) = native.value_or(0) + off_heap.value_or(0);
  At(TaskFigure::kPeakExecution, figures) = profile.spark_memory.peak_execution_bytes.value_or(kNoTaskFigure);
  At(TaskFigure::kSpilledMemory, figures) = profile.spark_memory.spilled_memory_bytes.value_or(kNoTaskFigure);
  At(TaskFigure::kPythonKept, figures) = KeptBy(profile).value_or(kNoTaskFigure);
  if (const uint64_t broadcasts = OfBroadcasts(profile, operators)) At(TaskFigure::kHeapOfBroadcasts, figures) = broadcasts;
  if (profile.gc_stopped_ms) At(TaskFigure::kGcMs, figures) = *profile.gc_stopped_ms;  // Spark's metric counts concurrent cycles as a whole
}

// Uses the same ranks as Spark's stage page, so that the two agree: of n sorted values, number floor(n · q).
std::optional<ReportDistribution> DistributionOf(TaskFigure figure, const std::vector<const FoldedTaskRow*>& rows) {
  std::vector<uint64_t> values;
  for (const FoldedTaskRow* row : rows) {
    if (const uint64_t value = At(figure, row->figures); value != kNoTaskFigure) values.push_back(value);
  }
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  if (values.back() == 0) return std::nullopt;
  ReportDistribution distribution{figure, values.size(), {}, std::nullopt};
  for (size_t quarter = 0; quarter < distribution.quantiles.size(); ++quarter) {
    distribution.quantiles[quarter] = values[std::min(values.size() * quarter / 4, values.size() - 1)];
  }
  const uint64_t median = distribution.quantiles[2];
  if (median != 0) distribution.skew = static_cast<double>(values.back()) / static_cast<double>(median);
  return distribution;
}

// Of the tasks of which both are known.
std::optional<double> GcPercentOf(const std::vector<const FoldedTaskRow*>& rows) {
  uint64_t gc_ms = 0, duration_ms = 0;
  for (const FoldedTaskRow* row : rows) {
    const uint64_t gc = At(TaskFigure::kGcMs, row->figures), duration = At(TaskFigure::kDurationMs, row->figures);
    if (gc == kNoTaskFigure || duration == kNoTaskFigure) continue;
    gc_ms += gc;
    duration_ms += duration;
  }
  return GcPercent(gc_ms, duration_ms);
}

}  // namespace

FoldedTaskRow RowOf(const AccountedTask& task, const Operators& operators) {
  const TaskFacts& facts = *task.task;
  FoldedTaskRow row;
  row.task_attempt_id = task.task_attempt_id;
  row.launched_ms = facts.launched_ms;
  row.partition = facts.partition;
  row.attempt = facts.attempt;
  row.executor = facts.executor;
  row.account = task.account;
  row.figures.fill(kNoTaskFigure);
  if (facts.launched_ms != 0 && facts.end_ms >= facts.launched_ms) {
    At(TaskFigure::kDurationMs, row.figures) = static_cast<uint64_t>(facts.end_ms - facts.launched_ms);
  }
  if (facts.gc_ms >= 0) At(TaskFigure::kGcMs, row.figures) = static_cast<uint64_t>(facts.gc_ms);
  if (facts.profile) PutProfile(*facts.profile, operators, row.figures);
  return row;
}

void PutTaskRows(const Interner& interner, const Operators& operators, const StageFacts& stage, const std::vector<AccountedTask>& tasks,
                 ReportStage& row) {
  std::vector<FoldedTaskRow> rows(stage.folded_rows.begin(), stage.folded_rows.end());
  rows.reserve(rows.size() + tasks.size());
  for (const AccountedTask& task : tasks) rows.push_back(RowOf(task, operators));
  std::sort(rows.begin(), rows.end(), Before);
  row.task_rows_known = rows.size();
  row.task_rows.reserve(rows.size());
  std::vector<const FoldedTaskRow*> counted;
  for (const FoldedTaskRow& each : rows) {
    ReportTask& task = row.task_rows.emplace_back();
    task.task_attempt_id = each.task_attempt_id;
    task.partition = each.partition;
    task.attempt = each.attempt;
    task.status = static_cast<ReportTaskStatus>(each.account);
    task.executor_id = interner.StringAt(each.executor);
    if (each.launched_ms != 0) task.launched_ms = each.launched_ms;
    task.figures = each.figures;
    if (each.account == Account::kCounted) counted.push_back(&each);
  }
  if (stage.dropped_rows != 0) return;
  row.gc_percent = GcPercentOf(counted);
  for (size_t figure = 0; figure < kTaskFigures; ++figure) {
    if (auto distribution = DistributionOf(static_cast<TaskFigure>(figure), counted)) row.distributions.push_back(*distribution);
  }
}

size_t KeepHeaviestRows(size_t keep, StageFacts& stage) {
  if (stage.folded_rows.size() <= keep) return 0;
  const size_t gone = stage.folded_rows.size() - keep;
  std::nth_element(stage.folded_rows.begin(), stage.folded_rows.begin() + static_cast<ptrdiff_t>(keep), stage.folded_rows.end(), Before);
  stage.folded_rows.resize(keep);
  stage.folded_rows.shrink_to_fit();
  stage.dropped_rows += gone;
  return gone;
}

}  // namespace memprof
