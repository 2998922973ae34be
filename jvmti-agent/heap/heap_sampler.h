// HeapSampler: handles JVMTI's SampledObjectAlloc events. The JVM picks objects as a Poisson process over allocated bytes; each
// sample represents size/(1-exp(-size/interval)) bytes (sampling/estimator.h) at its Java stack, charged to the task of the
// thread, or to the thread's bucket when it works for none. The object itself is followed by a weak reference
// (heap/live_objects.h), to know later what was retained.
//
// A thread's first gap was drawn when the thread began, for the interval at that time. With a smaller interval, up to about 512
// KiB of a thread that is older than Start() are missed once.
//
// Sampled() runs on the allocating Java thread, about 1 µs with a shallow stack that the task has met before.
// Thread-safe. No pending exception is left.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>

#include "heap/live_objects.h"
#include "stacks/jvm_stacks.h"
#include "tasks/task_table.h"
#include "tasks/thread_buckets.h"

namespace memprof {

class HeapSampler {
 public:
  HeapSampler(TaskTable* tasks, ThreadBuckets* buckets, StackGenerations* stacks, LiveObjects* live)
      : tasks_(tasks), buckets_(buckets), stacks_(stacks), live_(live) {}

  void SetInterval(uint64_t bytes) { interval_ = bytes; }
  uint64_t interval() const { return interval_; }

  void Sampled(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread, jobject object, uint64_t size);

 private:
  struct Charged {
    ObjectOrigin origin;  // its stack is looked up where a new site of live objects needs it
    bool to_task = false;
  };

  Charged ChargeTask(jvmtiEnv* jvmti, JNIEnv* jni, const CapturedStack& stack, const Amount& amount);
  void Follow(jvmtiEnv* jvmti, JNIEnv* jni, jobject object, uint64_t size, const CapturedStack& stack, ObjectOrigin origin);

  TaskTable* tasks_;
  ThreadBuckets* buckets_;
  StackGenerations* stacks_;
  LiveObjects* live_;
  std::atomic<uint64_t> interval_{0};
};

}  // namespace memprof
