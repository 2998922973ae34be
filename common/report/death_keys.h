// A key for each death, which later information about it does not change: in the store, and as the name of its part of an event log. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "report/model.h"

namespace memprof {

std::string ExecutorDeathKey(std::string_view executor_id);
std::string WorkerDeathKeyOf(std::string_view executor_id, int32_t pid, uint64_t start_ticks, int64_t task_attempt_id);
std::string HeapErrorKey(std::string_view executor_id, int64_t task_attempt_id, int64_t time_ms);  // one that the executor survived
std::optional<std::string_view> ExecutorOfHeapError(std::string_view key);                         // null: another key
std::string JobKey(std::string_view executor_id, int32_t job_id);  // aborted for what it asked of the driver

// Equal for all reports of one death.
std::string DeathKey(const ReportPostMortem& death);

}  // namespace memprof
