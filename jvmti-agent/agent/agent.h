// Agent: the executor's half of this library, one per process. It owns every part and is never destroyed, because Java
// threads and hooks may still be inside it while the process exits.
//
//   loaded by -agentpath  OnLoad()   options, capabilities, hooks: off-heap blocks are followed from the first one on
//   started by the plugin Start()    heap samples, threads, watcher; after a late load also what OnLoad() would have done
//   ended                 Stop()     or VMDeath: last snapshot; hooks stay, but only see known blocks go
//
// Without Start() nothing is sampled, no thread runs and no file is made. After Stop() another application may Start(), as
// in local mode: it finds no task, figure or message of the one before, though its task ids begin anew and threads of the
// old one may still be about. Every function is thread-safe and lets no exception out.
#pragma once

#include <jni.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "agent/jvm.h"
#include "agent/options.h"
#include "agent/shortcomings.h"
#include "boxes/box_keeper.h"
#include "boxes/python_sessions.h"
#include "heap/heap_sampler.h"
#include "naming/native_namer.h"
#include "naming/native_names.h"
#include "naming/source_reader.h"
#include "offheap/offheap_tracker.h"
#include "stacks/java_stacks.h"
#include "tasks/task_profile.h"
#include "tasks/task_table.h"
#include "tasks/thread_buckets.h"
#include "watch/message_queue.h"
#include "watch/watcher.h"

namespace memprof {

struct StartRequest {
  std::string application_id, executor_id, host, box_directory;
  std::vector<std::string> options;  // key=value
};

class Agent {
 public:
  static Agent& Get();

  void OnLoad(JavaVM* vm, const char* options) noexcept;    // Agent_OnLoad
  void OnAttach(JavaVM* vm, const char* options) noexcept;  // Agent_OnAttach: attached to a running JVM
  void OnJniLoad(JavaVM* vm) noexcept;                      // JNI_OnLoad

  // Nothing when profiling is on, else why it isn't: one line.
  std::optional<std::string> Start(JNIEnv* jni, const StartRequest& request) noexcept;
  void Stop() noexcept;

  void TaskStarted(const TaskKey& key) noexcept;
  // The serialised Envelope, or "" when nothing is known of the task. `max_bytes` 0 = as the options say.
  std::string TaskClosed(int64_t task_attempt_id, size_t max_bytes) noexcept;
  std::string TaskSnapshot(int64_t task_attempt_id, size_t max_bytes) noexcept;

  void SparkMemory(const SparkMemoryUse& use) noexcept;
  // The next Envelope for the driver; "" after the timeout or when the agent has stopped and all were taken.
  std::string TakeMessage(int64_t timeout_ms) noexcept;

  void OnHeapSample(JNIEnv* jni, jthread thread, uint64_t size) noexcept;
  void OnThreadStarting(jthread thread) noexcept;  // on the parent's thread
  void OnThreadStart(jthread thread) noexcept;     // on the new one
  void OnOffHeapAllocated(JNIEnv* jni, uint64_t address, uint64_t size) noexcept;
  void OnOffHeapFreeing(uint64_t address) noexcept;
  std::optional<OffHeapBlock> OnOffHeapResizing(uint64_t old_address) noexcept;
  void OnOffHeapResized(JNIEnv* jni, uint64_t old_address, const std::optional<OffHeapBlock>& old_block, uint64_t address,
                        uint64_t size) noexcept;  // address 0: it failed
  void OnOffHeapFilled(uint64_t begin, uint64_t end) noexcept;
  void OnVmInit() noexcept;
  void OnVmDeath() noexcept;

 private:
  Agent() : heap_(&tasks_, &buckets_), offheap_(&tasks_) {}

  // How often a bound was reached since the process began.
  struct Bounds {
    uint64_t java_frames = 0, offheap_blocks = 0, messages = 0, tasks = 0;
  };
  // What is profiled between Start() and Stop(). Never changed, so that whoever still holds it may go on reading.
  struct Application {
    uint64_t number = 0;  // from 1 in this process
    StartRequest request;
    AgentOptions options;
    Bounds before;  // what is not this application's

    BoxPlace Boxes() const { return {request.box_directory, request.application_id, request.executor_id}; }
  };
  using ApplicationRef = std::shared_ptr<const Application>;

  ApplicationRef Running() const;  // null: nothing is profiled
  void Forget();                   // tasks and figures of an application that has ended
  Bounds ReachedBounds() const;
  void StartWatcher(const ApplicationRef& application);
  void StartNamer(const ApplicationRef& application);
  void StartSourceReader(const ApplicationRef& application);
  void StartBoxKeeper(const ApplicationRef& application);
  void Send(const Application& application, proto::Envelope envelope);
  void CompleteSnapshot(const Application& application, proto::ExecutorSnapshot* snapshot) const;
  void SendRunningTasks();
  void SendWorkerDeath(const Application& application, const DeadWorker& worker);
  bool TakeOptions(JavaVM* vm, const char* options);
  std::string Profile(const Application& application, const JvmFigures& figures, const FoundSessions& python, bool final, size_t max_bytes);

  std::atomic<bool> running_{false};
  std::atomic<bool> follows_offheap_{false};  // new blocks, from OnLoad() or Start() to Stop()
  std::atomic<uint64_t> sequence_{0};

  mutable std::mutex application_mutex_;
  ApplicationRef application_;  // guarded by application_mutex_

  std::mutex lifecycle_;  // Start and Stop; guards the next four
  std::string inert_;     // why profiling is off for good
  AgentOptions path_options_;
  uint64_t applications_ = 0;
  JavaVM* vm_ = nullptr;
  Jvm jvm_;

  Shortcomings shortcomings_;
  StackGenerations stacks_;
  TaskTable tasks_;
  ThreadBuckets buckets_;
  NativeNames names_;
  NativeNamer namer_{&names_};
  SourceReader source_reader_;
  BoxKeeper box_keeper_;
  MessageQueue messages_;
  Watcher watcher_;
  HeapSampler heap_;
  OffHeapTracker offheap_;
};

}  // namespace memprof
