// The report model: what the store computes once and every view shows. It is docs/report.schema.json as C++ values.
//
// Units: bytes and epoch milliseconds. An absent optional means "not measured"; a measured zero is a value. Field names
// are the JSON's (without the unit suffix where the type says it). Plain values, no locks.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/origin.h"
#include "report/driver_model.h"
#include "timeline/time_sample.h"

namespace memprof {

inline constexpr int kReportSchemaVersion = 1;

struct ReportFrame {
  Language language = Language::kUnknown;
  std::string function, file, module;  // empty = unknown
  uint32_t line = 0;                   // 0 = unknown
  // Native frames that no symbol has named yet; enough to complete them elsewhere.
  std::string build_id;
  std::optional<uint64_t> offset;

  bool operator==(const ReportFrame&) const = default;
  auto operator<=>(const ReportFrame&) const = default;
};

struct ReportUdf {
  std::string name, kind, file;
  uint32_t line = 0;

  bool operator==(const ReportUdf&) const = default;
  auto operator<=>(const ReportUdf&) const = default;
};

struct ReportSite {
  Origin origin = Origin::kUnknown;
  std::optional<ReportUdf> udf;
  uint64_t tasks = 0;
  uint64_t allocated_bytes = 0, allocations = 0;
  std::optional<uint64_t> live_at_peak_bytes, resident_at_peak_bytes, live_at_end_bytes, retained_bytes;
  bool sampled = false;
  std::optional<uint64_t> error_bytes;  // two standard deviations
  std::vector<ReportFrame> frames;      // outermost call first, allocation last
  std::string spark_operator;           // of the JVM's: the part of Spark's engine that it is for; empty = none
  std::optional<uint32_t> asked_by;     // of the JVM's: the innermost frame that is neither Spark's nor the JDK's, by index
  std::optional<int32_t> stage_id;      // in a post-mortem, whose sites are of several stages
};

// All memory charged to one line of Python: the sites whose innermost frame of the user's own code is this line.
struct ReportLine {
  std::optional<ReportUdf> udf;
  std::string function, file;  // empty: memory without a Python frame
  uint32_t line = 0;
  std::string source;  // its text; empty: not known, or not to be shown
  uint64_t tasks = 0;
  uint64_t allocated_bytes = 0, allocations = 0;
  std::optional<uint64_t> live_at_peak_bytes, resident_at_peak_bytes, live_at_end_bytes;
  bool sampled = false;
  std::optional<uint64_t> error_bytes;
  std::vector<uint32_t> sites;  // indexes into the group's sites, heaviest first; those without a row are missing
};

// The remainder (what has no site of its own) or the total of an origin: sites + remainder = total.
struct ReportOriginSum {
  Origin origin = Origin::kUnknown;
  uint64_t sites = 0;
  uint64_t allocated_bytes = 0, allocations = 0;
  std::optional<uint64_t> live_at_peak_bytes;  // the largest of any one task
};

// What the JVM's sites of one part of Spark's engine allocated, including sites without a row.
struct ReportOperator {
  std::string name;
  Origin origin = Origin::kUnknown;
  uint64_t sites = 0;
  uint64_t allocated_bytes = 0, allocations = 0;
};

// Arrow's memory pool by pyarrow's own counters, for every allocator behind it; each figure is the largest of any one task.
struct ReportArrowPool {
  std::optional<uint64_t> peak_bytes;   // of tasks that raised their process's maximum
  std::optional<uint64_t> end_bytes;    // at a task's end
  std::optional<int64_t> growth_bytes;  // from a task's beginning to its end
};

// What the tasks of one UDF were charged with.
struct ReportUdfShare {
  std::optional<ReportUdf> udf;  // nothing: outside any
  uint64_t tasks = 0;
  uint64_t allocated_bytes = 0, allocations = 0;
  std::optional<uint64_t> live_at_peak_bytes, resident_at_peak_bytes, live_at_end_bytes;  // each the largest of any one task
  bool sampled = false;
  std::optional<uint64_t> error_bytes;
};

struct ReportSiteGroup {
  uint64_t tasks = 0;
  std::vector<ReportUdfShare> udfs;  // that held most first
  std::vector<ReportSite> sites;
  std::vector<ReportLine> lines;          // of Python code, heaviest first
  std::vector<ReportOperator> operators;  // heaviest first
  std::vector<ReportOriginSum> remainders, totals;
  ReportArrowPool arrow_pool;
};

struct ReportTaskError {
  std::string message;  // first line
  uint64_t tasks = 0;
};

struct ReportOtherAttempts : ReportSiteGroup {
  uint64_t failed = 0, killed = 0, lost = 0, superseded = 0;
  uint64_t unknown = 0;                 // their end was not reported (yet): running, or the event was lost
  std::vector<ReportTaskError> errors;  // most frequent first
};

// What one class of consumers held of Spark's execution memory.
struct ReportMemoryConsumer {
  std::string name;       // its Java class
  std::string operation;  // what it is for; empty: not known
  bool off_heap = false;
  uint64_t tasks = 0;       // that had it
  uint64_t peak_bytes = 0;  // the largest of any one task, as sampled
};

// Spark's memory of one mode in one executor, at one moment.
struct ReportPoolMoment {
  bool off_heap = false;
  uint64_t max_bytes = 0;                        // of storage and execution together
  std::optional<uint64_t> storage_region_bytes;  // storage's own share, from which execution evicts nothing
  uint64_t storage_bytes = 0, execution_bytes = 0;
};

// What the counted tasks of a stage had of Spark's memory.
struct ReportStageMemory {
  std::vector<ReportMemoryConsumer> consumers;                       // most bytes first
  std::optional<uint64_t> peak_execution_bytes;                      // the largest of any one task, by Spark's own metric
  std::optional<uint64_t> spilled_memory_bytes, spilled_disk_bytes;  // sums
  uint64_t tasks_spilled = 0;
  std::vector<ReportPoolMoment> fullest;  // one for each mode: when most was taken while a task of the stage ran
};

// What is known of a task in figures, in the order of report.json's columns (words.h names them).
enum class TaskFigure : uint8_t {
  kDurationMs,
  kGcMs,
  kPythonLiveAtPeak,
  kPythonAllocated,
  kHeapAllocated,
  kOffHeapLiveAtPeak,
  kPeakExecution,
  kSpilledMemory,
};
inline constexpr size_t kTaskFigures = 8;
inline constexpr uint64_t kNoTaskFigure = UINT64_MAX;  // of a task's figure
using TaskFigures = std::array<uint64_t, kTaskFigures>;

enum class ReportTaskStatus : uint8_t { kCounted, kFailed, kKilled, kLost, kSuperseded, kUnknown };
inline constexpr size_t kTaskStatuses = 6;

// One attempt of a task.
struct ReportTask {
  int64_t task_attempt_id = 0;
  int32_t partition = -1, attempt = -1;  // -1: not known
  ReportTaskStatus status = ReportTaskStatus::kUnknown;
  std::string executor_id;
  std::optional<int64_t> launched_ms;
  TaskFigures figures{};
};

// One figure over the counted tasks of a stage that have it.
struct ReportDistribution {
  TaskFigure figure = TaskFigure::kDurationMs;
  uint64_t tasks = 0;
  std::array<uint64_t, 5> quantiles{};  // least, lower quartile, median, upper quartile, largest
  std::optional<double> skew;           // largest / median
};

struct ReportStage : ReportSiteGroup {
  int32_t stage_id = 0, attempt = 0;
  std::string name, call_site;
  std::string status;  // running, complete, failed, unknown
  std::string failure_reason;
  std::optional<int64_t> submitted_ms, completed_ms;
  std::optional<uint64_t> partitions;
  uint64_t profiled_tasks = 0;  // of `tasks`, those whose profile arrived
  uint64_t partial_tasks = 0;   // of these, those with a session still open at the end of the task
  ReportStageMemory memory;
  std::vector<ReportTask> task_rows;  // all attempts that are known one by one, heaviest first; a file may show fewer
  uint64_t task_rows_known = 0;       // how many there were before any was cut
  std::vector<ReportDistribution> distributions;
  ReportOtherAttempts other_attempts;
};

struct ReportRow {
  std::string name;
  uint64_t bytes = 0;
};

struct ReportRegion {
  std::string name;
  std::optional<uint64_t> budget_bytes, peak_bytes;
};

// Spark's memory of one mode over an executor's life: each figure at its own peak, except the last one.
struct ReportSparkPool {
  ReportPoolMoment last;
  int64_t last_ms = 0;
  uint64_t storage_pool_bytes = 0;  // when last read: what storage may take without borrowing more
  uint64_t storage_peak_bytes = 0, execution_peak_bytes = 0;
  // Where storage's own share is known: what either took beyond its own share, and what of storage execution could not evict.
  std::optional<uint64_t> storage_borrowed_peak_bytes, execution_borrowed_peak_bytes, unevictable_peak_bytes;
};

// What importing a top-level module has allocated since profiling began and is still live.
struct ReportImport {
  std::string name;
  uint64_t live_bytes = 0;          // by the module's own code
  uint64_t with_imports_bytes = 0;  // and by what it imported in turn
};

// What a Python process holds besides its tasks' own data.
struct ReportBaseline {
  uint64_t start_rss_bytes = 0;                  // when profiling began in it
  std::optional<uint64_t> first_task_rss_bytes;  // when the code of its first task began
  std::vector<ReportImport> modules;             // most live bytes first
};

struct ReportProcess {
  int32_t pid = 0;
  std::string kind;
  uint64_t peak_rss_bytes = 0;
  std::vector<ReportRow> rows;
  int64_t unattributed_bytes = 0;          // rss - rows, never a row
  std::optional<uint64_t> rows_rss_bytes;  // RSS when the rows were measured, where that isn't the peak itself
  std::optional<int64_t> last_task_attempt_id;
  bool alive = false;
  std::optional<ReportBaseline> baseline;
};

struct ReportMoment {
  int64_t time_ms = 0;
  uint64_t used_bytes = 0;
  std::vector<ReportRow> regions;
  std::vector<ReportProcess> processes;  // peak_rss_bytes: at this moment
  std::vector<int64_t> active_tasks;
  int64_t unattributed_bytes = 0;
};

// An executor's life: what it held at moments, in their order.
struct ReportTimeLine {
  std::vector<TimeSample> samples;
  uint64_t thinned = 0;  // samples that were dropped; of neighbouring ones the one of the largest use stayed
};

// A call site's share of what a heap retains.
struct ReportRetainedSite {
  uint64_t retained_bytes = 0, objects = 0;
  std::optional<uint64_t> error_bytes;             // two standard deviations
  std::optional<int32_t> stage_id, stage_attempt;  // of the task that made the objects
  std::string thread;                              // its normalised name, where no task made them
  std::vector<ReportFrame> frames;                 // outermost call first
};

// What of a JVM's heap was still reachable when a collector had last marked all of it.
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

// A class of which a heap was full.
struct ReportHeapClass {
  std::string name;
  uint64_t bytes = 0, objects = 0;
};

// A JVM's heap when it could not satisfy a thread's request.
struct ReportHeapShortage {
  int64_t time_ms = 0;
  std::string error, thread;                           // the JVM's text (empty: not known); the thread that asked
  uint64_t errors = 0;                                 // of this kind in the JVM so far
  std::optional<uint64_t> total_bytes, total_objects;  // of all objects, unreachable ones included; nothing: the heap was not walked
  bool cut_short = false;                              // only a part was walked
  std::vector<ReportHeapClass> classes;                // most bytes first
  uint64_t other_classes = 0, other_bytes = 0;
  std::vector<ReportRow> regions;  // of the heap as Spark divides it
};

// What a garbage collector has done since its executor's start.
struct ReportCollector {
  std::string collector;  // its MXBean's name
  bool stops_the_world = false;
  uint64_t collections = 0, total_ms = 0, longest_ms = 0;
  uint64_t longest_before_bytes = 0, longest_after_bytes = 0, last_before_bytes = 0, last_after_bytes = 0;  // of the heap
  std::vector<std::pair<std::string, uint64_t>> causes;
};

struct ReportExecutor {
  std::string id, host;
  std::optional<uint64_t> limit_bytes;
  std::string limit_source;  // cgroup, spark, host
  bool limit_shared = false, limit_enforced = true;
  std::optional<uint64_t> requested_bytes, host_memory_bytes;
  std::optional<uint64_t> heap_max_bytes, heap_used_peak_bytes, direct_peak_bytes;
  std::optional<int64_t> cores;
  std::vector<ReportRegion> regions;
  std::vector<ReportSparkPool> spark_pools;
  std::vector<ReportProcess> processes;
  std::optional<ReportMoment> at_peak;
  std::optional<ReportTimeLine> time_line;
  std::optional<ReportRetained> retained;
  std::optional<ReportHeapShortage> nearly_full_heap;  // the last walk of a heap that stayed nearly full
  std::vector<ReportCollector> gc;
  std::optional<uint64_t> gc_stopped_ms;
  std::optional<int64_t> added_ms, removed_ms;
  std::string removed_reason;
  std::string java_version, agent_loaded;
};

// A line that leaves more behind with every task, in one worker.
struct ReportLeakWorker {
  std::string executor_id;
  int32_t pid = 0;
  uint64_t tasks = 0;                                                            // that ran the line's function, of those looked at
  uint64_t tasks_with_bytes = 0;                                                 // of these, after which it held any
  uint64_t per_task_bytes = 0, per_task_low_bytes = 0, per_task_high_bytes = 0;  // slope and its interval of 95 %
  uint64_t live_bytes = 0;                                                       // after the last task
};

struct ReportLeak {
  std::optional<ReportUdf> udf;
  std::string function, file;
  uint32_t line = 0;
  uint64_t workers = 0, live_bytes = 0;  // in which it grows, and what these hold in all
  ReportLeakWorker largest;              // the one of them that holds most
};

struct ReportAdvice {
  std::string conf, from, to;  // empty: no setting of Spark helps, `because` says what does
  std::string because;
};

// Address space of a process when memory was refused to it.
struct ReportAddressSpace {
  std::optional<uint64_t> limit_bytes;  // RLIMIT_AS; nothing: there was none
  uint64_t virtual_bytes = 0;           // what it had reserved
  uint64_t resident_bytes = 0;          // how much of that was in memory
  uint64_t refused_bytes = 0;           // what it asked for then
};

// A region of a container at a moment.
struct ReportRegionUse {
  std::string name;
  std::optional<uint64_t> budget_bytes, bytes;  // no bytes: not known
};

struct ReportPostMortem {
  std::string executor_id;
  std::string process;  // jvm, python-worker, container, python-driver
  std::optional<int32_t> pid, exit_code;
  std::string how;       // the evidence
  std::string headline;  // one sentence
  std::string reason;    // Spark's own words
  bool out_of_memory = false;
  bool survived = false;  // it ran out of memory, but did not die
  int64_t time_ms = 0;
  std::optional<uint64_t> limit_bytes, used_bytes;  // used: at the last sample
  std::optional<int64_t> last_sample_age_ms;
  std::optional<int32_t> stage_id;
  std::optional<int64_t> task_attempt_id;
  std::optional<int32_t> job_id;  // of a job that was aborted because of its results' size
  std::string action;             // of the driver's: the call site of the action that asked
  std::optional<ReportAddressSpace> address_space;
  std::vector<ReportFrame> stack;          // where it died, or where memory was refused; outermost call first
  std::vector<ReportProcess> processes;    // at the last sample
  std::vector<ReportRegionUse> regions;    // likewise
  std::vector<ReportSite> sites;           // live_at_peak_bytes: live at the last sample
  std::optional<ReportRetained> retained;  // of a JVM that ran out of heap
  std::optional<ReportHeapShortage> heap;  // likewise, where its agent had a last word
  std::vector<ReportAdvice> advice;
};

// The part of a cached dataset in one executor.
struct ReportCachedShare {
  std::string executor_id;
  uint64_t memory_bytes = 0, disk_bytes = 0;
};

// A cached RDD, table or DataFrame.
struct ReportCachedData {
  int64_t rdd_id = 0;
  std::string name, call_site;  // empty: not known, nor the next three
  std::string storage_level;
  bool deserialized = false, off_heap = false;
  std::optional<uint64_t> partitions;
  uint64_t blocks = 0, memory_bytes = 0, disk_bytes = 0;                 // as of now, or at the application's end
  uint64_t peak_blocks = 0, peak_memory_bytes = 0, peak_disk_bytes = 0;  // when most memory was taken
  std::vector<ReportCachedShare> executors;                              // as of now, most first
};

// A broadcast variable, by its serialised pieces.
struct ReportBroadcast {
  int64_t id = 0;
  uint64_t bytes = 0;                                   // of one whole copy
  uint64_t peak_memory_bytes = 0, peak_disk_bytes = 0;  // of all copies
  uint64_t memory_bytes = 0;                            // of all copies, as of now
  uint64_t driver_peak_bytes = 0;                       // of the copy in the driver, which makes most of them
};

// What is worth changing although nothing died.
struct ReportFinding {
  std::string headline;  // a sentence, with its arithmetic
  std::optional<int32_t> stage_id, attempt;
  std::vector<ReportAdvice> advice;
};

struct ReportNotAvailable {
  std::string what, why;
  auto operator<=>(const ReportNotAvailable&) const = default;
};

struct ReportApplication {
  std::string id, name, spark_version, python_version, master;
  std::optional<int64_t> started_ms, ended_ms;
};

struct ReportSampling {
  std::optional<uint64_t> jvm_interval_bytes, python_interval_bytes;
};

// Stages that have no row: lighter than those with one, or dropped by the store.
struct ReportOtherStages {
  uint64_t stages = 0, tasks = 0, other_attempts = 0;
  std::vector<ReportOriginSum> totals;
};

// Executors that have no row: they used less than those with one, or the store dropped them after their end.
struct ReportOtherExecutors {
  uint64_t executors = 0;
  std::optional<uint64_t> largest_used_bytes;  // of those whose peak is known
};

struct Report {
  bool unfinished = false;
  ReportApplication application;
  ReportSampling sampling;
  std::vector<ReportExecutor> executors;
  std::vector<ReportStage> stages;
  std::optional<ReportOtherExecutors> other_executors;
  std::optional<ReportOtherStages> other_stages;
  std::vector<ReportLeak> leaks;               // those that hold most first
  std::vector<ReportPostMortem> post_mortems;  // in the order of the deaths
  std::vector<ReportFinding> findings;         // worst first
  std::vector<ReportCachedData> cached_data;   // most memory first
  std::vector<ReportBroadcast> broadcasts;     // largest first
  std::optional<ReportDriver> driver;          // no job was seen: nothing
  std::vector<std::pair<std::string, uint64_t>> counters;
  std::vector<ReportNotAvailable> not_available;
};

}  // namespace memprof
