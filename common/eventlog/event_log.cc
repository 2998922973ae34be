#include "eventlog/event_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <tuple>
#include <vector>

#include "eventlog/event_parts.h"
#include "report/cut.h"
#include "report/executor_order.h"
#include "report/fit_time_lines.h"
#include "report/json.h"
#include "report/many_deaths.h"
#include "report/row_bytes.h"
#include "report/units.h"

namespace memprof {
namespace {

constexpr size_t kMostTextBytes = kApplicationPartBytes;  // of one part; no other of ours may be larger
constexpr size_t kMostIdBytes = 1024;
constexpr size_t kShareOfRest = 12;  // one part in so many is kept for what is neither a stage nor an executor: it comes last, and is small
constexpr size_t kMostStages = 1000, kMostExecutors = 500;  // as in a report of the store
constexpr uint64_t kStageBytes = 9u << 20, kFewestBytesOfStage = 12u << 10;
constexpr const char* kPlugin = "org.sparkmemprof.MemoryProfilerPlugin";

uint64_t LiveOf(const ReportStage& stage) {
  uint64_t live = 0;
  for (const ReportOriginSum& total : stage.totals) live += total.live_at_peak_bytes.value_or(0);
  return live;
}

uint64_t AllocatedOf(const ReportStage& stage) {
  uint64_t allocated = 0;
  for (const ReportOriginSum& total : stage.totals) allocated += total.allocated_bytes;
  return allocated;
}

auto RankOf(const ReportStage& stage) {
  return std::tuple(stage.status == "failed", LiveOf(stage), AllocatedOf(stage), stage.stage_id, stage.attempt);
}

void AddTo(ReportOtherStages& others, const ReportStage& stage) {
  ++others.stages;
  others.tasks += stage.tasks;
  others.other_attempts += stage.other_attempts.tasks;
  for (const ReportOriginSum& total : stage.totals) {
    auto found = std::find_if(others.totals.begin(), others.totals.end(), [&](const auto& sum) { return sum.origin >= total.origin; });
    if (found == others.totals.end() || found->origin != total.origin) {
      others.totals.insert(found, total);
      continue;
    }
    found->sites += total.sites;
    found->allocated_bytes += total.allocated_bytes;
    found->allocations += total.allocations;
    if (total.live_at_peak_bytes) found->live_at_peak_bytes = std::max(found->live_at_peak_bytes.value_or(0), *total.live_at_peak_bytes);
  }
}

// Cuts the row's sites until it fits into `room`, but keeps at least three of each origin.
void FitStage(uint64_t room, ReportStage& stage) {
  for (size_t sites = 32; sites >= 4 && JsonBytes(stage) + JsonBytes(stage.other_attempts) > room; sites /= 2) {
    KeepHeaviest(sites, sites, stage);
    KeepHeaviest(sites / 4, sites / 4, stage.other_attempts);
  }
}

// A log has every stage with all its sites; a report is to stay readable and its file small.
void PutStages(std::vector<ReportStage> stages, Report& report) {
  std::sort(stages.begin(), stages.end(), [](const ReportStage& a, const ReportStage& b) { return RankOf(a) > RankOf(b); });
  ReportOtherStages others;
  const size_t rows = std::min(stages.size(), kMostStages);
  uint64_t left = kStageBytes;
  for (size_t i = 0; i < stages.size(); ++i) {
    if (i >= rows || left == 0) {
      AddTo(others, stages[i]);
      continue;
    }
    FitStage(std::max(kFewestBytesOfStage, std::min(left, 4 * left / (rows - i))), stages[i]);
    left -= std::min(left, 1900 + 220 * stages[i].memory.consumers.size() + JsonBytes(stages[i]) + JsonBytes(stages[i].other_attempts));
    report.stages.push_back(std::move(stages[i]));
  }
  std::sort(report.stages.begin(), report.stages.end(),
            [](const ReportStage& a, const ReportStage& b) { return std::pair(a.stage_id, a.attempt) < std::pair(b.stage_id, b.attempt); });
  if (others.stages == 0) return;
  report.other_stages = others;
  report.not_available.push_back({"rows of all stages", "a report shows the heaviest; the others are summed up in otherStages"});
}

void PutExecutors(std::vector<ReportExecutor> executors, Report& report) {
  auto use = [](const ReportExecutor& executor) { return executor.at_peak ? executor.at_peak->used_bytes : 0; };
  // The driver first: it keeps its row (UnmeasuredDriver).
  const auto rank = [&](const ReportExecutor& executor) { return std::pair(executor.id == "driver", use(executor)); };
  std::stable_sort(executors.begin(), executors.end(), [&](const auto& a, const auto& b) { return rank(a) > rank(b); });
  if (executors.size() > kMostExecutors) {
    ReportOtherExecutors& others = report.other_executors.emplace();
    others.executors = executors.size() - kMostExecutors;
    if (executors[kMostExecutors].at_peak) others.largest_used_bytes = use(executors[kMostExecutors]);
    executors.resize(kMostExecutors);
    report.not_available.push_back(
        {"rows of all executors", "a report shows those that used most; the others are counted in otherExecutors"});
  }
  std::sort(executors.begin(), executors.end(),
            [](const ReportExecutor& a, const ReportExecutor& b) { return ExecutorBefore(a.id, b.id); });
  FitTimeLines(executors);
  for (ReportExecutor& executor : executors) {
    if (executor.retained) KeepLargest(RetainedSitesShown(executors.size()), *executor.retained);
  }
  report.executors = std::move(executors);
}

// Removes a counter that is for the log's reader only, and returns it.
std::optional<uint64_t> TakeCounter(const char* name, Report& report) {
  auto found = std::find_if(report.counters.begin(), report.counters.end(), [&](const auto& counter) { return counter.first == name; });
  if (found == report.counters.end()) return std::nullopt;
  const uint64_t value = found->second;
  report.counters.erase(found);
  return value;
}

}  // namespace

void EventLogReport::Add(std::string_view part, std::string_view id, int64_t schema_version, std::string_view text) {
  if (schema_version > kReportSchemaVersion) {
    newer_version_ = std::max(newer_version_, schema_version);
    return;
  }
  if (part != kStagePart && part != kExecutorPart && part != kPostMortemPart && part != kApplicationPart) return;
  std::pair key(std::string(part), std::string(id.substr(0, kMostIdBytes)));
  auto known = parts_.find(key);
  const size_t had = known == parts_.end() ? 0 : known->second.size();
  if (text.size() > kMostTextBytes) {
    Refused();
    return;
  }
  const bool of_many = part == kStagePart || part == kExecutorPart;
  if (bytes_ - had + text.size() + key.second.size() > most_bytes_ - (of_many ? most_bytes_ / kShareOfRest : 0)) {
    full_ = true;
    return;
  }
  bytes_ += text.size() + (known == parts_.end() ? key.second.size() : 0) - had;
  parts_.insert_or_assign(std::move(key), std::string(text));
}

void EventLogReport::Started(std::string_view id, std::string_view name, int64_t time_ms) {
  id_ = id.substr(0, kMostIdBytes);
  name_ = name.substr(0, kMostIdBytes);
  started_ms_ = time_ms;
}

void EventLogReport::SparkVersion(std::string_view version) { spark_version_ = version.substr(0, kMostIdBytes); }

void EventLogReport::Plugins(std::string_view plugins) {
  plugins_ = plugins;
  plugins_known_ = true;
}

Result<Report> EventLogReport::Make() const {
  Report report;
  std::vector<ReportStage> stages;
  std::vector<ReportExecutor> executors;
  bool whole = false;
  size_t damaged = 0, read = 0;
  for (const auto& [key, text] : parts_) {
    std::optional<std::string> json = PartJson(text);
    Result<Report> part = json ? ReadReportJson(*json) : Result<Report>(Status::Error(ErrorCode::kCorrupt, "damaged"));
    if (!part.ok()) {
      ++damaged;
      continue;
    }
    ++read;
    if (key.first == kApplicationPart) {
      whole = !part->unfinished;
      std::vector<ReportPostMortem> deaths = std::move(report.post_mortems);
      report = std::move(*part);
      report.post_mortems = std::move(deaths);
      report.stages.clear();
      report.executors.clear();
    } else if (key.first == kStagePart) {
      std::move(part->stages.begin(), part->stages.end(), std::back_inserter(stages));
    } else if (key.first == kExecutorPart) {
      std::move(part->executors.begin(), part->executors.end(), std::back_inserter(executors));
    } else {
      std::move(part->post_mortems.begin(), part->post_mortems.end(), std::back_inserter(report.post_mortems));
    }
  }
  if (read == 0) return WhyNone(damaged);
  ReportApplication& application = report.application;
  if (application.id.empty()) application.id = id_;
  if (application.name.empty()) application.name = name_;
  if (application.spark_version.empty()) application.spark_version = spark_version_;
  if (!application.started_ms) application.started_ms = started_ms_;
  if (!application.ended_ms) application.ended_ms = ended_ms_;
  report.unfinished = !whole;
  const std::optional<uint64_t> stages_written = TakeCounter(kStagesCounter, report);
  const std::optional<uint64_t> executors_written = TakeCounter(kExecutorsCounter, report);
  auto tell = [&](std::string what, std::string why) { report.not_available.push_back({std::move(what), std::move(why)}); };
  if (!whole) {
    tell("the end of the application's profile",
         !cut_.empty() ? "the event log " + cut_
         : ended_ms_   ? "the event log has the application's end, but not the profiler's last words"
                       : "the event log ends before the application does: it runs still, or its driver was killed");
  } else if (!cut_.empty()) {
    tell("the rest of the event log", "it " + cut_);
  }
  if (!lacking_.empty()) tell("what was in missing files of the event log", "not in its folder: " + lacking_);
  if (damaged != 0) tell(fmt::format("{} parts of the event log", damaged), "they are damaged");
  if (refused_ != 0) {
    tell(fmt::format("{} {} of the event log", refused_, refused_ == 1 ? "part" : "parts"),
         "larger than any that this version of sparkmemprof writes; try sparkmemprof report EVENTLOG of the version that wrote the log");
  }
  const std::string too_much = fmt::format("the event log holds more of the profile than the {} that are read", FormatBytes(most_bytes_));
  if (full_) tell("the later records of the event log", too_much);
  if (newer_version_ != 0) {
    tell("some parts of the event log",
         fmt::format("a later sparkmemprof wrote them (schema version {}; this one reads {})", newer_version_, kReportSchemaVersion));
  }
  auto missing = [&](const std::optional<uint64_t>& written, size_t found, const char* of) {
    if (whole && written && *written > found) {
      tell(fmt::format("rows of {} {}", *written - found, of),
           full_ ? too_much : "the event log lacks them: Spark's listener bus dropped events, or a file is missing");
    }
  };
  missing(stages_written, stages.size(), "stages");
  missing(executors_written, executors.size(), "executors");
  PutStages(std::move(stages), report);
  PutExecutors(std::move(executors), report);
  if (const size_t dropped = KeepWithinBounds(report); dropped != 0) CountDroppedDeaths(dropped, report);
  std::sort(report.not_available.begin(), report.not_available.end());
  return report;
}

// The error where the log has no part of ours that can be read.
Status EventLogReport::WhyNone(size_t damaged) const {
  if (newer_version_ != 0) {
    return Status::Error(ErrorCode::kUnsupported,
                         "a later sparkmemprof wrote the event log's profile: schema version %lld, this one reads %d. Update sparkmemprof",
                         static_cast<long long>(newer_version_), kReportSchemaVersion);
  }
  if (damaged + refused_ != 0 || full_)
    return Status::Error(ErrorCode::kCorrupt, "the event log's profile is damaged: no part of it can be read");
  if (!cut_.empty()) return Status::Error(ErrorCode::kCorrupt, "the event log %s, before anything of the profile", cut_.c_str());
  if (!lacking_.empty()) {
    return Status::Error(ErrorCode::kCorrupt, "the event log has nothing of the profile, and files are not in its folder: %s",
                         lacking_.c_str());
  }
  if (!plugins_known_ && id_.empty()) return Status::Error(ErrorCode::kCorrupt, "not an event log of Spark");
  if (plugins_.find(kPlugin) != std::string::npos) {
    return Status::Error(ErrorCode::kNotFound,
                         "the event log has no events of sparkmemprof although its plugin was on: spark.memprof.enabled or "
                         "spark.memprof.eventLog.enabled was false, the driver's log has a warning, or the application ended too early");
  }
  return Status::Error(ErrorCode::kNotFound,
                       "the event log has no events of sparkmemprof: the application ran without --conf spark.plugins=%s", kPlugin);
}

}  // namespace memprof
