#include "tasks/spark_task_memory.h"

#include <algorithm>
#include <functional>
#include <tuple>

#include "base/valid_utf8.h"

namespace memprof {
namespace {

constexpr size_t kMostNameBytes = 200;

}  // namespace

void SparkTaskMemory::Sample(const std::vector<ConsumerUse>& consumers) {
  std::map<std::pair<std::string, bool>, uint64_t> now;
  for (const ConsumerUse& consumer : consumers) {
    if (consumer.used_bytes != 0) now[{consumer.name.substr(0, kMostNameBytes), consumer.off_heap}] += consumer.used_bytes;
  }
  for (const auto& [key, bytes] : now) {
    const auto known = peaks_.find(key);
    if (known != peaks_.end()) {
      known->second = std::max(known->second, bytes);
    } else if (peaks_.size() < kMostConsumers) {
      peaks_.emplace(key, bytes);
    } else if (lost_.size() < kMostConsumers) {
      lost_.insert(key);
    }
  }
}

void SparkTaskMemory::NotePool(const proto::PoolUse& pool) {
  const auto order = [](const proto::PoolUse& use) {
    return std::tuple(use.storage_bytes() + use.execution_bytes(), use.execution_bytes());
  };
  const auto [known, added] = fullest_.try_emplace(pool.off_heap(), pool);
  if (!added && order(known->second) < order(pool)) known->second = pool;
}

void SparkTaskMemory::AddTo(size_t max_bytes, proto::TaskProfile* profile) const {
  if (peaks_.empty() && fullest_.empty() && !metrics_) return;
  proto::TaskMemory* memory = profile->mutable_spark_memory();
  std::vector<std::tuple<uint64_t, std::string, bool>> order;
  for (const auto& [key, bytes] : peaks_) order.emplace_back(bytes, key.first, key.second);
  std::sort(order.begin(), order.end(), std::greater<>());
  for (const auto& [bytes, name, off_heap] : order) {
    proto::MemoryConsumer* consumer = memory->add_consumers();
    consumer->set_name(ValidUtf8(name));
    consumer->set_off_heap(off_heap);
    consumer->set_peak_bytes(bytes);
  }
  for (const auto& [off_heap, pool] : fullest_) *memory->add_fullest() = pool;
  if (metrics_) {
    memory->set_peak_execution_bytes(metrics_->peak_execution_bytes);
    memory->set_spilled_memory_bytes(metrics_->spilled_memory_bytes);
    memory->set_spilled_disk_bytes(metrics_->spilled_disk_bytes);
  }
  uint64_t dropped = lost_.size();
  while (memory->ByteSizeLong() > max_bytes && memory->consumers_size() > 1) {
    memory->mutable_consumers()->RemoveLast();
    ++dropped;
  }
  if (dropped == 0) return;
  proto::Counter* counter = profile->add_counters();
  counter->set_name("droppedMemoryConsumers");
  counter->set_value(dropped);
}

}  // namespace memprof
