#include "postmortem/heap_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <set>
#include <tuple>

#include "facts/operators.h"
#include "postmortem/unwanted.h"
#include "report/titles.h"
#include "report/units.h"
#include "rollup/heap_shortages.h"

namespace memprof {
namespace {

// With an OutOfMemoryError a JVM ends by Spark's handler, by HotSpot's, by CrashOnOutOfMemoryError, or by a SIGTERM of its own
// OnOutOfMemoryError (YARN's default); without a code nobody knows.
bool MayEndSo(const LossReason& loss) {
  if (!loss.exit_code) return loss.kind == LossKind::kUnknown;
  static constexpr int kCodes[] = {kExitSparkOom, kExitHotSpotOom, kSignalBase + SIGABRT, kSignalBase + SIGTERM};
  return std::find(std::begin(kCodes), std::end(kCodes), *loss.exit_code) != std::end(kCodes);
}

// The task that met it failed of it, and its executor with it; unless that has finished other work when it would have been gone for
// long (spark.executor.killOnFatalErrorDepth).
bool IsFatal(const proto::HeapShortage& error, const ExecutorRecord& record, const StoreState& state) {
  const auto task = state.tasks.find(error.task_attempt_id());
  return task != state.tasks.end() && task->second.ends_executor && record.last_success_ms <= error.time_ms() + kEndsWithinMs;
}

bool IsCloseTo(const proto::HeapShortage& error, const ExecutorRecord& record, const StoreState& state) {
  return error.ends_jvm() || IsFatal(error, record, state) || error.time_ms() + kEndsWithinMs >= record.removed_ms;
}

// When one thread finds no room, others soon don't.
bool RanOutBesideATask(const std::string& executor_id, const proto::HeapShortage& error, const StoreState& state) {
  bool beside = false;
  ForEachShortage(state, [&](const std::string& id, const proto::HeapShortage& other) {
    beside = beside || (id == executor_id && other.task_attempt_id() >= 0 && std::abs(other.time_ms() - error.time_ms()) <= kEndsWithinMs);
  });
  return beside;
}

std::optional<uint64_t> RegionOf(const ReportHeapShortage& shortage, std::string_view name) {
  for (const ReportRow& row : shortage.regions) {
    if (row.name == name && row.bytes != 0) return row.bytes;
  }
  return std::nullopt;
}

}  // namespace

std::optional<proto::HeapShortage> HeapErrorThatEnded(std::string_view executor_id, const ExecutorRecord& record, const StoreState& state) {
  std::optional<proto::HeapShortage> last;
  if (!record.removed || !MayEndSo(ParseLossReason(record.removed_reason))) return last;
  ForEachShortage(state, [&](const std::string& id, const proto::HeapShortage& error) {
    if (id != executor_id || !IsCloseTo(error, record, state)) return;
    const auto order = [](const proto::HeapShortage& each) {
      return std::tuple(each.ends_jvm(), each.task_attempt_id() >= 0, each.time_ms());
    };
    if (!last || order(*last) < order(error)) last = error;
  });
  return last;
}

std::vector<SurvivedHeapError> SurvivedHeapErrors(const StoreState& state) {
  std::vector<SurvivedHeapError> survived;
  std::set<std::pair<std::string, int64_t>> told;
  ForEachShortage(state, [&](const std::string& id, const proto::HeapShortage& error) {
    const auto record = state.executors.find(std::string_view(id));
    if (record == state.executors.end() || error.ends_jvm()) return;
    const auto task = state.tasks.find(error.task_attempt_id());
    const TaskRecord* of_task = task == state.tasks.end() ? nullptr : &task->second;
    const bool died = DiedUnwanted(record->second, state), fatal = IsFatal(error, record->second, state);
    const std::optional<proto::HeapShortage> end = died ? HeapErrorThatEnded(id, record->second, state) : std::nullopt;
    const bool was_over = end && of_task != nullptr && of_task->ended && of_task->end_ms < end->time_ms();
    if (end && IsCloseTo(error, record->second, state) && !was_over) return;  // it is part of that end
    if (of_task != nullptr && !of_task->ended) return;                        // how it ends says what became of it
    if (fatal && (died || !state.application.ended_ms)) return;               // its executor's own entry tells of it, now or soon
    if (error.task_attempt_id() < 0 && RanOutBesideATask(id, error, state)) return;
    if (!told.emplace(id, error.task_attempt_id()).second) return;
    survived.push_back({id, error, of_task, fatal});
  });
  return survived;
}

std::string HeapAskedPhrase(const std::vector<ReportFrame>& stack) {
  const auto user = std::find_if(stack.rbegin(), stack.rend(), [](const ReportFrame& frame) {
    return frame.language == Language::kJava && !IsPlatformCode(frame.function);
  });
  const ReportFrame* asked = user == stack.rend() ? LeadFrame(stack) : &*user;
  if (asked == nullptr) return "";
  std::string phrase = FrameTitle(*asked);
  if (const std::string place = FramePlace(*asked); !place.empty()) phrase += " " + place;
  for (auto frame = stack.rbegin(); frame != stack.rend(); ++frame) {
    const std::string name = OperatorOfFunction(frame->function);
    if (!name.empty()) return phrase + ", for " + name;
  }
  return phrase;
}

std::optional<uint64_t> HeapUsed(const ReportHeapShortage& shortage) {
  return shortage.total_bytes && !shortage.cut_short ? shortage.total_bytes : RegionOf(shortage, "heap.used");
}

std::optional<uint64_t> HeapMax(const ReportHeapShortage& shortage) { return RegionOf(shortage, "heap.max"); }

std::string HeapUsePhrase(const ReportHeapShortage& shortage) {
  const std::optional<uint64_t> used = HeapUsed(shortage), max = HeapMax(shortage);
  if (!used || !max) return "";
  return fmt::format("{} of {} in use", FormatBytes(std::min(*used, *max)), FormatBytes(*max));
}

}  // namespace memprof
