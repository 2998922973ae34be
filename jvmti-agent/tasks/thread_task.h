// Which task the current thread works for. Plain old data in initial-exec thread-local storage: reading it costs one
// load and never allocates, so it may be read wherever a hook of the agent runs.
#pragma once

#include <cstdint>

#include "tasks/task_table.h"

namespace memprof {

TaskTag CurrentTask();
void SetCurrentTask(TaskTag tag);

// A tag as a JVMTI object tag, on a Thread object between start0() and its ThreadStart event, so that children inherit it. Never
// 0 for a task, because 0 means "no tag" to JVMTI.
inline int64_t ToObjectTag(TaskTag tag) { return static_cast<int64_t>(static_cast<uint64_t>(tag.slot) << 32 | tag.generation); }
inline TaskTag FromObjectTag(int64_t tag) {
  return {static_cast<uint32_t>(static_cast<uint64_t>(tag) >> 32), static_cast<uint32_t>(static_cast<uint64_t>(tag))};
}

}  // namespace memprof
