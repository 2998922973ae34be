// EventLogPages: the report of an application's event log as web pages, for a History Server. Parts are added first. The first
// request makes the report and frees the parts. Thread-safe.
#pragma once

#include <memory>
#include <mutex>
#include <string_view>

#include "eventlog/event_log.h"
#include "report/pages/pages.h"

namespace memprof {

class EventLogPages {
 public:
  // See EventLogReport::Add; not after the first request.
  void Add(std::string_view part, std::string_view id, int64_t schema_version, std::string_view text);

  // See EventLogReport::IsFull.
  void IsFull();
  // See EventLogReport::Refused.
  void Refused();

  // What Spark itself knows of the application; -1: not known.
  void Application(std::string_view id, std::string_view name, std::string_view spark_version, int64_t started_ms, int64_t ended_ms);

  // See ReportPages::Answer; 404 with the reason where the log holds no report.
  PageAnswer Answer(std::string_view path, std::string_view query);

 private:
  std::mutex mutex_;
  std::unique_ptr<EventLogReport> log_ = std::make_unique<EventLogReport>();
  std::unique_ptr<ReportPages> pages_;
  PageAnswer refusal_;
};

}  // namespace memprof
