#include "eventlog/event_log_pages.h"

#include <string>
#include <utility>

namespace memprof {

void EventLogPages::Add(std::string_view part, std::string_view id, int64_t schema_version, std::string_view text) {
  std::lock_guard lock(mutex_);
  if (log_) log_->Add(part, id, schema_version, text);
}

void EventLogPages::IsFull() {
  std::lock_guard lock(mutex_);
  if (log_) log_->IsFull();
}

void EventLogPages::Refused() {
  std::lock_guard lock(mutex_);
  if (log_) log_->Refused();
}

void EventLogPages::Application(std::string_view id, std::string_view name, std::string_view spark_version, int64_t started_ms,
                                int64_t ended_ms) {
  std::lock_guard lock(mutex_);
  if (!log_) return;
  log_->SparkVersion(spark_version);
  if (started_ms >= 0) log_->Started(id, name, started_ms);
  if (ended_ms >= 0) log_->Ended(ended_ms);
}

PageAnswer EventLogPages::Answer(std::string_view path, std::string_view query) {
  std::lock_guard lock(mutex_);
  if (log_) {
    Result<Report> report = log_->Make();
    log_.reset();
    if (report.ok()) {
      pages_ = std::make_unique<ReportPages>(std::move(*report), Time::kPast);
    } else {
      refusal_.status = 404;
      refusal_.body = std::make_shared<const std::string>(std::string("No report: ") + report.status().message() + "\n");
    }
  }
  return pages_ ? pages_->Answer(path, query) : refusal_;
}

}  // namespace memprof
