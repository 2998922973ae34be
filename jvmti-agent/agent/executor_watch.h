// ExecutorWatch: the executor from outside: its processes and its container (watch/watcher.h), the black boxes of its Python processes
// (boxes/box_keeper.h), and the messages that these two cause. Thread-safe, except that Start and Stop must not run at the same time.
#pragma once

#include "agent/ground.h"
#include "agent/jvm_heap.h"
#include "agent/jvm_malloc.h"
#include "agent/jvm_offheap.h"
#include "agent/names.h"
#include "agent/running_tasks.h"
#include "boxes/box_keeper.h"
#include "profile/words_file.h"

namespace memprof {

class ExecutorWatch {
 public:
  ExecutorWatch(Ground* ground, const JvmHeap* heap, JvmOffHeap* offheap, JvmMalloc* malloc, const Names* names, RunningTasks* tasks)
      : ground_(ground), heap_(heap), offheap_(offheap), malloc_(malloc), names_(names), tasks_(tasks) {}

  void Start(const ApplicationRef& application);
  void Stop(const Application& application);  // sends the last snapshot, and removes the boxes
  Bounds Reached() const;

 private:
  void StartWatcher(const ApplicationRef& application);
  void StartBoxKeeper(const ApplicationRef& application);
  void SendLeft(const Application& application);
  void PythonRefused(const std::string& why);
  void Complete(const Application& application, proto::ExecutorSnapshot* snapshot) const;
  void SendWorkerDeath(const Application& application, const DeadWorker& worker);
  void SendProgramDeath(const Application& application, const DeadProgram& program);
  void SendDriverDeath(const Application& application, const DeadProgram& driver);
  void SendWordsOfTheDead(const Application& application);

  Ground* ground_;
  const JvmHeap* heap_;
  JvmOffHeap* offheap_;
  JvmMalloc* malloc_;
  const Names* names_;
  RunningTasks* tasks_;
  WordsOfTheDead words_;  // used by the thread that starts the keeper, then by the keeper's thread
  BoxKeeper box_keeper_;
};

}  // namespace memprof
