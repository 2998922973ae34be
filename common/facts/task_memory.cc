#include "facts/task_memory.h"

#include <algorithm>
#include <tuple>

#include "report/consumer_words.h"

namespace memprof {
namespace {

void AddTo(std::optional<uint64_t>& sum, const std::optional<uint64_t>& other) {
  if (other) sum = sum.value_or(0) + *other;
}

// Keeps the moment at which more memory was taken, because there execution had to spill sooner. Both are of the same executor, or of
// executors of one stage.
void Raise(const PoolsByMode& other, PoolsByMode& pools) {
  auto order = [](const PoolFigures& pool) {
    return std::tuple(pool.storage_bytes + pool.execution_bytes, pool.execution_bytes, pool.max_bytes,
                      pool.storage_region_bytes.value_or(0));
  };
  for (size_t mode = 0; mode < kMemoryModes; ++mode) {
    if (other[mode] && (!pools[mode] || order(*pools[mode]) < order(*other[mode]))) pools[mode] = other[mode];
  }
}

}  // namespace

PoolFigures FiguresOf(const proto::PoolUse& use) {
  PoolFigures figures{use.max_bytes(), use.storage_bytes(), use.execution_bytes(), std::nullopt};
  if (use.has_storage_region_bytes()) figures.storage_region_bytes = use.storage_region_bytes();
  return figures;
}

void TaskMemorySums::Add(const InternedTaskMemory& task) {
  for (const InternedTaskMemory::Consumer& consumer : task.consumers) {
    Consumer& sum = consumers_[{consumer.name, consumer.off_heap}];
    ++sum.tasks;
    sum.peak_bytes = std::max(sum.peak_bytes, consumer.peak_bytes);
  }
  peak_execution_bytes_ = std::max(peak_execution_bytes_, task.peak_execution_bytes);  // a measured value is larger than none
  AddTo(spilled_memory_bytes_, task.spilled_memory_bytes);
  AddTo(spilled_disk_bytes_, task.spilled_disk_bytes);
  if (task.spilled_memory_bytes.value_or(0) + task.spilled_disk_bytes.value_or(0) != 0) ++tasks_spilled_;
  Raise(task.fullest, fullest_);
}

void TaskMemorySums::Add(const TaskMemorySums& tasks) {
  for (const auto& [key, consumer] : tasks.consumers_) {
    Consumer& sum = consumers_[key];
    sum.tasks += consumer.tasks;
    sum.peak_bytes = std::max(sum.peak_bytes, consumer.peak_bytes);
  }
  peak_execution_bytes_ = std::max(peak_execution_bytes_, tasks.peak_execution_bytes_);
  AddTo(spilled_memory_bytes_, tasks.spilled_memory_bytes_);
  AddTo(spilled_disk_bytes_, tasks.spilled_disk_bytes_);
  tasks_spilled_ += tasks.tasks_spilled_;
  Raise(tasks.fullest_, fullest_);
}

std::vector<std::pair<TaskMemorySums::Key, TaskMemorySums::Consumer>> TaskMemorySums::LargestFirst() const {
  std::vector<std::pair<Key, Consumer>> order(consumers_.begin(), consumers_.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second.peak_bytes > b.second.peak_bytes; });
  return order;
}

size_t TaskMemorySums::Keep(size_t keep) {
  if (consumers_.size() <= keep) return 0;
  const auto order = LargestFirst();
  for (size_t i = keep; i < order.size(); ++i) consumers_.erase(order[i].first);
  return order.size() - keep;
}

void TaskMemorySums::MoveTo(InternerCopy& copy, std::pmr::memory_resource* memory) {
  decltype(consumers_) moved(memory);
  for (const auto& [key, consumer] : consumers_) moved.emplace(Key{copy.String(key.first), key.second}, consumer);
  consumers_ = std::move(moved);
}

void TaskMemorySums::Fill(const Interner& interner, size_t most, ReportStageMemory& row) const {
  for (const auto& [key, consumer] : LargestFirst()) {
    const std::string name(interner.StringAt(key.first));
    row.consumers.push_back({name, std::string(OperatorOf(name)), key.second, consumer.tasks, consumer.peak_bytes});
  }
  // Ids depend on the order in which messages came, names don't.
  std::stable_sort(row.consumers.begin(), row.consumers.end(), [](const ReportMemoryConsumer& a, const ReportMemoryConsumer& b) {
    return std::tuple(b.peak_bytes, a.name, a.off_heap) < std::tuple(a.peak_bytes, b.name, b.off_heap);
  });
  if (row.consumers.size() > most) row.consumers.resize(most);
  row.peak_execution_bytes = peak_execution_bytes_;
  row.spilled_memory_bytes = spilled_memory_bytes_;
  row.spilled_disk_bytes = spilled_disk_bytes_;
  row.tasks_spilled = tasks_spilled_;
  for (size_t mode = 0; mode < kMemoryModes; ++mode) {
    if (!fullest_[mode]) continue;
    const PoolFigures& pool = *fullest_[mode];
    row.fullest.push_back({mode == 1, pool.max_bytes, pool.storage_region_bytes, pool.storage_bytes, pool.execution_bytes});
  }
}

}  // namespace memprof
