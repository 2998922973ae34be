// What the store keeps: tasks, stages and executors, in interned form. Plain data, no rules; those are in delivery
// (which message counts), accounting (which attempt counts) and bounds (what is forgotten first).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/origin.h"
#include "facts/cached_data.h"
#include "facts/driver_events.h"
#include "facts/held_use.h"
#include "facts/interner.h"
#include "facts/interval_set.h"
#include "facts/remote_clock.h"
#include "facts/task_memory.h"
#include "report/model.h"
#include "timeline/time_samples.h"

namespace memprof {

inline constexpr size_t kOrigins = 5;
inline constexpr uint64_t kUnmeasured = UINT64_MAX;  // of a figure; real ones are bounded by kMaxFigure
inline constexpr double kUnknownVariance = -1;
inline constexpr uint64_t kMaxFigure = uint64_t{1} << 56;

struct SiteKey {
  StackId stack = 0;
  UdfId udf = 0;
  Origin origin = Origin::kUnknown;

  bool operator==(const SiteKey&) const = default;
};

struct SiteKeyHash {
  size_t operator()(const SiteKey& key) const {
    uint64_t hash = ((uint64_t{key.stack} << 32) | key.udf) * 0x9e3779b97f4a7c15u + static_cast<uint64_t>(key.origin);
    return hash ^ (hash >> 29);
  }
};

// Figures of one site: of one task, or of a stage (then `tasks` > 1, what was live or resident is the largest of one task).
struct SiteFigures {
  uint64_t allocated_bytes = 0, allocations = 0;
  uint64_t live_at_peak_bytes = kUnmeasured, resident_at_peak_bytes = kUnmeasured;
  uint64_t read_at_peak_bytes = 0;           // of live at peak: blocks whose pages were looked up
  uint64_t resident_later_bytes = 0;         // of resident at peak: first seen when the peak had passed
  uint64_t live_at_end_bytes = kUnmeasured;  // when its sessions were closed, or when it was last read
  double variance = 0;                       // of allocated, bytes²; 0 = exact
  double peak_variance = 0;                  // of live at the peak, likewise
  uint32_t tasks = 1;
  bool sampled = false;
  bool resident_in_part = false;  // of a task that was added
};

// A line of Python and the UDF it ran in.
struct LineKey {
  uint32_t frame = 0;  // index + 1; 0 = no Python frame
  UdfId udf = 0;

  bool operator==(const LineKey&) const = default;
};

struct LineKeyHash {
  size_t operator()(const LineKey& key) const {
    uint64_t hash = ((uint64_t{key.frame} << 32) | key.udf) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 29);
  }
};

struct InternedSite {
  SiteKey key;
  SiteFigures figures;
};

// Figures without a site: a profile's remainder, or what the store itself dropped.
struct OriginFigures {
  uint64_t sites = 0, allocated_bytes = 0, allocations = 0, live_at_peak_bytes = 0;
};

// What Arrow's memory pool held in a task's Python worker, by pyarrow's own counters.
struct ArrowPoolFigures {
  std::optional<uint64_t> peak_bytes, end_bytes;
  std::optional<int64_t> growth_bytes;  // from the task's beginning to its end

  // Combines several workers of a task, or several tasks: the largest of each.
  void Raise(const ArrowPoolFigures& other) {
    // Measured figures count as more than unmeasured ones.
    peak_bytes = std::max(peak_bytes, other.peak_bytes);
    end_bytes = std::max(end_bytes, other.end_bytes);
    growth_bytes = std::max(growth_bytes, other.growth_bytes);
  }
};

struct InternedCounter {
  StringId name = 0;
  uint64_t value = 0;
};

// An incident of a task's Python process (proto::Incident): a fatal signal, or memory that was refused.
struct InternedIncident {
  int32_t pid = 0, signal = 0;
  int64_t time_ms = 0;
  StackId stack = 0;
  uint64_t asked_bytes = 0, virtual_bytes = 0, resident_bytes = 0, limit_bytes = 0;  // of memory that was refused; limit 0: none
  bool started_by_task = false;                                                      // the process, which is then not a worker itself
  uint64_t start_ticks = 0;                                                          // of the process
};

