// The task that a thread of Spark's executor works for, by the name that Spark gives the thread: also while the task is read before it
// starts, and while its result is written after it has ended, when no listener tells of it. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "tasks/task_table.h"

namespace memprof {

// Of "Executor task launch worker for task 3.1 in stage 5.0 (TID 41)" (Executor.TaskRunner.run; a task's index, attempt, stage, its
// attempt, and id). Nothing: the name is none of these.
std::optional<TaskKey> TaskInThreadName(std::string_view name);

}  // namespace memprof
