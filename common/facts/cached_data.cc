#include "facts/cached_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "base/cut_text.h"
#include "facts/error_title.h"

namespace memprof {
namespace {

constexpr size_t kMostNameBytes = 200;
constexpr size_t kExecutorsShown = 20;

void Weigh(bool of_broadcast, int64_t dataset, uint64_t bytes, LargestCached& largest) {
  largest.of_bytes += bytes;
  if (of_broadcast) {
    largest.broadcast_bytes += bytes;
  } else if (bytes > largest.bytes) {
    largest.rdd_id = dataset;
    largest.bytes = bytes;
  }
}

}  // namespace

std::string StorageLevelName(const StorageLevel& level) {
  std::string name;
  if (level.off_heap) {
    name = "OFF_HEAP";
  } else if (!level.memory) {
    name = level.disk ? "DISK_ONLY" : "NONE";
  } else {
    name = level.disk ? "MEMORY_AND_DISK" : "MEMORY_ONLY";
    if (!level.deserialized) name += "_SER";
  }
  return level.replication > 1 ? fmt::format("{}_{}", name, level.replication) : name;
}

std::string_view CachedName(std::string_view rdd_name) {
  constexpr std::string_view kTable = "In-memory table ";
  if (rdd_name.starts_with(kTable)) rdd_name.remove_prefix(kTable.size());
  return CutText(rdd_name.substr(0, rdd_name.find('\n')), kMostNameBytes);
}

std::optional<uint32_t> CachedData::Executor(std::string_view id) {
  if (const auto known = executors_.find(id); known != executors_.end()) return known->second;
  if (executors_.size() >= kMostExecutors) return std::nullopt;
  const uint32_t number = next_executor_++;
  executors_.emplace(std::pmr::string(id, executors_.get_allocator()), number);
  if (id == "driver") driver_ = number;
  return number;
}

CachedData::Dataset* CachedData::Find(const DatasetKey& key) {
  if (const auto known = datasets_.find(key); known != datasets_.end()) return &known->second;
  const size_t most = key.first ? kMostBroadcasts : kMostDatasets;
  const size_t had = key.first ? broadcasts_ : datasets_.size() - broadcasts_;
  if (had >= most && !MakeRoom(key.first)) return nullptr;
  if (key.first) ++broadcasts_;
  return &datasets_.try_emplace(key, datasets_.get_allocator().resource()).first->second;
}

// Drops the lightest dataset that has no block any more, so that only its row is lost.
bool CachedData::MakeRoom(bool for_broadcast) {
  auto lightest = datasets_.end();
  for (auto dataset = datasets_.begin(); dataset != datasets_.end(); ++dataset) {
    if (dataset->first.first != for_broadcast || dataset->second.blocks != 0) continue;
    const auto weight = [](const Dataset& of) { return std::pair(of.at_peak.memory, of.at_peak.disk); };
    if (lightest == datasets_.end() || weight(dataset->second) < weight(lightest->second)) lightest = dataset;
  }
  if (lightest == datasets_.end()) return false;
  if (lightest->second.blocks_at_peak != 0) ++dropped_datasets_;
  if (for_broadcast) --broadcasts_;
  datasets_.erase(lightest);
  return true;
}

void CachedData::Describe(int rdd_id, std::string_view name, std::string_view call_site, const StorageLevel& level, int partitions) {
  Dataset* dataset = Find({false, rdd_id});
  if (dataset == nullptr) return;
  dataset->name = CachedName(name);
  dataset->call_site = CutText(call_site, kMostNameBytes);
  dataset->level = level;
  dataset->partitions = partitions;
}

void CachedData::Update(const CachedBlock& block, std::string_view executor_id, uint64_t memory_bytes, uint64_t disk_bytes) {
  const Bytes bytes{memory_bytes, disk_bytes};
  const bool removed = memory_bytes == 0 && disk_bytes == 0;
  if (removed && !executors_.contains(executor_id)) return;
  const std::optional<uint32_t> executor = Executor(executor_id);
  if (executor) {
    const BlockKey key{block.of_broadcast, block.dataset, block.part, *executor};
    const size_t had = block.of_broadcast ? pieces_ : blocks_.size() - pieces_;
    if (blocks_.contains(key) || (!removed && had < kMostBlocks && Find({block.of_broadcast, block.dataset}) != nullptr)) {
      Apply(key, bytes);
      return;
    }
  }
  if (!removed) ++dropped_blocks_;
}

// Blocks of one part lie side by side.
bool CachedData::HasOtherCopy(std::pmr::map<BlockKey, Bytes>::const_iterator block) const {
  const auto is_copy = [&](std::pmr::map<BlockKey, Bytes>::const_iterator other) {
    const auto part_of = [](const BlockKey& key) {
      return std::tuple(std::get<bool>(key), std::get<int64_t>(key), std::get<int32_t>(key));
    };
    return part_of(other->first) == part_of(block->first);
  };
  const auto next = std::next(block);
  return (block != blocks_.begin() && is_copy(std::prev(block))) || (next != blocks_.end() && is_copy(next));
}

void CachedData::Apply(const BlockKey& key, Bytes bytes) {
  const auto& [of_broadcast, id, part, executor] = key;
  Dataset& dataset = *Find({of_broadcast, id});
  const auto [block, added] = blocks_.try_emplace(key);
  const Bytes before = block->second;
  const auto change = [&](Bytes& sum) {
    sum.memory += bytes.memory - before.memory;
    sum.disk += bytes.disk - before.disk;
  };
  change(dataset.now);
  Bytes& here = dataset.by_executor[executor];
  change(here);
  dataset.largest_copy_bytes = std::max(dataset.largest_copy_bytes, here.memory + here.disk);
  if (executor == driver_) dataset.driver_peak_bytes = std::max(dataset.driver_peak_bytes, here.memory + here.disk);
  if (added) ++dataset.blocks;
  if (added && !HasOtherCopy(block)) ++dataset.parts;
  if (added && of_broadcast) ++pieces_;
  if (bytes.memory == 0 && bytes.disk == 0) {
    if (!HasOtherCopy(block)) --dataset.parts;
    blocks_.erase(block);
    --dataset.blocks;
    if (of_broadcast) --pieces_;
    if (here.memory == 0 && here.disk == 0) dataset.by_executor.erase(executor);
  } else {
    block->second = bytes;
  }
  if (std::pair(dataset.now.memory, dataset.now.disk) > std::pair(dataset.at_peak.memory, dataset.at_peak.disk)) {
    dataset.at_peak = dataset.now;
    dataset.blocks_at_peak = dataset.blocks;
    dataset.parts_at_peak = dataset.parts;
  }
}

void CachedData::Unpersisted(int rdd_id) {
  constexpr int32_t kFirst = std::numeric_limits<int32_t>::min();
  for (auto block = blocks_.lower_bound({false, rdd_id, kFirst, 0}); block != blocks_.end();) {
    const BlockKey key = (block++)->first;
    if (std::get<bool>(key) || std::get<int64_t>(key) != rdd_id) break;
    Apply(key, {});
  }
}

void CachedData::ExecutorRemoved(std::string_view executor_id) {
  const auto known = executors_.find(executor_id);
  if (known == executors_.end()) return;
  for (auto block = blocks_.begin(); block != blocks_.end();) {
    const BlockKey key = (block++)->first;
    if (std::get<uint32_t>(key) == known->second) Apply(key, {});
  }
  if (known->second != driver_) executors_.erase(known);  // with dynamic allocation executors come and go for weeks
}

LargestCached CachedData::Largest(bool off_heap) const {
  LargestCached largest;
  for (const auto& [key, dataset] : datasets_) {
    if ((!key.first && dataset.level.off_heap) != off_heap) continue;  // broadcast variables are on the heap
    Weigh(key.first, key.second, dataset.now.memory, largest);
  }
  return largest;
}

LargestCached CachedData::LargestIn(std::string_view executor_id, bool off_heap) const {
  LargestCached largest;
  const auto executor = executors_.find(executor_id);
  if (executor == executors_.end()) return largest;
  for (const auto& [key, dataset] : datasets_) {
    if ((!key.first && dataset.level.off_heap) != off_heap) continue;
    const auto there = dataset.by_executor.find(executor->second);
    if (there == dataset.by_executor.end()) continue;
    Weigh(key.first, key.second, there->second.memory, largest);
  }
  return largest;
}

std::string CachedData::NameOf(int64_t rdd_id) const {
  const auto found = datasets_.find({false, rdd_id});
  return found == datasets_.end() ? std::string() : std::string(found->second.name);
}

std::vector<ReportCachedData> CachedData::Rows(size_t most) const {
  std::map<uint32_t, std::string_view> names;
  for (const auto& [name, number] : executors_) names.emplace(number, name);
  std::vector<ReportCachedData> rows;
  for (const auto& [key, dataset] : datasets_) {
    if (key.first || dataset.blocks_at_peak == 0) continue;
    ReportCachedData& row = rows.emplace_back();
    row.rdd_id = key.second;
    row.name = dataset.name;
    row.call_site = dataset.call_site;
    if (dataset.partitions >= 0) {
      row.storage_level = StorageLevelName(dataset.level);
      row.deserialized = dataset.level.deserialized;
      row.off_heap = dataset.level.off_heap;
      row.partitions = static_cast<uint64_t>(dataset.partitions);
    }
    row.blocks = dataset.blocks;
    row.memory_bytes = dataset.now.memory;
    row.disk_bytes = dataset.now.disk;
    row.peak_blocks = dataset.blocks_at_peak;
    row.peak_partitions = dataset.parts_at_peak;
    row.peak_memory_bytes = dataset.at_peak.memory;
    row.peak_disk_bytes = dataset.at_peak.disk;
    for (const auto& [executor, bytes] : dataset.by_executor) {
      row.executors.push_back({std::string(names[executor]), bytes.memory, bytes.disk});
    }
    std::sort(row.executors.begin(), row.executors.end(), [](const ReportCachedShare& a, const ReportCachedShare& b) {
      return std::tuple(b.memory_bytes, b.disk_bytes, a.executor_id) < std::tuple(a.memory_bytes, a.disk_bytes, b.executor_id);
    });
    if (row.executors.size() > kExecutorsShown) row.executors.resize(kExecutorsShown);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const ReportCachedData& a, const ReportCachedData& b) {
    return std::pair(a.peak_memory_bytes, a.peak_disk_bytes) > std::pair(b.peak_memory_bytes, b.peak_disk_bytes);
  });
  if (rows.size() > most) rows.resize(most);
  return rows;
}

