// Advice, and deaths with their post-mortems: a part of the report model (report/model.h), same rules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/executor_model.h"
#include "report/site_model.h"

namespace memprof {

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

// A region of a container at a moment.
struct ReportRegionUse {
  std::string name;
  std::optional<uint64_t> budget_bytes, bytes;  // no bytes: not known
};

struct ReportPostMortem {
  std::string executor_id;
  std::string process;  // jvm, python-worker, container, python-driver
  std::optional<int32_t> pid, exit_code;
  std::optional<uint64_t> start_ticks;  // of the process: with the pid its name (same_process.h)
  std::string how;                      // the evidence
  std::string headline;                 // one sentence
  std::string reason;                   // Spark's own words
  bool out_of_memory = false;
  bool unknown = false;          // nothing proves anything
  bool survived = false;         // it met the end of its memory, and lived on, as far as is known
  bool started_by_task = false;  // python-worker: not a worker, but a process that a task has started
  std::string program;           // likewise, and it ran no Python but this; empty: it was Python
  int64_t time_ms = 0;
  std::optional<uint64_t> limit_bytes, used_bytes;  // used: at the last sample
  std::optional<int64_t> last_sample_age_ms;
  std::optional<int32_t> stage_id;
  std::optional<int64_t> task_attempt_id;
  std::optional<int64_t> sites_of_attempt;  // that had failed before, for no task that ran has told of any site
  std::optional<int32_t> job_id;            // of one that was aborted for what it asked of the driver
  std::string action;                       // of the driver's: the call site of the action that asked
  std::optional<ReportAddressSpace> address_space;
  std::vector<ReportFrame> stack;          // where it died, or where memory was refused; outermost call first
  std::vector<ReportProcess> processes;    // at the last sample
  std::vector<ReportRegionUse> regions;    // likewise
  std::vector<ReportSite> sites;           // live_at_peak_bytes: live at the last sample
  std::optional<ReportRetained> retained;  // of a JVM that ran out of heap
  std::optional<ReportHeapShortage> heap;  // likewise, where its agent had a last word
  std::vector<ReportAdvice> advice;
};

// One that has no post-mortem of its own, because there are too many.
struct ReportOtherDeath {
  std::string key;  // DeathKey, of death_keys.h
  int64_t time_ms = 0;
  std::string executor_id;
  bool out_of_memory = false;
  std::string headline;  // without sites
  bool survived = false;
};

}  // namespace memprof
