#include "report/death_keys.h"

#include <fmt/format.h>

namespace memprof {
namespace {

constexpr std::string_view kHeap = "/heap/";

}  // namespace

std::string ExecutorDeathKey(std::string_view executor_id) { return std::string(executor_id); }

std::string WorkerDeathKeyOf(std::string_view executor_id, int32_t pid, uint64_t start_ticks, int64_t task_attempt_id) {
  if (start_ticks == 0) return fmt::format("{}/{}/{}", executor_id, pid, task_attempt_id);
  return fmt::format("{}/{}.{}/{}", executor_id, pid, start_ticks, task_attempt_id);
}

std::string HeapErrorKey(std::string_view executor_id, int64_t task_attempt_id, int64_t time_ms) {
  return fmt::format("{}{}{}/{}", executor_id, kHeap, task_attempt_id, time_ms);
}

std::optional<std::string_view> ExecutorOfHeapError(std::string_view key) {
  const size_t at = key.rfind(kHeap);
  return at == std::string_view::npos ? std::nullopt : std::optional(key.substr(0, at));
}

std::string JobKey(std::string_view executor_id, int32_t job_id) { return fmt::format("{}/job/{}", executor_id, job_id); }

std::string DeathKey(const ReportPostMortem& death) {
  // A driver whose heap was full has a job, too: that of the action it worked for.
  if (death.job_id && !death.heap) return JobKey(death.executor_id, *death.job_id);
  if (death.process == "jvm" && death.survived) return HeapErrorKey(death.executor_id, death.task_attempt_id.value_or(-1), death.time_ms);
  // The driver's own Python and its JVM may both die.
  if (death.process != "python-worker" && death.process != "python-driver") return ExecutorDeathKey(death.executor_id);
  return WorkerDeathKeyOf(death.executor_id, death.pid.value_or(0), death.start_ticks.value_or(0), death.task_attempt_id.value_or(-1));
}

}  // namespace memprof
