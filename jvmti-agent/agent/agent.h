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
#include <chrono>
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
#include "gc/gc_figures.h"
#include "gc/marking_watch.h"
#include "gc/nearly_full.h"
#include "gc/pause_clock.h"
#include "heap/heap_sampler.h"
#include "heap/heap_sweeper.h"
#include "heap/live_objects.h"
#include "naming/native_namer.h"
#include "naming/native_names.h"
#include "naming/source_reader.h"
#include "offheap/left_behind.h"
#include "offheap/offheap_tracker.h"
#include "shortage/shortage_limits.h"
#include "shortage/shortage_message.h"
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
  void SparkPool(const proto::PoolUse& pool) noexcept;
  void TaskConsumers(int64_t task_attempt_id, const std::vector<ConsumerUse>& consumers) noexcept;
  void TaskMetrics(int64_t task_attempt_id, const SparkTaskMetrics& metrics) noexcept;
  // The next Envelope for the driver; "" after the timeout or when the agent has stopped and all were taken.
  std::string TakeMessage(int64_t timeout_ms) noexcept;
  void ReturnMessage(std::string envelope) noexcept;  // could not be sent: it is the next again

  // The JVM's collectors, by name; empty: nobody will tell of collections, and `why`.
  void Collectors(std::vector<std::string> names, const std::string& why) noexcept;
  void CollectionEnded(const Collection& collection) noexcept;

  void OnHeapSample(JNIEnv* jni, jthread thread, jobject object, uint64_t size) noexcept;
  void OnPause(bool begins) noexcept;                             // in a collection
  void OnHeapExhausted(JNIEnv* jni, const char* error) noexcept;  // on the thread that ran out
  void OnHeapExhaustedExit(JNIEnv* jni) noexcept;                 // likewise; the JVM exits when it returns
  void OnThreadStarting(jthread thread) noexcept;                 // on the parent's thread
  void OnThreadStart(jthread thread) noexcept;                    // on the new one
  void OnOffHeapAllocated(JNIEnv* jni, uint64_t address, uint64_t size) noexcept;
  void OnOffHeapFreeing(uint64_t address) noexcept;
  std::optional<OffHeapBlock> OnOffHeapResizing(uint64_t old_address) noexcept;
  void OnOffHeapResized(JNIEnv* jni, uint64_t old_address, const std::optional<OffHeapBlock>& old_block, uint64_t address,
                        uint64_t size) noexcept;  // address 0: it failed
  void OnOffHeapFilled(uint64_t begin, uint64_t end) noexcept;
  void OnVmInit() noexcept;
  void OnVmDeath() noexcept;

 private:
  Agent() : heap_(&tasks_, &buckets_, &stacks_, &live_objects_), offheap_(&tasks_) {}

  // How often a bound was reached since the process began.
  struct Bounds {
    uint64_t java_frames = 0, offheap_blocks = 0, messages = 0, tasks = 0;
  };
  // What is profiled between Start() and Stop(). Never changed, so that whoever still holds it may go on reading.
  struct Application {
    uint64_t number = 0;  // from 1 in this process
    StartRequest request;
    AgentOptions options;
    Bounds before;                  // what is not this application's
    int64_t stopped_before_ns = 0;  // likewise, of pauses
    bool exits_on_out_of_memory = false;

    BoxPlace Boxes() const { return {request.box_directory, request.application_id, request.executor_id}; }
  };
  using ApplicationRef = std::shared_ptr<const Application>;

  ApplicationRef Running() const;  // null: nothing is profiled
  void Forget();                   // tasks and figures of an application that has ended
  Bounds ReachedBounds() const;
  void StartWatcher(const ApplicationRef& application);
  void StartNamer(const ApplicationRef& application);
  void StartSourceReader(const ApplicationRef& application);
  template <typename Use>
  void WithReferences(Use&& use);
  void StartSweeper(const ApplicationRef& application);
  void StartBoxKeeper(const ApplicationRef& application);
  void Send(const Application& application, proto::Envelope envelope);
  void SendOrphan(const Application& application, const OrphanedTask& task);
  void CompleteSnapshot(const Application& application, proto::ExecutorSnapshot* snapshot) const;
  void SendRunningTasks();
  void SendSomeTasks();  // in turn, and no more of them than five hundred executors may say at once
  void SendLeftBehind(const Application& application);
  std::vector<std::string> RunningTasks();
  ShortageInputs ShortageOnThisThread(JNIEnv* jni);
  // Waits that long for a look that another thread is about.
  void LookAtHeap(JNIEnv* jni, const Application& application, std::chrono::milliseconds patience, ShortageInputs* inputs);
  void TellNearlyFull(JNIEnv* jni, const Application& application, const std::optional<proto::RetainedHeap>& retained);
  void LookAtRetained(JNIEnv* jni, ShortageInputs* inputs);
  std::string ShortageEnvelope(const Application& application, const ShortageInputs& inputs);
  void SendWordsOfTheDead(const Application& application);
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
  PauseClock pauses_;
  MarkingWatch markings_{&pauses_};
  GcFigures collectors_;
  LiveObjects live_objects_;
  HeapSweeper sweeper_{&live_objects_, &pauses_};
  HeapSampler heap_;
  OffHeapTracker offheap_;
  LeftBehind left_behind_{&offheap_.blocks()};
  bool said_left_ = false;  // of the watcher's thread: the driver believes that something is left
  int64_t said_last_ = -1;  // the task that was said again last; the watcher's
  ShortageLimits shortages_;
  NearlyFull nearly_full_;
  std::timed_mutex heap_look_;  // one look at the whole heap at a time
};

}  // namespace memprof
