// A container, its processes and their heaps: a part of the report model (report/model.h), same rules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/site_model.h"
#include "report/stage_model.h"
#include "timeline/time_sample.h"

namespace memprof {

struct ReportNamedBytes {
  std::string name;
  uint64_t bytes = 0;
};

struct ReportRegion {
  std::string name;
  std::optional<uint64_t> budget_bytes, peak_bytes;
};

// Spark's memory of one mode over an executor's life. Each figure is its own peak, except those of the last look.
struct ReportSparkPool {
  ReportPoolMoment last;
  int64_t last_ms = 0;
  uint64_t storage_pool_bytes = 0;  // at the last look: what storage may take without borrowing more
  uint64_t storage_peak_bytes = 0, execution_peak_bytes = 0;
  // What each of the two took beyond its own share, and the part of storage that execution could not evict; nothing where storage's own
  // share isn't known.
  std::optional<uint64_t> storage_borrowed_peak_bytes, execution_borrowed_peak_bytes, unevictable_peak_bytes;
};

// What importing a top-level module has allocated since profiling began and is still live.
struct ReportImport {
  std::string name;
  uint64_t live_bytes = 0;          // by the module's own code
  uint64_t with_imports_bytes = 0;  // and by what it imported in turn
};

// What a Python process holds before and beside its tasks' own data.
struct ReportBaseline {
  uint64_t start_rss_bytes = 0;                  // when profiling began in it
  std::optional<uint64_t> first_task_rss_bytes;  // when the code of its first task began
  std::vector<ReportImport> modules;             // most live bytes first
};

struct ReportProcess {
  int32_t pid = 0;
  std::optional<uint64_t> start_ticks;  // with the pid its name (same_process.h)
  std::string kind;
  uint64_t peak_rss_bytes = 0;
  std::vector<ReportNamedBytes> rows;
  int64_t unattributed_bytes = 0;          // rss - rows, never a row
  std::optional<uint64_t> rows_rss_bytes;  // RSS when the rows were measured, where that isn't the peak itself
  std::optional<int64_t> last_task_attempt_id;
  bool alive = false;
  std::optional<ReportBaseline> baseline;
  std::string name;  // of a program; empty: not known, or withheld
};

struct ReportMoment {
  int64_t time_ms = 0;
  uint64_t used_bytes = 0;
  std::vector<ReportNamedBytes> regions;
  std::vector<ReportProcess> processes;  // peak_rss_bytes: at this moment
  std::vector<int64_t> active_tasks;
  // Pages in several processes, which are counted in each: sum of RSS - sum of PSS, as read `shared_age_ms` before.
  std::optional<uint64_t> shared_bytes;
  std::optional<int64_t> shared_age_ms;
  int64_t unattributed_bytes = 0;  // used_bytes - processes; where a cgroup's use counts, + shared_bytes
};

// An executor's life: what it held at moments, in their order.
struct ReportTimeLine {
  std::vector<TimeSample> samples;
  uint64_t thinned = 0;  // samples that were dropped; of neighbouring samples, the one of the largest use stayed
};

// A call site's share of what a heap retains.
struct ReportRetainedSite {
  uint64_t retained_bytes = 0, objects = 0;
  std::optional<uint64_t> error_bytes;             // two standard deviations
  std::optional<int32_t> stage_id, stage_attempt;  // of the task that made the objects
  std::string thread;                              // its normalised name, where no task made them
  std::vector<ReportFrame> frames;                 // outermost call first
};

// What was still reachable in a JVM's heap when a collector last marked all of it.
struct ReportRetained {
  int64_t time_ms = 0;
  std::string collection;  // collector and cause
  uint64_t heap_used_after_bytes = 0;
  std::optional<uint64_t> heap_max_bytes;
  uint64_t total_bytes = 0;
  std::optional<uint64_t> error_bytes;
  std::vector<ReportRetainedSite> sites;  // largest first
  uint64_t other_sites = 0, other_bytes = 0;
};

// A call site's share of the off-heap or native memory that no running task holds.
struct ReportLeftSite {
  Origin origin = Origin::kJvmOffHeap;
  uint64_t bytes = 0, blocks = 0;
  std::optional<uint64_t> error_bytes;  // two standard deviations; 0: every block was counted
  std::optional<int32_t> stage_id;      // of the tasks that allocated it, which have ended
  std::string thread;                   // where no task did: the thread's service or normalised name
  std::vector<ReportFrame> frames;      // outermost call first
};

// Off-heap or native memory that no running task holds, when it was most.
struct ReportLeftMemory {
  int64_t time_ms = 0;
  uint64_t total_bytes = 0;
  std::vector<ReportLeftSite> sites;  // heaviest first
  uint64_t other_bytes = 0;
};

// A class whose objects took much of a full heap.
struct ReportHeapClass {
  std::string name;
  uint64_t bytes = 0, objects = 0;
};

// A JVM's heap when it had no room for what a thread asked for.
struct ReportHeapShortage {
  int64_t time_ms = 0;
  std::string error, thread;                           // the JVM's words (empty: not known); the thread that asked
  uint64_t errors = 0;                                 // of this kind in the JVM so far
  std::optional<uint64_t> total_bytes, total_objects;  // of all objects, unreachable ones included; nothing: not looked at
  bool cut_short = false;                              // only a part was looked at
  std::vector<ReportHeapClass> classes;                // most bytes first
  uint64_t other_classes = 0, other_bytes = 0;
  std::vector<ReportNamedBytes> regions;  // of the heap as Spark divides it
};

// What a garbage collector has done since its executor's start.
struct ReportCollector {
  std::string collector;  // its MXBean's name
  bool stops_the_world = true;
  uint64_t collections = 0, total_ms = 0, longest_ms = 0;
  uint64_t longest_before_bytes = 0, longest_after_bytes = 0, last_before_bytes = 0, last_after_bytes = 0;  // of the heap
  std::vector<std::pair<std::string, uint64_t>> causes;
  std::optional<double> percent;  // of the executor's time, total_ms
};

// What a heap had in use directly after a collection.
struct ReportHeapUse {
  uint64_t bytes = 0;
  std::string collection;  // collector and cause
  int64_t time_ms = 0;
  bool whole_heap = false;  // not of the young generation alone
};

// Pages of its processes that lay in swap.
struct ReportSwap {
  uint64_t peak_bytes = 0;        // the most at one moment
  uint64_t beside_jvm_bytes = 0;  // of it, of other processes than the JVM
  uint64_t left_bytes = 0;        // what more might have gone there, as last read
};

// Of stage-level scheduling: what it asks for counts instead of the settings.
struct ReportResourceProfile {
  enum Request : uint8_t { kMemory = 1, kMemoryOverhead = 2, kPysparkMemory = 4, kOffHeap = 8, kCores = 16 };
  int32_t id = 0;                           // 0: the default one, which the settings make
  uint32_t requests = 0;                    // of Request
  uint32_t task_cpus = 0;                   // 0: spark.task.cpus counts
  std::optional<uint64_t> pyspark_bytes{};  // it asks for, whether or not the cluster manager reserves them

