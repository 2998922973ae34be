// LeftSite: off-heap or native memory that no running task holds, by who allocated it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "stacks/jvm_stacks.h"
#include "tasks/task_sites.h"

namespace memprof {

struct LeftSite {
  std::shared_ptr<const JvmStacks> stacks;  // null: no more is known
  JvmStackId stack = 0;
  int32_t stage_id = -1, stage_attempt = -1;  // of the tasks that allocated it, which have ended
  uint32_t tasks = 0;
  Amount live;
  std::string thread = {};  // where no task did: its bucket (tasks/thread_buckets.h)
};

}  // namespace memprof
