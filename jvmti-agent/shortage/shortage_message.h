// Builds the message about an OutOfMemoryError of the heap (proto::HeapShortage), cut to size: frames and the largest classes. Pure
// function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "proto/memprof.pb.h"
#include "shortage/class_histogram.h"
#include "stacks/jvm_stacks.h"
#include "tasks/task_table.h"

namespace memprof {

inline constexpr size_t kMaxHeapClasses = 40;
inline constexpr size_t kMaxShortageBytes = 32u << 10;  // of the message

struct ShortageInputs {
  int64_t time_ms = 0;  // epoch
  std::string error;    // the JVM's words
  bool ends_jvm = false, nearly_full = false;
  std::string thread;
  bool of_jvm = false;  // the thread serves the JVM itself
  TaskKey task;         // task_attempt_id -1: none
  uint64_t errors = 0;
  std::shared_ptr<JvmStacks> stacks;  // null: the stack isn't known
  JvmStackId stack = 0;
  std::optional<ClassHistogram> histogram;
  std::optional<proto::RetainedHeap> retained;
  std::optional<uint64_t> used_after_gc;  // of the heap, after the last collection
  int32_t jvm_pid = 0;
};

proto::HeapShortage BuildShortage(const ShortageInputs& inputs);

}  // namespace memprof