// What a line of the user's code had left live in a Python process before the task, by the tasks that it had served.
struct InternedLeft {
  int32_t pid = 0;
  StackId stack = 0;
  uint64_t start_ticks = 0;  // of the process; 0 = of an older agent
  uint64_t live_bytes = 0;
};

struct InternedProfile {
  explicit InternedProfile(std::pmr::memory_resource* memory)
      : sites(memory), left(memory), udfs(memory), remainders(memory), counters(memory), incidents(memory), spark_memory(memory) {}

  uint64_t sequence = 0;
  int64_t taken_ms = 0;
  int64_t looked_ms = 0;  // when Python's pages were last looked up, of its open sessions the earliest, else of all; 0: not known
  uint64_t jvm_interval_bytes = 0, python_interval_bytes = 0;
  std::optional<uint64_t> gc_stopped_ms;  // how long collectors stopped its JVM while it ran
  bool final = false, partial = false;
  bool recovered = false;                          // of a dead executor: Python's figures are those at its end
  bool died() const { return !final || partial; }  // or still runs: its held memory is wanted
  std::pmr::vector<InternedSite> sites;
  std::pmr::vector<InternedLeft> left;  // in workers that died during the task, or are not done with it; none of it is in `sites`
  std::pmr::vector<UdfId> udfs;         // that ran, also those without a site
  std::pmr::vector<std::pair<Origin, OriginFigures>> remainders;
  std::pmr::vector<InternedCounter> counters;
  std::pmr::vector<InternedIncident> incidents;
  InternedTaskMemory spark_memory;
  ArrowPoolFigures arrow_pool;
};

struct TaskFacts {
  int32_t stage_id = -1, stage_attempt = -1, partition = -1;
  int32_t attempt = -1;  // of its partition; -1: not known
  bool ended = false;
  TaskOutcome outcome = TaskOutcome::kSucceeded;
  int64_t end_ms = 0, launched_ms = 0;  // 0: not known
  int64_t gc_ms = -1;                   // -1: likewise
  StringId error = 0, executor = 0;
  StringId fatal = 0;  // the error that Spark ends its executor for; 0: it failed of none
  std::optional<InternedProfile> profile;
  uint64_t message_bytes = 0;  // of its last profile, which came with its result
};

// How an attempt is accounted: it counts for its partition, or why it does not.
enum class Account : uint8_t { kCounted, kFailed, kKilled, kLost, kSuperseded, kUnknown };
inline constexpr size_t kAccounts = 6;

// A task's row of a report, kept after its detail was dropped.
struct FoldedTaskRow {
  int64_t task_attempt_id = 0, launched_ms = 0;
  int32_t partition = -1, attempt = -1;
  StringId executor = 0;
  Account account = Account::kUnknown;
  TaskFigures figures{};
};

struct StageKey {
  int32_t stage_id = 0, attempt = 0;
  auto operator<=>(const StageKey&) const = default;
};

// Sums of tasks whose detail was dropped.
struct FoldedTasks {
  explicit FoldedTasks(std::pmr::memory_resource* memory) : sites(memory), lines(memory), udfs(memory), spark_memory(memory) {}

  std::pmr::unordered_map<SiteKey, SiteFigures, SiteKeyHash> sites;
  std::pmr::unordered_map<LineKey, SiteFigures, LineKeyHash> lines;
  std::pmr::unordered_map<UdfId, SiteFigures> udfs;
  std::array<OriginFigures, kOrigins> remainders{};
  std::array<uint64_t, kOrigins> live_at_peak_bytes{};  // of all sites of one task, the largest
  uint32_t measured_live = 0;                           // bit (1 << origin): some task had a live figure
  ArrowPoolFigures arrow_pool;
  TaskMemorySums spark_memory;
};

