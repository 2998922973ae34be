// MessageNames: strings, frames and stacks of a message about Java code, each once. They are put into a TaskProfile in which
// nothing else is set. Not thread-safe; refers to the message.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "proto/memprof.pb.h"
#include "stacks/jvm_stacks.h"

namespace memprof {

class MessageNames {
 public:
  explicit MessageNames(proto::TaskProfile* names);

  uint32_t String(const std::string& text);  // its index
  // Index + 1; 0 for no frames. As in a task's profile, without Spark's frames between the thread's start and the task's own code
  // (tasks/task_profile.cc).
  uint32_t Stack(const JvmStacks& stacks, JvmStackId stack);

 private:
  uint32_t Frame(const JvmFrame& frame);

  proto::TaskProfile* names_;
  std::unordered_map<std::string, uint32_t> strings_, frames_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> nodes_;  // parent and frame
};

}  // namespace memprof
