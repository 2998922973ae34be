#include "store/event_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "base/hash.h"
#include "report/death_keys.h"
#include "report/executor_order.h"
#include "rollup/accounting.h"
#include "rollup/executor_rows.h"
#include "rollup/time_lines.h"
#include "store/report_builder.h"

namespace memprof {
namespace {

constexpr int64_t kPatienceOfStageMs = 2000;  // names, and profiles of other attempts, come a little late
constexpr int64_t kFirstPauseMs = 30'000;     // how often running executors are written; doubled each time
constexpr size_t kSamplesOfRunning = 100;
constexpr size_t kMostOthers = 10'000;  // of which the writer keeps track, beside stages

std::string IdOf(StageKey key) { return fmt::format("{}.{}", key.stage_id, key.attempt); }

}  // namespace

std::vector<ReportEvent> EventWriter::Take(const StoreState& state, int64_t now_ms, bool end, bool with_source) {
  events_.clear();
  if (ended_) return {};
  ended_ = end;
  WriteStages(DueStages(state, now_ms, end), state, end, with_source);
  if (pause_ms_ == 0) {
    pause_ms_ = kFirstPauseMs;
    next_whole_ms_ = now_ms + pause_ms_;
  }
  next_whole_ms_ = std::min(next_whole_ms_, now_ms + pause_ms_);  // the clock may be set back
  const bool whole = end || now_ms >= next_whole_ms_;
  if (whole || deaths_due_) {
    Report report = BuildReport(state, !end).report;
    WriteExecutors(report.executors, whole, end);
    for (const ReportPostMortem& death : report.post_mortems) {
      Write(kPostMortemPart, DeathKey(death), kPostMortemPartBytes, true, end, [&](size_t bytes) { return PostMortemPart(death, bytes); });
    }
    TakeBack(report, end);
    if (whole) WriteApplication(std::move(report), state, end);
    deaths_due_ = false;
  } else {
    WriteNewlyRemoved(state);
  }
  if (whole) {
    pause_ms_ *= 2;
    next_whole_ms_ = now_ms + pause_ms_;
  }
  return std::move(events_);
}

bool EventWriter::IsSettled(std::string_view part, std::string_view id) const {
  auto found = written_.find(std::pair(std::string(part), std::string(id)));
  return found != written_.end() && found->second.settled;
}

bool EventWriter::IsFull(std::string_view part) const {
  if (part == kPostMortemPart) return false;  // a report shows few of them
  return part == kStagePart ? stages_ >= most_stages_ : written_.size() - stages_ >= kMostOthers;
}

// Makes the text for the room that is left, and writes it if it has anything new.
void EventWriter::Write(std::string_view part, std::string id, size_t bound, bool settled, bool end, const MakeText& make) {
  auto found = written_.find(std::pair(std::string(part), id));
  if (found == written_.end()) {
    if (!end && IsFull(part)) return;
    found = written_.try_emplace({std::string(part), id}).first;
    stages_ += part == kStagePart;
  }
  Written& known = found->second;
  known.settled = known.settled || settled;
  const size_t most = end ? bound : bound / 2;
  std::optional<PartText> text = make(most - std::min(most, known.bytes));
  if (!text) return;
  const uint64_t hash = HashBytes(text->text.data(), text->text.size(), 0);
  const bool again = known.bytes != 0;
  // Spark's bus drops events under load. A lost row is counted (kStagesCounter); a lost death would have been none.
  const bool once_more = end && part == kPostMortemPart;
  if (again && hash == known.hash && !once_more) return;
  if (again && !end && text->cut != 0) return;  // an older uncut record is better than a newer cut one
  known.hash = hash;
  known.bytes += RecordBytes(text->text);
  known.cut = text->cut;
  events_.push_back({std::string(part), std::move(id), std::move(text->text)});
}

std::vector<StageKey> EventWriter::DueStages(const StoreState& state, int64_t now_ms, bool end) const {
  std::set<StageKey> keys;
  if (!end && IsFull(kStagePart)) return {};
  for (const auto& [key, stage] : state.stages) {
    // If the clock was set back, stages seem to have completed in the future.
    const bool complete = stage.completed && std::abs(now_ms - stage.completed_ms) >= kPatienceOfStageMs * patience_;
    if (end || (complete && !IsSettled(kStagePart, IdOf(key)))) keys.insert(key);
  }
  if (end) {
    for (const auto& [key, tasks] : TasksByStage(state)) keys.insert(key);
  }
  return {keys.begin(), keys.end()};
}

void EventWriter::WriteStages(const std::vector<StageKey>& keys, const StoreState& state, bool end, bool with_source) {
  for (ReportStage& stage : BuildStages(state, keys)) {
    if (!with_source) {
      for (ReportLine& line : stage.lines) line.source.clear();
      for (ReportLine& line : stage.other_attempts.lines) line.source.clear();
    }
    Write(kStagePart, PartId(stage), kStagePartBytes, true, end, [&](size_t bytes) { return StagePart(stage, bytes); });
  }
}

void EventWriter::WriteNewlyRemoved(const StoreState& state) {
  if (state.executor_events == seen_executor_events_) return;
  seen_executor_events_ = state.executor_events;
  std::set<std::string_view> removed;
  for (const auto& [id, executor] : state.executors) {
    if (!executor.removed || IsSettled(kExecutorPart, id)) continue;
    if (!IsFull(kExecutorPart) || written_.contains({std::string(kExecutorPart), std::string(id)})) removed.insert(id);
  }
  if (removed.empty()) return;
  RowsOfExecutors made(state, {});
  std::vector<ReportExecutor> rows;
  const std::vector<std::string_view> shown = ExecutorsWithRow(state);
  for (const std::string_view id : shown) {
    if (removed.contains(id)) rows.push_back(*made.Of(id));
  }
  std::sort(rows.begin(), rows.end(), [](const ReportExecutor& a, const ReportExecutor& b) { return ExecutorBefore(a.id, b.id); });
  PutTimeLines(state, shown, rows);
  WriteExecutors(rows, false, false);
  // Executors without a row are tried again with the next whole report, not every second.
  for (const std::string_view id : removed) {
    written_[{std::string(kExecutorPart), std::string(id)}].settled = true;
  }
}

void EventWriter::WriteExecutors(const std::vector<ReportExecutor>& executors, bool running_ones, bool end) {
  for (const ReportExecutor& executor : executors) {
    const bool removed = executor.removed_ms.has_value();
    if (!running_ones && (!removed || IsSettled(kExecutorPart, executor.id))) continue;
    // A running executor is written repeatedly, so its time line has less detail until the executor is gone.
    const size_t samples = removed || end ? SIZE_MAX : kSamplesOfRunning;
    Write(kExecutorPart, executor.id, kExecutorPartBytes, removed, end,
          [&](size_t bytes) { return ExecutorPart(executor, bytes, samples); });
  }
}

// An error that an executor had survived becomes a part of the executor's end if that follows. A part without a death replaces it.
void EventWriter::TakeBack(const Report& report, bool end) {
  std::set<std::string> known;
  for (const ReportPostMortem& death : report.post_mortems) known.insert(DeathKey(death));
  for (const ReportOtherDeath& death : report.other_deaths) known.insert(death.key);
  std::vector<std::string> gone;
  for (const auto& [key, written] : written_) {
    if (key.first != kPostMortemPart || written.bytes == 0 || known.contains(key.second)) continue;
    const std::optional<std::string_view> executor = ExecutorOfHeapError(key.second);
    if (executor && known.contains(ExecutorDeathKey(*executor))) gone.push_back(key.second);
  }
  for (std::string& key : gone) {
    Write(kPostMortemPart, std::move(key), kPostMortemPartBytes, true, end, [](size_t bytes) { return NoPostMortemPart(bytes); });
  }
}

void EventWriter::WriteApplication(Report report, const StoreState& state, bool end) {
  uint64_t stages = 0, executors = 0, cut_sites = 0, cut_processes = 0, stages_here = 0, executors_here = 0;
  for (const auto& [key, written] : written_) {
    if (written.bytes == 0) continue;
    if (key.first == kStagePart) ++stages, cut_sites += written.cut;
    if (key.first == kExecutorPart) ++executors, cut_processes += written.cut;
    if (key.first == kExecutorPart) executors_here += state.executors.find(std::string_view(key.second)) != state.executors.end();
  }
  for (const auto& [key, stage] : state.stages) stages_here += written_.contains({std::string(kStagePart), IdOf(key)});
  auto tell = [&](bool any, std::string what, std::string why) {
    if (any) report.not_available.push_back({std::move(what), std::move(why)});
  };
  tell(cut_sites != 0, fmt::format("{} sites of stages", cut_sites),
       "the event log takes 64 KiB a stage; they are in the stages' remainders, and in the application's own report");
  tell(cut_processes != 0, fmt::format("{} processes of executors", cut_processes), "the event log takes 256 KiB an executor");
  // Stages and executors without a row in a report are in the log as well, unless the store dropped them before they were written.
  const uint64_t gone_stages = stages - std::min(stages, stages_here), gone_executors = executors - std::min(executors, executors_here);
  const uint64_t dropped_stages = state.dropped_stages.stages, dropped_executors = state.dropped_executors.executors;
  tell(dropped_stages > gone_stages, fmt::format("rows of {} stages", dropped_stages - std::min(dropped_stages, gone_stages)),
       "the driver's store let them go before they reached the event log");
  tell(dropped_executors > gone_executors,
       fmt::format("rows of {} executors", dropped_executors - std::min(dropped_executors, gone_executors)),
       "the driver's store let them go before they reached the event log");
  std::erase_if(report.not_available, [](const ReportNotAvailable& entry) { return entry.what.starts_with("rows of all "); });
  report.other_stages.reset();
  report.other_executors.reset();
  report.counters.emplace_back(kStagesCounter, stages);
  report.counters.emplace_back(kExecutorsCounter, executors);
  Write(kApplicationPart, "", kApplicationPartBytes, false, end, [&](size_t bytes) { return ApplicationPart(report, bytes); });
}

}  // namespace memprof
