// TaskTable: the tasks that run in this executor now, and which of them a thread works for.
//
// A thread carries a TaskTag in thread-local storage: a slot and its generation. The generation changes when the task is closed.
// So tags on threads that live longer than the task (monitors, readers, pools) expire on their own, and nothing is charged to the
// next task in the slot.
//
// Thread-safe. Record() takes the slot's mutex, which only threads of the same task share. Slots live as long as the table.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "tasks/offheap_sites.h"
#include "tasks/spark_task_memory.h"
#include "tasks/task_sites.h"

namespace memprof {

struct TaskKey {
  int64_t task_attempt_id = -1;
  int32_t stage_id = -1, stage_attempt = -1, partition = -1, attempt_number = -1;
};

struct TaskTag {
  uint32_t slot;  // index + 1; 0 = no task
  uint32_t generation;
};

// What a running task has allocated so far, and holds of Spark's memory.
struct TaskFigures {
  TaskFigures(const TaskKey& task, std::shared_ptr<JvmStacks> generation, SiteBudget* budget, int64_t now_ms, int64_t stopped_ns)
      : key(task),
        stacks(std::move(generation)),
        start_ms(now_ms),
        stopped_before_ns(stopped_ns),
        heap(budget),
        offheap(budget),
        native(budget) {}

  TaskKey key;
  std::shared_ptr<JvmStacks> stacks;  // what the sites' JvmStackIds belong to
  int64_t start_ms;
  int64_t stopped_before_ns;  // in collections, since the agent began
  HeapSites heap;
  OffHeapSites offheap;  // of Unsafe
  OffHeapSites native;   // of JNI libraries' malloc
  SparkTaskMemory spark;
};

class TaskTable {
 public:
  static constexpr uint32_t kMaxTasks = 1024;  // running at once; a further one replaces the oldest

  // Begins a task, or finds it when it runs already.
  TaskTag Begin(const TaskKey& key, std::shared_ptr<JvmStacks> stacks, int64_t now_ms, int64_t stopped_ns = 0);
  // Ends a task; null when it doesn't run.
  std::unique_ptr<TaskFigures> End(int64_t task_attempt_id);

  // May be outdated as soon as it returns; WithTask() decides.
  bool IsRunning(TaskTag tag) const {
    const bool possible = tag.slot != 0 && tag.slot <= kMaxTasks && tag.generation % 2 == 1;
    return possible && slots_[tag.slot - 1].generation.load(std::memory_order_acquire) == tag.generation;
  }

  // Calls use(TaskFigures&) with the tag's task locked; false when the tag has expired.
  template <typename Use>
  bool WithTask(TaskTag tag, Use&& use) {
    if (!IsRunning(tag)) return false;
    Slot& slot = slots_[tag.slot - 1];
    const std::lock_guard lock(slot.mutex);
    if (slot.generation.load(std::memory_order_relaxed) != tag.generation || slot.figures == nullptr) return false;
    use(*slot.figures);
    return true;
  }

  // The tag of a running task; {0, 0} when it doesn't run.
  TaskTag Find(int64_t task_attempt_id);
  std::vector<int64_t> Running();               // task attempt ids, unsorted
  std::map<int32_t, uint32_t> RunningStages();  // by stage id: how many of its tasks run
  uint64_t replaced() const { return replaced_.load(std::memory_order_relaxed); }

 private:
  struct Slot {
    std::atomic<uint32_t> generation{0};  // odd while a task runs
    std::mutex mutex;
    std::unique_ptr<TaskFigures> figures;
    int64_t task_attempt_id = -1;  // guarded by TaskTable::mutex_; -1 = free
    int32_t stage_id = -1;         // likewise
    uint64_t begun = 0;            // likewise: order of Begin()
  };

  std::unique_ptr<TaskFigures> Vacate(Slot* slot);  // caller holds mutex_

  std::mutex mutex_;  // taken before a slot's
  uint64_t begun_ = 0;
  std::atomic<uint64_t> replaced_{0};
  SiteBudget budget_;
  std::array<Slot, kMaxTasks> slots_;
};

}  // namespace memprof
