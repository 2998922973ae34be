#include "postmortem/result_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "advice/collected_results.h"
#include "budget/driver.h"
#include "postmortem/action_titles.h"
#include "report/units.h"
#include "rollup/driver_rows.h"
#include "rollup/executor_limit.h"
#include "rollup/parsed_snapshot.h"

namespace memprof {
namespace {

constexpr std::string_view kWords = "Total size of serialized results of ", kThan = ") is bigger than spark.driver.maxResultSize (";
constexpr double kMostBytes = 0x1p60;

// As Spark's Utils.bytesToString has it: "2.2 MiB". Takes it off the text.
std::optional<uint64_t> TakeBytes(std::string_view& text) {
  static constexpr std::array<std::string_view, 7> kUnits = {" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc() || !std::isfinite(number) || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  for (size_t power = 0; power < kUnits.size(); ++power) {
    if (!text.starts_with(kUnits[power])) continue;
    text.remove_prefix(kUnits[power].size());
    const double bytes = std::ldexp(number, static_cast<int>(10 * power));
    return bytes > kMostBytes ? std::nullopt : std::optional(static_cast<uint64_t>(bytes));
  }
  return std::nullopt;
}

bool Take(std::string_view words, std::string_view& text) {
  if (!text.starts_with(words)) return false;
  text.remove_prefix(words.size());
  return true;
}

const ReportStageResults* ResultsOf(const ReportAction& action, int32_t job_id) {
  const auto found = std::find_if(action.results.begin(), action.results.end(), [&](const auto& row) { return row.job_id == job_id; });
  return found == action.results.end() ? nullptr : &*found;
}

std::string WhoAsked(const ReportAction& action, int32_t job_id, bool broadcast) {
  return fmt::format("{}{} (job {})", broadcast ? "a table to broadcast, asked for by " : "", CallSiteTitle(action), job_id);
}

proto::ExecutorSnapshot SnapshotOfDriver(const StoreState& state) {
  const auto driver = state.executors.find(std::string_view("driver"));
  return driver == state.executors.end() ? proto::ExecutorSnapshot() : *ParsedSnapshot(driver->second);
}

// What bounds the driver's heap.
void PutRoom(const proto::ExecutorSnapshot& driver, CollectedResults& collected) {
  if (driver.has_heap_max_bytes()) collected.heap_max_bytes = driver.heap_max_bytes();
  collected.bounds.settings = collected.settings;
  collected.bounds.of_driver = true;
  if (driver.has_host_memory_bytes()) collected.bounds.host_memory_bytes = driver.host_memory_bytes();
  collected.bounds.host_is_group = driver.host_is_group();
  collected.bounds.cgroup_limit_bytes = CgroupLimit(driver);
}

}  // namespace

std::optional<ResultLimit> ParseResultLimit(std::string_view failure) {
  const size_t at = failure.find(kWords);
  if (at == failure.npos) return std::nullopt;
  std::string_view text = failure.substr(at + kWords.size());
  ResultLimit limit;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), limit.tasks);
  if (error != std::errc() || limit.tasks == 0) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  if (!Take(" tasks (", text)) return std::nullopt;
  const std::optional<uint64_t> bytes = TakeBytes(text);
  if (!bytes || !Take(kThan, text)) return std::nullopt;
  const std::optional<uint64_t> most = TakeBytes(text);
  if (!most) return std::nullopt;
  limit.bytes = *bytes;
  limit.limit_bytes = *most;
  return limit;
}

std::vector<ReportPostMortem> ResultLimitDeaths(const StoreState& state) {
  std::vector<ReportPostMortem> deaths;
  const proto::ExecutorSnapshot driver = SnapshotOfDriver(state);
  state.actions.ForEachFailed([&](ReportAction action, int32_t job_id) {
    const std::optional<ResultLimit> limit = ParseResultLimit(action.failure_reason);
    if (!limit) return;
    PutPartitionsAndCells(state, action);
    const ReportStageResults* results = ResultsOf(action, job_id);
    const SparkSettings settings = state.SettingsOf(results == nullptr ? std::nullopt : std::optional(results->stage_id));
    CollectedResults collected;
    collected.tasks = limit->tasks;
    collected.bytes = limit->bytes;
    collected.settings = &settings;
    const uint64_t set = MaxResultBytes(&settings);  // exact, where it was set before the application began
    const bool same =
        set != 0 && std::fabs(static_cast<double>(set) / static_cast<double>(std::max<uint64_t>(1, limit->limit_bytes)) - 1) < 0.06;
    collected.limit_bytes = same ? set : limit->limit_bytes;
    collected.place = ActionPlace(action);
    collected.of_query = action.query_id.has_value();
    PutRoom(driver, collected);
    ReportPostMortem death;
    if (results != nullptr) {
      death.stage_id = results->stage_id;
      collected.broadcast = results->broadcast;
      collected.partitions = PartitionsOf(state, results->stage_id);
    }
    death.executor_id = "driver";
    death.process = "jvm";
    death.job_id = job_id;
    death.action = action.call_site;
    death.reason = action.failure_reason;
    death.time_ms = action.ended_ms.value_or(action.started_ms);
    death.survived = true;  // the driver did, whatever it still has room for; the job did not
    death.limit_bytes = collected.limit_bytes;
    death.used_bytes = limit->bytes;
    const std::string of = collected.partitions ? fmt::format(" of {}", FormatCount(*collected.partitions)) : "";
    death.headline =
        fmt::format("The driver refused the results of {}: {}{} tasks had returned {}, more than spark.driver.maxResultSize ({})",
                    WhoAsked(action, job_id, collected.broadcast), FormatCount(limit->tasks), of, FormatBytes(limit->bytes),
                    FormatBytes(collected.limit_bytes));
    death.how =
        "Spark adds up the serialised results of a stage's tasks and aborts the job beyond the limit, before the driver's heap is full";
    death.how += PlanPhrase(action);
    death.advice = AdviseCollectedResults(collected);
    deaths.push_back(std::move(death));
  });
  return deaths;
}

void ForEachJobBeyondLimit(const StoreState& state, const std::function<void(int32_t)>& visit) {
  state.actions.ForEachFailed([&](const ReportAction& action, int32_t job_id) {
    if (ParseResultLimit(action.failure_reason)) visit(job_id);
  });
}

}  // namespace memprof
