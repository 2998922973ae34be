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

#include "report/death_model.h"
#include "report/driver_model.h"
#include "report/executor_model.h"
#include "report/site_model.h"
#include "report/stage_model.h"

namespace memprof {

inline constexpr int kReportSchemaVersion = 1;
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
// The part of a cached dataset that is in one executor.
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
  std::string serializer;  // Spark's class that wrote it; empty: deserialized, or not known
  std::optional<uint64_t> partitions;
  uint64_t blocks = 0, memory_bytes = 0, disk_bytes = 0;                 // as of now, or at the application's end
  uint64_t peak_blocks = 0, peak_memory_bytes = 0, peak_disk_bytes = 0;  // when most memory was taken
  std::optional<uint64_t> peak_partitions;                               // that had a block then; of old reports not known
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
  std::string executor_id;  // empty: of no single one
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
  std::vector<ReportOtherDeath> other_deaths;  // newest first
  std::vector<ReportFinding> findings;         // worst first
  std::vector<ReportCachedData> cached_data;   // most memory first
  std::vector<ReportBroadcast> broadcasts;     // largest first
  std::optional<ReportDriver> driver;          // no job was seen: nothing
  std::vector<std::pair<std::string, uint64_t>> counters;
  std::vector<ReportNotAvailable> not_available;
};

}  // namespace memprof
