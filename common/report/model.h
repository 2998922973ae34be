// The report model: what the store computes once and every view shows. It is docs/report.schema.json as C++ values.
//
// Units: bytes and epoch milliseconds. An absent optional means "not measured"; a measured zero is a value. Field names
// are the JSON's (without the unit suffix where the type says it). Plain values, no locks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/origin.h"

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
  std::optional<int32_t> stage_id;      // in a post-mortem, whose sites are of several stages
};

// All that one line of Python is charged with: sites whose innermost frame of the user's own code it is.
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

// What did not get a site of its own, and the whole it belongs to: sites + remainder = total, for each origin.
struct ReportOriginSum {
  Origin origin = Origin::kUnknown;
  uint64_t sites = 0;
  uint64_t allocated_bytes = 0, allocations = 0;
  std::optional<uint64_t> live_at_peak_bytes;  // the largest of any one task
};

// Arrow's memory pool by pyarrow's own counters, whichever allocator is behind it; each figure is the largest of any one task.
struct ReportArrowPool {
  std::optional<uint64_t> peak_bytes;   // of tasks that raised their process's maximum
  std::optional<uint64_t> end_bytes;    // at a task's end
  std::optional<int64_t> growth_bytes;  // from a task's beginning to its end
};

struct ReportSiteGroup {
  uint64_t tasks = 0;
  std::vector<ReportSite> sites;
  std::vector<ReportLine> lines;  // of Python code, heaviest first
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

struct ReportStage : ReportSiteGroup {
  int32_t stage_id = 0, attempt = 0;
  std::string name, call_site;
  std::string status;  // running, complete, failed, unknown
  std::string failure_reason;
  std::optional<int64_t> submitted_ms, completed_ms;
  std::optional<uint64_t> partitions;
  uint64_t profiled_tasks = 0;  // of `tasks`, those whose profile arrived
  uint64_t partial_tasks = 0;   // of these, those with a session still open at the end of the task
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

struct ReportExecutor {
  std::string id, host;
  std::optional<uint64_t> limit_bytes;
  std::string limit_source;  // cgroup, spark, host
  bool limit_shared = false, limit_enforced = true;
  std::optional<uint64_t> requested_bytes, host_memory_bytes;
  std::optional<uint64_t> heap_max_bytes, heap_used_peak_bytes, direct_peak_bytes;
  std::optional<int64_t> cores;
  std::vector<ReportRegion> regions;
  std::vector<ReportProcess> processes;
  std::optional<ReportMoment> at_peak;
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

// Of a process whose address space is bounded, when memory was refused to it.
struct ReportAddressSpace {
  std::optional<uint64_t> limit_bytes;  // RLIMIT_AS; nothing: there was none
  uint64_t virtual_bytes = 0;           // what it had reserved
  uint64_t resident_bytes = 0;          // how much of that was in memory
  uint64_t refused_bytes = 0;           // what it asked for then
};

struct ReportPostMortem {
  std::string executor_id;
  std::string process;  // jvm, python-worker, container, python-driver
  std::optional<int32_t> pid, exit_code;
  std::string how;       // the evidence
  std::string headline;  // one sentence
  std::string reason;    // Spark's own words
  bool out_of_memory = false;
  int64_t time_ms = 0;
  std::optional<uint64_t> limit_bytes, used_bytes;  // used: at the last sample
  std::optional<int64_t> last_sample_age_ms;
  std::optional<int32_t> stage_id;
  std::optional<int64_t> task_attempt_id;
  std::optional<ReportAddressSpace> address_space;
  std::vector<ReportFrame> stack;        // where it died, or where memory was refused; outermost call first
  std::vector<ReportProcess> processes;  // at the last sample
  std::vector<ReportSite> sites;         // live_at_peak_bytes: live at the last sample
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

// Stages that have no row: beyond the heaviest, or let go by the store.
struct ReportOtherStages {
  uint64_t stages = 0, tasks = 0, other_attempts = 0;
  std::vector<ReportOriginSum> totals;
};

// Executors that have no row: beyond those that used most, or let go by the store after their end.
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
  std::vector<std::pair<std::string, uint64_t>> counters;
  std::vector<ReportNotAvailable> not_available;
};

}  // namespace memprof
