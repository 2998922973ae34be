// RunningTasks: the life of a task in this executor: its begin, which threads work for it, and the messages about it, the last one when
// it ends. Thread-safe.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/ground.h"
#include "agent/jvm_heap.h"
#include "agent/jvm_malloc.h"
#include "agent/jvm_offheap.h"
#include "agent/names.h"
#include "boxes/orphaned_boxes.h"
#include "boxes/python_sessions.h"
#include "boxes/worker_death.h"
#include "tasks/carrier_threads.h"
#include "tasks/task_profile.h"

namespace memprof {

class RunningTasks {
 public:
  RunningTasks(Ground* ground, const JvmHeap* heap, JvmOffHeap* offheap, JvmMalloc* malloc, Names* names)
      : ground_(ground), heap_(heap), offheap_(offheap), malloc_(malloc), names_(names) {}

  void FindCarriers(JNIEnv* jni) { carriers_.Find(jni); }  // before the first thread starts
  void Started(const TaskKey& key);                        // on the task's own thread, like Closed()
  // The serialised Envelope, or "" when nothing is known of the task. `max_bytes` 0 = as the options say.
  std::string Closed(JNIEnv* jni, int64_t task_attempt_id, size_t max_bytes) noexcept;
  std::string Snapshot(int64_t task_attempt_id, size_t max_bytes) noexcept;
  // The same of the task of a dead Python process; moves what was read of its box.
  std::string SnapshotOf(const Application& application, DeathInBox* death) noexcept;
  void Forget();  // of an application that has ended

  void ThreadStarting(jthread thread);            // on the parent's thread
  void ThreadStart(JNIEnv* jni, jthread thread);  // on the new one

  // Interim profiles of the running tasks, to be sent early because the container may be killed a moment later.
  std::vector<std::string> Snapshots();
  void Send();
  void SendSome();  // of a few tasks in turn, so little that 500 executors can do so; on the watcher's thread
  // Sends what a dead executor's Python workers held for a task.
  void SendOrphan(const Application& application, const OrphanedTask& task);

 private:
  // Absent: they couldn't be read in time.
  std::optional<FoundSessions> SessionsOf(const Application& application, int64_t task_attempt_id, Leftovers leftovers);
  JvmFigures FiguresNow(int64_t task_attempt_id);
  std::string Profile(const Application& application, const JvmFigures& figures, const FoundSessions& python, bool final, size_t max_bytes);
  std::string Build(const Application& application, TaskProfileInputs inputs);
  bool IsNews(const proto::ExecutorSnapshot& executor);

  Ground* ground_;
  const JvmHeap* heap_;
  JvmOffHeap* offheap_;
  JvmMalloc* malloc_;
  Names* names_;
  CarrierThreads carriers_;
  std::atomic<uint64_t> sequence_{0};
  std::atomic<int64_t> told_ms_{0};  // when the executor's figures were taken that a task's last message had
  int64_t said_last_ = -1;           // the task that SendSome() sent last; used by the watcher's thread
};

}  // namespace memprof
