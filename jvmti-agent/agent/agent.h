// Agent: the executor's half of this library, one per process: its life cycle, and the functions that Java and the JVM call. Each
// concern is a class of its own (jvm_heap.h, jvm_offheap.h, jvm_malloc.h, names.h, running_tasks.h, heap_shortages.h, executor_watch.h;
// ground.h is what they share). The agent owns them all and is never destroyed, because Java threads and hooks may still be inside it while
// the process exits.
//
//   loaded by -agentpath  OnLoad()   options, capabilities, hooks: off-heap blocks are followed from the first one on
//   started by the plugin Start()    heap samples, threads, watcher; after a late load also what OnLoad() would have done
//   ended                 Stop()     or VMDeath: last snapshot; hooks stay, but only see known blocks being freed
//
// Without Start() nothing is sampled, no thread runs and no file is made. After Stop() another application may call Start(), as in
// local mode. It finds no task, figure or message of the application before, although task ids start again and threads of the old
// application may still run. Every function is thread-safe and lets no exception out.
#pragma once

#include <jni.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "agent/application.h"
#include "agent/executor_watch.h"
#include "agent/ground.h"
#include "agent/heap_shortages.h"
#include "agent/jvm_heap.h"
#include "agent/jvm_malloc.h"
#include "agent/jvm_offheap.h"
#include "agent/names.h"
#include "agent/options.h"
#include "agent/running_tasks.h"

namespace memprof {

class Agent {
 public:
  static Agent& Get();

  void OnLoad(JavaVM* vm, const char* options) noexcept;    // Agent_OnLoad
  void OnAttach(JavaVM* vm, const char* options) noexcept;  // Agent_OnAttach: attached to a running JVM
  void OnJniLoad(JavaVM* vm) noexcept;                      // JNI_OnLoad

  // Nothing when profiling is on; otherwise one line that says why it isn't.
  std::optional<std::string> Start(JNIEnv* jni, const StartRequest& request) noexcept;
  void Stop() noexcept;

  void TaskStarted(const TaskKey& key) noexcept;
  // The serialised Envelope, or "" when nothing is known of the task. `max_bytes` 0 = as the options say.
  std::string TaskClosed(JNIEnv* jni, int64_t task_attempt_id, size_t max_bytes) noexcept;
  std::string TaskSnapshot(int64_t task_attempt_id, size_t max_bytes) noexcept;

  // Of stacks that were taken where JNI must not be called. On a Java thread, now and then.
  void NameFrames(JNIEnv* jni) noexcept;
  void SparkMemory(const SparkMemoryUse& use) noexcept;
  void SparkPool(const proto::PoolUse& pool) noexcept;
  void TaskConsumers(int64_t task_attempt_id, const std::vector<ConsumerUse>& consumers) noexcept;
  void TaskMetrics(int64_t task_attempt_id, const SparkTaskMetrics& metrics) noexcept;
  // The next Envelope for the driver; "" after the timeout or when the agent has stopped and all were taken.
  std::string TakeMessage(int64_t timeout_ms) noexcept;
  void ReturnMessage(std::string envelope) noexcept;  // it could not be sent: it is the next one again

  // The JVM's collectors, by name. Empty: collections will not be reported, and `why`.
  void Collectors(std::vector<std::string> names, const std::string& why) noexcept;
  void CollectionEnded(const Collection& collection) noexcept;

  void OnHeapSample(JNIEnv* jni, jthread thread, jobject object, uint64_t size) noexcept;
  void OnPause(bool begins) noexcept;                             // in a collection
  void OnHeapExhausted(JNIEnv* jni, const char* error) noexcept;  // on the thread that ran out
  void OnPoolExhausted(JNIEnv* jni, const char* error) noexcept;  // likewise, of space for classes or of threads
  void OnHeapExhaustedExit(JNIEnv* jni) noexcept;                 // likewise; the JVM exits when it returns
  void OnThreadStarting(jthread thread) noexcept;                 // on the parent's thread
  void OnThreadStart(JNIEnv* jni, jthread thread) noexcept;       // on the new one
  void OnOffHeapAllocated(JNIEnv* jni, uint64_t address, uint64_t size) noexcept;
  void OnOffHeapFreeing(uint64_t address) noexcept;
  std::optional<OffHeapBlock> OnOffHeapResizing(uint64_t old_address) noexcept;
  void OnOffHeapResized(JNIEnv* jni, uint64_t old_address, const std::optional<OffHeapBlock>& old_block, uint64_t address,
                        uint64_t size) noexcept;  // address 0: it failed
  void OnOffHeapFilled(uint64_t begin, uint64_t end) noexcept;
  void OnNativeBind(JNIEnv* jni, jmethodID method, void* address, void** new_address) noexcept;
  void OnVmInit() noexcept;
  void OnVmDeath() noexcept;

 private:
  Agent() = default;

  bool TakeOptions(JavaVM* vm, const char* options);
  std::optional<std::string> TryStart(JNIEnv* jni, const StartRequest& request);
  void Forget();  // tasks and figures of an application that has ended

  std::mutex lifecycle_;  // Start and Stop; guards the next four
  std::string inert_;     // why profiling is off for good
  AgentOptions path_options_;
  uint64_t applications_ = 0;
  JavaVM* vm_ = nullptr;

  Ground ground_;
  JvmHeap heap_{&ground_};
  Names names_{&ground_};
  JvmOffHeap offheap_{&ground_, &names_};
  JvmMalloc malloc_{&ground_, &names_};
  RunningTasks tasks_{&ground_, &heap_, &offheap_, &malloc_, &names_};
  HeapShortages shortages_{&ground_, &heap_, &tasks_};
  ExecutorWatch watch_{&ground_, &heap_, &offheap_, &malloc_, &names_, &tasks_};
};

}  // namespace memprof
