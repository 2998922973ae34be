#include "tasks/task_table.h"

#include <algorithm>

namespace memprof {

TaskTag TaskTable::Begin(const TaskKey& key, std::shared_ptr<JvmStacks> stacks, int64_t now_ms, int64_t stopped_ns) {
  const std::lock_guard lock(mutex_);
  Slot* chosen = nullptr;
  for (Slot& slot : slots_) {
    if (slot.task_attempt_id == key.task_attempt_id) {
      return {static_cast<uint32_t>(&slot - slots_.data()) + 1, slot.generation.load(std::memory_order_relaxed)};
    }
    const bool free = slot.task_attempt_id < 0;
    if (chosen == nullptr || (chosen->task_attempt_id >= 0 && (free || slot.begun < chosen->begun))) chosen = &slot;
  }
  if (chosen->task_attempt_id >= 0) {
    replaced_.fetch_add(1, std::memory_order_relaxed);
    Vacate(chosen);
  }
  const std::lock_guard slot_lock(chosen->mutex);
  chosen->task_attempt_id = key.task_attempt_id;
  chosen->stage_id = key.stage_id;
  chosen->begun = ++begun_;
  chosen->figures = std::make_unique<TaskFigures>(key, std::move(stacks), &budget_, now_ms, stopped_ns);
  const uint32_t generation = chosen->generation.load(std::memory_order_relaxed) + 1;
  chosen->generation.store(generation, std::memory_order_release);
  return {static_cast<uint32_t>(chosen - slots_.data()) + 1, generation};
}

std::unique_ptr<TaskFigures> TaskTable::End(int64_t task_attempt_id) {
  const std::lock_guard lock(mutex_);
  for (Slot& slot : slots_) {
    if (slot.task_attempt_id == task_attempt_id && task_attempt_id >= 0) return Vacate(&slot);
  }
  return nullptr;
}

TaskTag TaskTable::Find(int64_t task_attempt_id) {
  const std::lock_guard lock(mutex_);
  for (Slot& slot : slots_) {
    if (slot.task_attempt_id == task_attempt_id && task_attempt_id >= 0) {
      return {static_cast<uint32_t>(&slot - slots_.data()) + 1, slot.generation.load(std::memory_order_relaxed)};
    }
  }
  return {0, 0};
}

std::vector<int64_t> TaskTable::Running() {
  std::vector<int64_t> running;
  const std::lock_guard lock(mutex_);
  for (const Slot& slot : slots_) {
    if (slot.task_attempt_id >= 0) running.push_back(slot.task_attempt_id);
  }
  return running;
}

std::map<int32_t, uint32_t> TaskTable::RunningStages() {
  std::map<int32_t, uint32_t> stages;
  const std::lock_guard lock(mutex_);
  for (const Slot& slot : slots_) {
    if (slot.task_attempt_id >= 0) ++stages[slot.stage_id];
  }
  return stages;
}

std::unique_ptr<TaskFigures> TaskTable::Vacate(Slot* slot) {
  const std::lock_guard slot_lock(slot->mutex);
  slot->generation.fetch_add(1, std::memory_order_release);
  slot->task_attempt_id = -1;
  return std::move(slot->figures);
}

}  // namespace memprof
