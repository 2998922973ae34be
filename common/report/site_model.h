// Stacks, call sites and lines of the user's code: a part of the report model (report/model.h), same rules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/origin.h"

namespace memprof {

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
  std::optional<uint64_t> live_at_peak_bytes, resident_at_peak_bytes, live_at_end_bytes;
  std::optional<uint64_t> retained_bytes;        // a lower bound: of executors that know it
  bool resident_in_part = false;                 // resident: a lower bound, of the large blocks; the pages of small ones are not looked up
  std::optional<uint64_t> resident_later_bytes;  // of resident: first seen when the peak had passed; nothing: none of it
  std::optional<int64_t> resident_age_ms;        // in a post-mortem: how long before the death pages were last looked up
  bool sampled = false;
  std::optional<uint64_t> error_bytes;  // two standard deviations
  std::vector<ReportFrame> frames;      // outermost call first, allocation last
  std::string spark_operator;           // of the JVM's: the part of Spark's engine that it is for; empty = none
  std::optional<uint32_t> asked_by;     // of the JVM's: the innermost frame that is neither Spark's nor the JDK's, by index
  std::optional<int32_t> stage_id;      // in a post-mortem, whose sites are of several stages
  std::string thread;                   // likewise, where no task allocated it: the thread's service or normalised name
  bool left_by_earlier_tasks = false;   // likewise, in the Python workers of the tasks that ran; allocated_bytes is what is left, too
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
  bool resident_in_part = false;
  std::optional<uint64_t> resident_later_bytes;
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

// What the JVM's sites of one part of Spark's engine allocated, those without a row included.
struct ReportOperator {
  std::string name;
  Origin origin = Origin::kUnknown;
  uint64_t sites = 0;
  uint64_t allocated_bytes = 0, allocations = 0;
};

// Arrow's memory pool by pyarrow's own counters, whichever allocator is behind it; each figure is the largest of any one task.
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
  bool resident_in_part = false;
  std::optional<uint64_t> resident_later_bytes;
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
  uint64_t unknown = 0;                       // their end was not reported (yet): running, or the event was lost
  std::vector<ReportTaskError> errors;        // most frequent first
  std::optional<uint64_t> other_error_tasks;  // with errors that are not among these
};

}  // namespace memprof
