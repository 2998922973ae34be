#include "report/death_keys.h"

#include <fmt/format.h>

namespace memprof {

std::string ExecutorDeathKey(std::string_view executor_id) { return std::string(executor_id); }

std::string WorkerDeathKeyOf(std::string_view executor_id, int32_t pid, int64_t task_attempt_id) {
  return fmt::format("{}/{}/{}", executor_id, pid, task_attempt_id);
}

std::string HeapErrorKey(std::string_view executor_id, int64_t task_attempt_id, int64_t time_ms) {
  return fmt::format("{}/heap/{}/{}", executor_id, task_attempt_id, time_ms);
}

std::string JobKey(std::string_view executor_id, int32_t job_id) { return fmt::format("{}/job/{}", executor_id, job_id); }

std::string DeathKey(const ReportPostMortem& death) {
  // A driver whose heap was full has a job, too: that of the action it worked for.
  if (death.job_id && !death.heap) return JobKey(death.executor_id, *death.job_id);
  if (death.process == "jvm" && death.survived) return HeapErrorKey(death.executor_id, death.task_attempt_id.value_or(-1), death.time_ms);
  if (death.process != "python-worker") return ExecutorDeathKey(death.executor_id);
  return WorkerDeathKeyOf(death.executor_id, death.pid.value_or(0), death.task_attempt_id.value_or(-1));
}

}  // namespace memprof