std::vector<ReportBroadcast> CachedData::Broadcasts(size_t most) const {
  std::vector<ReportBroadcast> rows;
  for (const auto& [key, dataset] : datasets_) {
    if (!key.first || dataset.blocks_at_peak == 0) continue;
    rows.push_back({key.second, dataset.largest_copy_bytes, dataset.at_peak.memory, dataset.at_peak.disk, dataset.now.memory,
                    dataset.driver_peak_bytes});
  }
  std::stable_sort(rows.begin(), rows.end(), [](const ReportBroadcast& a, const ReportBroadcast& b) { return a.bytes > b.bytes; });
  if (rows.size() > most) rows.resize(most);
  return rows;
}

size_t CachedData::Keep(size_t keep) {
  if (datasets_.size() <= keep) return 0;
  std::vector<std::tuple<uint64_t, uint64_t, DatasetKey>> order;
  for (const auto& [key, dataset] : datasets_) order.emplace_back(dataset.at_peak.memory, dataset.at_peak.disk, key);
  std::sort(order.begin(), order.end(), std::greater<>());
  for (size_t i = keep; i < order.size(); ++i) {
    const DatasetKey key = std::get<DatasetKey>(order[i]);
    const BlockKey first{key.first, key.second, std::numeric_limits<int32_t>::min(), 0};
    const BlockKey last{key.first, key.second, std::numeric_limits<int32_t>::max(), std::numeric_limits<uint32_t>::max()};
    if (key.first) pieces_ -= datasets_.at(key).blocks;
    blocks_.erase(blocks_.lower_bound(first), blocks_.upper_bound(last));
    datasets_.erase(key);
    if (key.first) --broadcasts_;
  }
  return order.size() - keep;
}

}  // namespace memprof
