// MessageNames: strings, frames and stacks of a message about the JVM's memory, each once. They are put into a TaskProfile in which
// nothing else is set. Not thread-safe; refers to the message.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "proto/memprof.pb.h"
#include "stacks/jvm_stacks.h"
#include "symbols/source_call.h"

namespace memprof {

// What is known about a native frame; empty while nothing is known.
using NativeNamesAt = std::function<SourceCalls(const std::string& module, const std::string& build_id, uint64_t offset)>;

class MessageNames {
 public:
  explicit MessageNames(proto::TaskProfile* names, NativeNamesAt native = {});

  uint32_t String(const std::string& text);  // its index
  // Index + 1; 0 for no frames. As in a task's profile, without Spark's frames between the thread's start and the task's own code
  // (tasks/task_profile.cc).
  uint32_t Stack(const JvmStacks& stacks, JvmStackId stack);

 private:
  std::vector<uint32_t> Frames(const JvmFrame& frame);  // with the calls that a compiler has inlined around it, outermost first
  uint32_t Frame(const proto::Frame& frame);

  proto::TaskProfile* names_;
  NativeNamesAt native_;
  std::unordered_map<std::string, uint32_t> strings_, frames_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> nodes_;  // parent and frame
};

}  // namespace memprof
