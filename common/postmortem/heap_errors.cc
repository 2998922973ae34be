#include "postmortem/heap_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <map>
#include <tuple>

#include "facts/operators.h"
#include "postmortem/last_moment.h"
#include "report/titles.h"
#include "report/units.h"
#include "rollup/heap_shortages.h"
#include "rollup/parsed_snapshot.h"
#include "rollup/unexpected_end.h"

namespace memprof {
namespace {

// Spark's own times are the driver's.
int64_t DriverMs(const proto::HeapShortage& error, const ExecutorFacts& facts) { return facts.clock.ToDriver(error.time_ms()); }

// Whether HotSpot has killed the JVM, as OnOutOfMemoryError says: at the first error and at once. If the executor shows life later, the
// command failed, or was meant for another process.
bool KilledItself(const std::vector<proto::HeapShortage>& errors, const ExecutorFacts& facts) {
  constexpr int64_t kTakesMs = 5'000;
  const ParsedSnapshot parsed(facts);
  const proto::ExecutorSnapshot& snapshot = *parsed;
  if (!snapshot.kills_itself_on_out_of_memory() || errors.empty()) return false;
  const proto::Moment* moment = LastMoment(snapshot);
  const int64_t seen_ms = std::max(errors.back().time_ms(), moment == nullptr ? 0 : moment->time_ms());
  return std::max(facts.clock.ToDriver(seen_ms), facts.last_success_ms) <= DriverMs(errors.front(), facts) + kTakesMs;
}

// With an OutOfMemoryError a JVM ends with one of its codes, or kills itself; without a code nobody knows. `errors`: all of the executor.
bool MayEndSo(std::string_view id, const std::vector<proto::HeapShortage>& errors, const ExecutorFacts& facts, const StoreState& state) {
  const LossReason loss = LossOf(id, facts, state);
  if (!loss.exit_code) return loss.kind == LossKind::kUnknown;
  if (*loss.exit_code == kExitSigkill) return KilledItself(errors, facts);
  return IsCodeOfOutOfMemory(*loss.exit_code);
}

// True if the task failed with this error and Spark then ends the executor (spark.executor.killOnFatalErrorDepth). False if the
// executor finished other tasks more than kEndsWithinMs later.
bool IsFatal(const proto::HeapShortage& error, const ExecutorFacts& facts, const StoreState& state) {
  const auto task = state.tasks.find(error.task_attempt_id());
  return task != state.tasks.end() && task->second.fatal != 0 && facts.last_success_ms <= DriverMs(error, facts) + kEndsWithinMs;
}

// Whether tasks still succeeded in the executor well after the error. Those that ran beside it may end soon after it.
bool WasOutlived(const proto::HeapShortage& error, const ExecutorFacts& facts) {
  constexpr int64_t kBesideMs = 10'000;
  return facts.last_success_ms > DriverMs(error, facts) + kBesideMs;
}

bool IsCloseTo(const proto::HeapShortage& error, const ExecutorFacts& facts, const StoreState& state) {
  if (error.ends_jvm() || IsFatal(error, facts, state)) return true;
  return DriverMs(error, facts) + kEndsWithinMs >= facts.removed_ms && !WasOutlived(error, facts);
}

// In the order of time, without heaps that were only nearly full.
std::vector<proto::HeapShortage> ErrorsOf(const std::string& executor_id, const StoreState& state, bool of_other_pools = false) {
  std::vector<proto::HeapShortage> errors;
  ForEachShortageIn(executor_id, state.heap_shortages, [&](const proto::HeapShortage& error) {
    if (!error.nearly_full() && IsOfOtherPool(error.error()) == of_other_pools) errors.push_back(error);
  });
  return errors;
}

// How well it tells what filled the heap: when one thread finds no room, others soon find none either, and they let go of what they hold.
int WeightOf(const proto::HeapShortage& error) {
  if (error.task_attempt_id() >= 0) return 3;
  return error.of_jvm() ? 0 : WasHalfEmpty(ShortageRow(error)) ? 1 : 2;
}

const proto::HeapShortage* ErrorThatEnded(std::string_view id, const std::vector<proto::HeapShortage>& errors, const ExecutorFacts& facts,
                                          const StoreState& state) {
  const proto::HeapShortage* last = nullptr;
  if (!facts.removed || !MayEndSo(id, errors, facts, state)) return last;
  const auto order = [](const proto::HeapShortage& each) { return std::tuple(each.ends_jvm(), WeightOf(each), each.time_ms()); };
  for (const proto::HeapShortage& error : errors) {
    if (IsCloseTo(error, facts, state) && (last == nullptr || order(*last) < order(error))) last = &error;
  }
  return last;
}

// Some thread of the program did. Spark's events don't say which thread an action is of.
bool ActionSucceededAfter(const proto::HeapShortage& error, const StoreState& state) {
  return state.actions.newest_success_began_ms() > error.time_ms();
}

// A program that caught the error, began another action that succeeded, and then stopped its SparkContext. If its JVM began to end
// before it was stopped, the program may have been ended by the error all the same, while another thread of it went on. So it may if
// several of its threads begin actions.
bool WentOnAfter(const proto::HeapShortage& error, const StoreState& state) {
  const bool stopped_itself = !state.ending_ms || *state.ending_ms > *state.application.ended_ms;
  return stopped_itself && ActionSucceededAfter(error, state) && !state.actions.several_at_once();
}

// The application. Its exit code is not known here.
bool MayHaveEnded(std::string_view id, const proto::HeapShortage& error, const StoreState& state) {
  if (id != "driver" || error.task_attempt_id() >= 0 || !state.application.ended_ms || WentOnAfter(error, state)) return false;
  const int64_t after = *state.application.ended_ms - error.time_ms();
  return after >= 0 && after <= kProgramEndsWithinMs;
}

// Of one executor; `errors`: all of its own.
void AddSurvived(const std::string& id, const std::vector<proto::HeapShortage>& errors, const ExecutorFacts& facts, const StoreState& state,
                 std::vector<SurvivedHeapError>& survived) {
  const bool died = EndedUnexpectedly(id, facts, state);
  const proto::HeapShortage* end = died ? ErrorThatEnded(id, errors, facts, state) : nullptr;
  std::vector<int> weights;
  for (const proto::HeapShortage& error : errors) weights.push_back(WeightOf(error));
  const auto is_beside_a_heavier = [&](size_t at) {
    for (size_t i = 0; i < errors.size(); ++i) {
      if (weights[i] > weights[at] && std::abs(errors[i].time_ms() - errors[at].time_ms()) <= kEndsWithinMs) return true;
    }
    return false;
  };
  // Errors near one another are of one shortage. The first one is told, and the one that the application may have ended of.
  struct Shortage {
    const proto::HeapShortage* first;
    int64_t newest_ms;
    std::optional<size_t> told;  // where in `survived`
  };
  std::map<std::pair<int64_t, bool>, Shortage> shortages;
  for (size_t at = 0; at < errors.size(); ++at) {
    const proto::HeapShortage& error = errors[at];
    if (error.ends_jvm()) continue;
    const auto task = state.tasks.find(error.task_attempt_id());
    const TaskFacts* of_task = task == state.tasks.end() ? nullptr : &task->second;
    const bool fatal = IsFatal(error, facts, state);
    const bool was_over = end != nullptr && of_task != nullptr && of_task->ended && of_task->end_ms < DriverMs(*end, facts);
    if (end != nullptr && IsCloseTo(error, facts, state) && !was_over) continue;  // it is part of that end
    if (of_task != nullptr && !of_task->ended) continue;                          // how it ends says what became of it
    if (fatal && (died || !state.application.ended_ms)) continue;                 // its executor's own entry tells of it, now or soon
    if (is_beside_a_heavier(at)) continue;
    const Shortage begun{&error, error.time_ms(), std::nullopt};
    const auto [known, is_first] = shortages.try_emplace({error.task_attempt_id(), error.of_jvm()}, begun);
    Shortage& shortage = known->second;
    if (error.time_ms() - shortage.newest_ms > kOneShortageMs) {
      if (shortage.told) survived[*shortage.told].application_ended_after_ms.reset();  // it ended of the next one, if of any
      shortage = begun;
    }
    shortage.newest_ms = error.time_ms();
    const bool ends = MayHaveEnded(id, error, state);
    if (!shortage.told && (is_first || ends)) {
      shortage.told = survived.size();
      survived.push_back({id, *shortage.first, of_task, fatal});
    }
    if (!ends) continue;
    survived[*shortage.told].application_ended_after_ms = *state.application.ended_ms - shortage.first->time_ms();
    survived[*shortage.told].action_succeeded_later = state.actions.several_at_once() && ActionSucceededAfter(error, state);
  }
}

}  // namespace

std::optional<proto::HeapShortage> HeapErrorThatEnded(std::string_view executor_id, const ExecutorFacts& facts, const StoreState& state) {
  const std::vector<proto::HeapShortage> errors = ErrorsOf(std::string(executor_id), state);
  const proto::HeapShortage* last = ErrorThatEnded(executor_id, errors, facts, state);
  return last == nullptr ? std::nullopt : std::optional(*last);
}

std::optional<proto::HeapShortage> PoolErrorNearEnd(std::string_view executor_id, const ExecutorFacts& facts, const StoreState& state,
                                                    const std::optional<proto::HeapShortage>& of_heap) {
  if (!facts.removed) return std::nullopt;
  if (of_heap && (of_heap->ends_jvm() || IsFatal(*of_heap, facts, state))) return std::nullopt;
  std::optional<proto::HeapShortage> last;
  for (proto::HeapShortage& error : ErrorsOf(std::string(executor_id), state, true)) {
    const bool is_newer = !of_heap || error.time_ms() > of_heap->time_ms();
    if (is_newer && IsCloseTo(error, facts, state)) last = std::move(error);  // they are in the order of time
  }
  return last;
}

bool ProvesPoolError(std::optional<int> exit_code) { return exit_code == kExitSparkOom || exit_code == kExitSparkUncaught; }

JvmShortage PoolShortage(const proto::HeapShortage& error) {
  JvmShortage shortage;
  shortage.pool = PoolOf(error.error());
  shortage.asked_by = WhoAsked(error);
  return shortage;
}

std::vector<SurvivedHeapError> SurvivedHeapErrors(const StoreState& state) {
  std::vector<SurvivedHeapError> survived;
  state.heap_shortages.ForEachExecutor([&](const std::string& id) {
    const auto facts = state.executors.find(std::string_view(id));
    if (facts != state.executors.end()) AddSurvived(id, ErrorsOf(id, state), facts->second, state, survived);
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

std::string WhoAsked(const proto::HeapShortage& error) {
  return error.task_attempt_id() >= 0 ? fmt::format("task {} (stage {})", error.task_attempt_id(), error.stage_id())
                                      : "thread " + error.thread();
}

std::string HeapUsePhrase(const ReportHeapShortage& shortage) {
  const std::optional<uint64_t> used = HeapUsed(shortage), max = HeapMax(shortage);
  if (!used || !max) return "";
  return fmt::format("{} of {} in use", FormatBytes(std::min(*used, *max)), FormatBytes(*max));
}

}  // namespace memprof