struct StageFacts {
  explicit StageFacts(std::pmr::memory_resource* memory)
      : folded(memory), folded_others(memory), folded_partitions(memory), folded_errors(memory), folded_rows(memory) {}

  StringId name = 0, call_site = 0, failure_reason = 0;
  int32_t partitions = -1;
  bool submitted = false, completed = false;
  std::array<LargestCached, kMemoryModes> cached;  // when it completed
  int64_t submitted_ms = 0, completed_ms = 0;

  FoldedTasks folded;         // counted attempts
  FoldedTasks folded_others;  // the rest
  IntervalSet folded_partitions;
  uint64_t folded_profiled = 0, folded_partial = 0;
  std::array<uint64_t, kAccounts> folded_accounts{};
  std::pmr::map<StringId, uint64_t> folded_errors;
  uint64_t dropped_error_tasks = 0;  // of errors dropped for lack of room
  std::pmr::vector<FoldedTaskRow> folded_rows;
  uint64_t dropped_rows = 0;  // the lightest, dropped for lack of room
};

// Whether the kernel's count of kills, read after an end, says something about that end. That it did not rise always does. A rise that is
// read more than a minute later was probably by the end of somebody else. `before`: what the dead process knew of. Times in ms.
inline constexpr int64_t kTellsOfAnEndMs = 60'000;
inline bool TellsOfAnEnd(uint64_t count, uint64_t before, int64_t read_ms, int64_t end_ms) {
  return count <= before || read_ms <= end_ms + kTellsOfAnEndMs;
}

// The kernel's kills on a host since it was booted, as an executor has read them.
struct HostKills {
  std::string reader;  // its id
  uint64_t count = 0;
};

// What no running task held of off-heap or native memory: serialised proto::LeftMemory; empty = none came.
struct LeftMessages {
  explicit LeftMessages(std::pmr::memory_resource* memory) : latest(memory), peak(memory) {}

  std::pmr::string latest, peak;  // peak: the one with most bytes
};

struct ExecutorFacts {
  explicit ExecutorFacts(std::pmr::memory_resource* memory)
      : host(memory), removed_reason(memory), snapshot(memory), retained(memory), left_off_heap(memory), left_native(memory) {}

  std::pmr::string host;
  int32_t cores = -1;
  ReportResourceProfile resource_profile;
  int64_t heap_mib = -1, overhead_mib = -1, offheap_mib = -1, pyspark_mib = -1;
  bool added = false, removed = false;
  bool reported_by_jvm = false;  // removed because the driver's JVM itself reported its end, even if other things had ended before
  int64_t added_ms = 0, removed_ms = 0;
  RemoteClock clock;  // its messages have times of their own
  // In the order of the driver's events, whose clock may be set back; 0: not yet.
  uint64_t added_event = 0, removed_event = 0, task_lost_event = 0;
  int64_t last_success_ms = 0;          // of a task
  std::optional<int64_t> task_lost_ms;  // when the first task was lost that ran there
  std::pmr::string removed_reason;
  std::array<LargestCached, 2> cached_then;                  // on-heap and off-heap, when it was removed
  std::pmr::string snapshot;                                 // serialised proto::ExecutorSnapshot, all that came joined; empty = none came
  std::optional<uint64_t> peak_used_bytes, last_used_bytes;  // of its container, from the snapshot
  std::optional<uint64_t> peak_python_bytes;                 // the largest resident set of a Python process there, likewise
  std::optional<TimeSamples> life;                           // no sample came: nothing
  HeldUse held;                                              // of all samples
  std::optional<uint64_t> least_used_lately;                 // in the half minute before the last sample, if `life` was let go
  std::pmr::string retained;                                 // serialised proto::RetainedHeap, the latest; empty = none came
  LeftMessages left_off_heap, left_native;
  std::optional<HostKills> host_kills_after;  // read after its end by another executor on its host, or the driver
};

}  // namespace memprof
