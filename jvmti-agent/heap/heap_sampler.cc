#include "heap/heap_sampler.h"

#include <memory>
#include <string>

#include "sampling/estimator.h"
#include "stacks/class_names.h"
#include "tasks/thread_task.h"

namespace memprof {
namespace {

// A thread's name is looked up once: Spark renames its threads with each task, but only numbers change.
__attribute__((tls_model("initial-exec"))) thread_local constinit uint32_t bucket_of_thread = UINT32_MAX;

std::string ThreadName(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread) {
  jvmtiThreadInfo info = {};
  if (jvmti->GetThreadInfo(thread, &info) != JVMTI_ERROR_NONE) return {};
  std::string name = info.name == nullptr ? std::string() : info.name;
  if (info.name != nullptr) jvmti->Deallocate(reinterpret_cast<unsigned char*>(info.name));
  if (info.thread_group != nullptr) jni->DeleteLocalRef(info.thread_group);
  if (info.context_class_loader != nullptr) jni->DeleteLocalRef(info.context_class_loader);
  return name;
}

}  // namespace

void HeapSampler::Sampled(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread, uint64_t size) {
  const uint64_t interval = interval_.load(std::memory_order_relaxed);
  Amount amount;
  amount.bytes = interval <= 1 ? static_cast<double>(size) : UnbiasedBytes(size, interval);
  amount.blocks = interval <= 1 ? 1 : UnbiasedBlocks(size, interval);
  amount.variance = VarianceOf(amount.bytes, static_cast<double>(size));

  const TaskTag tag = CurrentTask();
  if (tasks_->IsRunning(tag)) {
    CapturedStack stack;
    CaptureStack(jvmti, thread, &stack);
    std::shared_ptr<JavaStacks> stacks;  // set when the task meets this stack for the first time
    const auto add_if_known = [&](TaskFigures& task) {
      if (task.heap.Knows(stack.hash)) {
        task.heap.At(task.heap.FindOrAdd(stack.hash, 0)) += amount;
      } else {
        stacks = task.stacks;
      }
    };
    if (tasks_->WithTask(tag, add_if_known)) {
      if (stacks == nullptr) return;
      const StackId id = stacks->Intern(jvmti, jni, stack);
      if (tasks_->WithTask(tag, [&](TaskFigures& task) { task.heap.At(task.heap.FindOrAdd(stack.hash, id)) += amount; })) return;
    }
  }
  if (bucket_of_thread == UINT32_MAX) bucket_of_thread = buckets_->BucketOf(NormalizedThreadName(ThreadName(jvmti, jni, thread)));
  buckets_->Add(bucket_of_thread, amount.bytes);
}

}  // namespace memprof
