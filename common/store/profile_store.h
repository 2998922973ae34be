// ProfileStore: the driver's store of what every executor sent. It is in native memory, accepts messages in any order and any
// number of times, and makes the report model that every view shows. Ordinary C++. Thread-safe: every function may be called from
// any thread; one mutex inside.
//
// Delivery: by task_attempt_id, the highest sequence wins. Accounting: a stage row is one stage attempt, its sums take
// the one successful attempt of each partition; all others are kept as `otherAttempts`. Bounds: `limit_bytes` of
// native memory; what is dropped is counted in the report's counters. Malformed input gives a Status and changes nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "facts/driver_events.h"
#include "postmortem/failure_note.h"
#include "store/metrics.h"

namespace memprof {

struct CachedBlock;
struct JobStart;
struct Report;
struct ReportEvent;
struct StorageLevel;

class ProfileStore {
 public:
  // `patience`: factor on the time that late messages have before a death is told, or a stage's part of the event log is made.
  explicit ProfileStore(uint64_t limit_bytes = 64u << 20, int patience = 1);
  ~ProfileStore();

  // A serialised memprof.proto.Envelope from merge, task end, heartbeat or RPC. `arrived`: now, if its executor has just sent it.
  Status Ingest(std::string_view envelope, const std::optional<Instant>& arrived = std::nullopt);

  // Events of the driver. Times are epoch milliseconds.
  void ApplicationStarted(std::string_view id, std::string_view name, std::string_view spark_version, std::string_view python_version,
                          std::string_view master, int64_t time_ms);
  void Configuration(const std::vector<std::pair<std::string, std::string>>& entries);  // spark.* as submitted; secrets already redacted
  void ExecutorAdded(const ExecutorAddition& executor);
  void ExecutorRemoved(std::string_view id, std::string_view reason, int64_t time_ms);
  // A setting that the stage's job ran with; of those that budgets and advice need.
  void StageSetting(int stage_id, const std::string& key, std::string_view value);
  void StageSubmitted(int stage_id, int attempt, std::string_view name, std::string_view call_site, int tasks, int64_t time_ms);
  void StageCompleted(int stage_id, int attempt, std::string_view failure_reason, int64_t time_ms);
  void TaskEnded(const TaskEnd& end);
  // Jobs and the results that they bring to the driver (facts/driver_actions.h). `failure` empty: the job succeeded. TaskResult: bytes
  // that a successful task has sent, of the stage whose results a job wants; its own profile, which is taken off, came before. QueryRows:
  // rows that a task has made of the query's result, or of a table to broadcast; nullopt: they will not be known.
  void QueryStarted(int64_t query_id, std::string_view call_site, int64_t time_ms);
  void JobStarted(const JobStart& job);
  void TaskResult(int stage_id, int64_t task_attempt_id, uint64_t bytes);
  void QueryRows(int64_t query_id, std::optional<uint64_t> rows, bool broadcast = false);
  void JobEnded(int job_id, std::string_view failure, int64_t time_ms);
  // Blocks of cached data and broadcast variables, and RDDs that are to be cached (facts/cached_data.h).
  void CachedRdd(int rdd_id, std::string_view name, std::string_view call_site, const StorageLevel& level, int partitions);
  void BlockUpdated(const CachedBlock& block, std::string_view executor_id, uint64_t memory_bytes, uint64_t disk_bytes);
  void RddUnpersisted(int rdd_id);
  void ApplicationEnding(int64_t time_ms);  // the driver's JVM begins to end: executors that end from now on are not lost
  void ApplicationEnded(int64_t time_ms);
  void NotAvailable(std::string_view what, std::string_view why);

  // True while sites that the report would show still wait for their native names.
  bool AwaitsSymbols() const;

  // The next death that has not been reported yet, as text of at most 30 lines; the same again until `PostMortemTold`, as there may be
  // no room to report it; "": none. Every death is reported once, a few seconds after it became known, to include late messages, and
  // again if its verdict changes; after the first twenty, deaths are counted in one line a minute. `all`: without any delay, when the
  // application ends. Cheap when nothing died.
  std::string NextPostMortem(int64_t now_ms, bool all);
  void PostMortemTold();

  // One sentence about the death that caused a failure (postmortem/failure_note.h); "" while no fitting death is known. Nothing:
  // the text doesn't speak of a death.
  std::optional<std::string> FailureNote(std::string_view failure, const std::optional<FailedJob>& job, int64_t now_ms) const;

  // Parts of the report that are to be written into Spark's event log now (store/event_writer.h), a megabyte at a time: call it until
  // there are none. `end`: for the last time.
  std::vector<ReportEvent> TakeEvents(int64_t now_ms, bool end, bool with_source);

  // For Spark's metrics system: store/metrics.h. Cheap beside the whole report.
  MetricValues Metrics() const;

  // The model, and its text: docs/report.schema.json. `unfinished` marks a checkpoint; `with_source`: with the text of source lines.
  Report Model(bool unfinished, bool with_source = true) const;
  // What one task held at its last sample (postmortem/post_mortems.h).
  std::vector<ReportSite> SitesHeldBy(int64_t task_attempt_id) const;
  std::string ReportJson(bool unfinished) const;

  ProfileStore(const ProfileStore&) = delete;
  ProfileStore& operator=(const ProfileStore&) = delete;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace memprof
