// Builds the message about one task: its JVM sites, every Python session that served it, and the executor's peaks so
// far, cut to size. Pure functions over copies: no lock is held while a profile is built.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "naming/native_names.h"
#include "profile/task_message.h"
#include "proto/memprof.pb.h"
#include "stacks/jvm_stacks.h"
#include "tasks/task_table.h"

namespace memprof {

// A copy of a task's tables, taken while its slot is locked.
struct JvmFigures {
  struct HeapSite {
    JvmStackId stack;
    Amount allocated;
  };
  struct OffHeapSite {
    JvmStackId stack;
    Amount allocated, live, live_at_peak;
  };
  TaskKey key;
  std::shared_ptr<JvmStacks> stacks;  // null: the JVM has seen nothing of the task
  int64_t start_ms = 0, stopped_before_ns = 0;
  int64_t ended_ms = 0;              // from then on what it holds is no running task's; 0: it runs
  std::vector<HeapSite> heap;        // the rest has stack 0
  std::vector<OffHeapSite> offheap;  // likewise
  std::vector<OffHeapSite> native;   // likewise, malloc of JNI libraries
  uint64_t full_tables = 0;          // of these three, those that have a rest because they were full
  SparkTaskMemory spark;
};
JvmFigures CopyOf(const TaskFigures& task);

struct TaskProfileInputs {
  JvmFigures jvm;
  std::vector<PythonSession> sessions;
  uint64_t unreadable_sessions = 0;  // boxes or sessions that could not be read; whose they were is not known
  const NativeNames* names = nullptr;
  const proto::ExecutorSnapshot* executor = nullptr;  // null: nothing of it is sent
  std::string executor_id;
  std::string working_directory;  // of the executor; files in it are named relative to it
  bool withheld = false;          // see PythonNames
  uint64_t sequence = 0;
  uint64_t heap_interval_bytes = 0;
  bool final = false;
  bool recovered = false;                // by another executor, from the boxes of a dead one: nothing is known of its JVM
  std::optional<int64_t> gc_stopped_ns;  // of the task's time
  int64_t taken_ms = 0;
  size_t max_bytes = 0;
};

struct BuiltProfile : BuiltMessage {
  std::vector<NativeFrame> unnamed;  // native frames that it holds without a name
};
BuiltProfile BuildTaskProfile(const TaskProfileInputs& inputs);

// The native frames of a message that have no name.
std::vector<NativeFrame> UnnamedFrames(const proto::TaskProfile& message);

}  // namespace memprof
