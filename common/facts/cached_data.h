// CachedData: blocks of cached RDDs and tables and of broadcast variables, as executors report them to the driver's block
// manager. Spark reports a block's current size, so the last report of each block is kept, and sums of them for every dataset.
// Bounded: beyond kMostBlocks blocks of data, or as many pieces of broadcast variables, new blocks are only counted, and so are
// those of an executor beyond kMostExecutors that have not been removed. A dataset beyond kMostDatasets, or a variable beyond
// kMostBroadcasts, replaces the lightest that has no block any more. Events that Spark's listener bus drops are missed. Used under the
// store's mutex.
#pragma once

#include <cstdint>
#include <map>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "report/model.h"

namespace memprof {

// As Spark's StorageLevel has it.
struct StorageLevel {
  bool disk = false, memory = false, off_heap = false, deserialized = false;
  int replication = 1;
};

struct CachedBlock {
  bool of_broadcast = false;  // else of an RDD
  int64_t dataset = 0;        // id of the RDD or of the broadcast variable
  int32_t part = 0;           // partition or piece
};

// The dataset that held most of one mode's memory, at one moment.
struct LargestCached {
  int64_t rdd_id = -1;  // -1: none was cached
  uint64_t bytes = 0;
  uint64_t of_bytes = 0;         // all cached data and broadcast variables in that mode, over all executors
  uint64_t broadcast_bytes = 0;  // of these, broadcast variables
};

class CachedData {
 public:
  static constexpr size_t kMostBlocks = 65'536, kMostDatasets = 512, kMostBroadcasts = 4096, kMostExecutors = 10'000;

  explicit CachedData(std::pmr::memory_resource* memory) : executors_(memory), blocks_(memory), datasets_(memory) {}

  // An RDD that is to be cached; may be called again for the same RDD.
  void Describe(int rdd_id, std::string_view name, std::string_view call_site, const StorageLevel& level, int partitions);
  void Update(const CachedBlock& block, std::string_view executor_id, uint64_t memory_bytes, uint64_t disk_bytes);  // 0 and 0: removed
  void Unpersisted(int rdd_id);
  void ExecutorRemoved(std::string_view executor_id);

  LargestCached Largest(bool off_heap) const;
  LargestCached LargestIn(std::string_view executor_id, bool off_heap) const;  // sums of that executor alone
  std::string NameOf(int64_t rdd_id) const;                                    // "" = not known

  // Those that held most memory at their peaks first.
  std::vector<ReportCachedData> Rows(size_t most) const;
  std::vector<ReportBroadcast> Broadcasts(size_t most) const;

  // Forgets all but the `keep` heaviest datasets and variables. Returns how many were forgotten.
  size_t Keep(size_t keep);
  uint64_t dropped_blocks() const { return dropped_blocks_; }
  uint64_t dropped_datasets() const { return dropped_datasets_; }  // replaced by others

 private:
  using DatasetKey = std::pair<bool, int64_t>;                    // of a broadcast, id
  using BlockKey = std::tuple<bool, int64_t, int32_t, uint32_t>;  // and part and executor
  struct Bytes {
    uint64_t memory = 0, disk = 0;
  };
  struct Dataset {
    explicit Dataset(std::pmr::memory_resource* memory) : name(memory), call_site(memory), by_executor(memory) {}
    std::pmr::string name, call_site;
    StorageLevel level;
    int32_t partitions = -1;                  // -1: never described
    Bytes now, at_peak;                       // at_peak: when most memory was taken, or without any, most disk
    uint64_t blocks = 0, blocks_at_peak = 0;  // a copy is a block, too
    uint64_t parts = 0, parts_at_peak = 0;    // that have a block
    uint64_t largest_copy_bytes = 0;          // of one executor, memory and disk
    uint64_t driver_peak_bytes = 0;           // of the driver's
    std::pmr::map<uint32_t, Bytes> by_executor;
  };

  std::optional<uint32_t> Executor(std::string_view id);
  Dataset* Find(const DatasetKey& key);
  void Apply(const BlockKey& key, Bytes bytes);
  bool MakeRoom(bool for_broadcast);
  bool HasOtherCopy(std::pmr::map<BlockKey, Bytes>::const_iterator block) const;

  std::pmr::map<std::pmr::string, uint32_t, std::less<>> executors_;
  std::pmr::map<BlockKey, Bytes> blocks_;
  std::pmr::map<DatasetKey, Dataset> datasets_;
  std::optional<uint32_t> driver_;  // of executors_
  uint32_t next_executor_ = 0;      // numbers are not used again
  size_t broadcasts_ = 0;           // of datasets_
  size_t pieces_ = 0;               // of blocks_, those of broadcast variables
  uint64_t dropped_blocks_ = 0, dropped_datasets_ = 0;
};

// "MEMORY_AND_DISK_SER", with "_2" where each block is kept twice.
std::string StorageLevelName(const StorageLevel& level);

// Its name for people: "orders" for a table, otherwise the first line of the RDD's name or plan.
std::string_view CachedName(std::string_view rdd_name);

}  // namespace memprof