  bool AsksFor(Request request) const { return id != 0 && (requests & request) != 0; }
};

struct ReportExecutor {
  std::string id, host;
  std::optional<uint64_t> limit_bytes;
  std::string limit_source;  // cgroup, spark, host
  bool limit_shared = false, limit_enforced = true;
  bool limit_unseen = false;                   // a container may limit it lower, which can't be seen from inside
  bool kills_itself_on_out_of_memory = false;  // its JVM, by SIGKILL: -XX:OnOutOfMemoryError
  std::optional<uint64_t> requested_bytes, host_memory_bytes;
  bool host_is_group = false;  // that is the limit of its NodeManager's control group, which has other containers in it, too
  std::optional<uint64_t> heap_max_bytes, direct_peak_bytes;
  std::optional<ReportHeapUse> heap_after_gc, heap_after_gc_peak;  // after the last collection; the largest
  std::optional<int64_t> cores;
  ReportResourceProfile resource_profile;
  std::optional<ReportSwap> swap;  // no value: its host has none
  std::vector<ReportRegion> regions;
  std::vector<ReportSparkPool> spark_pools;
  std::optional<uint64_t> unroll_peak_bytes;  // of storage in all pools, blocks that were not stored yet
  std::vector<ReportProcess> processes;
  std::optional<ReportMoment> at_peak;
  std::optional<ReportTimeLine> time_line;
  std::optional<ReportRetained> retained;
  std::optional<ReportLeftMemory> left_off_heap;
  std::optional<ReportLeftMemory> left_native;         // of JNI libraries' malloc
  std::optional<ReportHeapShortage> nearly_full_heap;  // its last look at a heap that stayed nearly full
  std::vector<ReportCollector> gc;
  std::optional<uint64_t> gc_stopped_ms;
  std::optional<double> gc_percent;  // of its time so far, that is
  std::optional<int64_t> added_ms, removed_ms;
  std::string removed_reason;
  std::string java_version, agent_loaded;
};

}  // namespace memprof
