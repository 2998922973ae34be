// EventLogReport: makes a report again from the parts that its application wrote into Spark's event log (event_parts.h). Parts
// come in any order; of one kind and id the newest counts. The report says what is missing: a truncated log, a lost part. A log
// is not trusted: its contents are bounded, and damaged parts are counted. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "report/model.h"

namespace memprof {

class EventLogReport {
 public:
  static constexpr size_t kMostBytes = 192u << 20;

  // `most_bytes`: of all parts. What comes when they are full is left out, and the report says so.
  explicit EventLogReport(size_t most_bytes = kMostBytes) : most_bytes_(most_bytes) {}

  // A part as its event has it. Unknown kinds are ignored: they come from a later version.
  void Add(std::string_view part, std::string_view id, int64_t schema_version, std::string_view text);

  // What Spark's own events say, in case the application's part is missing.
  void Started(std::string_view id, std::string_view name, int64_t time_ms);
  void SparkVersion(std::string_view version);
  void Ended(int64_t time_ms) { ended_ms_ = time_ms; }
  // `spark.plugins` of the application.
  void Plugins(std::string_view plugins);

  // Whoever adds the parts had no room for all of them; the report says so.
  void IsFull() { full_ = true; }
  // A part of ours that is larger than any that is written; the report says so.
  void Refused() { ++refused_; }

  // The log is truncated, and why; the report says so.
  void IsCut(std::string_view why) { cut_ = why; }

  // Files of the log are gone, and which; the report says so.
  void Lacks(std::string_view files) { lacking_ = files; }

  // kNotFound: the log has no parts of ours; kUnsupported: they are of a later version; kCorrupt: none can be read. Each says
  // what to do.
  Result<Report> Make() const;

 private:
  Status WhyNone(size_t damaged) const;

  std::map<std::pair<std::string, std::string>, std::string> parts_;  // text by kind and id
  size_t bytes_ = 0;                                                  // of the texts
  const size_t most_bytes_;
  bool full_ = false;          // there were parts for which there was no room
  uint64_t refused_ = 0;       // parts that are larger than any of ours
  int64_t newer_version_ = 0;  // of a part that can't be read
  std::string id_, name_, spark_version_, plugins_, cut_, lacking_;
  bool plugins_known_ = false;
  std::optional<int64_t> started_ms_, ended_ms_;
};

}  // namespace memprof
