#include "watch/peak_moment.h"

#include <algorithm>

#include "base/clock.h"
#include "profile/rss_message.h"
#include "watch/describe_process.h"

namespace memprof {
namespace {

constexpr uint64_t kNotable = 100;  // a change by one part in this many

}  // namespace

bool PeakMoment::Follow(const std::string& measured) {
  const bool is_first = !measured_.has_value(), is_same = measured_ == measured;
  const bool is_unfit = !is_first && !is_same && measured.empty();
  unfit_ = is_unfit && unfit_ < kMostUnfit ? unfit_ + 1 : 0;
  if (is_same || unfit_ != 0) return false;
  measured_ = measured;
  if (is_first) return false;
  ++measure_;
  used_ = read_used_ = 0;
  message_.Clear();
  return true;
}

// If the maximum is hardly higher than the last one whose processes were read, the difference is unattributed.
void PeakMoment::Raise(uint64_t used, const ProcessWatch& processes, const Scene& scene) {
  const bool notable = used > read_used_ + read_used_ / kNotable;
  if (notable || pss_.Allows(false, Clock::now())) {
    read_used_ = used;
    Read(used, processes, scene);
  } else {
    const uint64_t grown = used - used_;
    message_.set_used_bytes(message_.used_bytes() + grown);
    message_.set_unattributed_bytes(message_.unattributed_bytes() + static_cast<int64_t>(grown));
    message_.clear_active_tasks();
  }
  used_ = used;
  message_.set_time_ms(EpochMs());
  for (const int64_t task : scene.tasks) message_.add_active_tasks(task);
}

void PeakMoment::Read(uint64_t used, const ProcessWatch& processes, const Scene& scene) {
  uint64_t sum = 0;
  message_.Clear();
  for (const auto& [pid, process] : processes.living()) {
    if (process.rss_bytes == 0) continue;
    proto::Process* message = message_.add_processes();
    Identify(process, message);
    ReadProcess(process, message);
    sum += message->peak_rss_bytes();
  }
  if (pss_.Allows(true, Clock::now())) ReadShared(processes);
  int64_t rest = static_cast<int64_t>(used) - static_cast<int64_t>(sum);
  if (shared_) {
    message_.set_shared_bytes(*shared_);
    message_.set_shared_age_ms(std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - pss_.read_at()).count());
    if (!measured_.value_or("").empty()) rest += static_cast<int64_t>(*shared_);
  }
  message_.set_measure(measure_);
  message_.set_used_bytes(used);
  message_.set_unattributed_bytes(rest);
  *message_.mutable_regions() = scene.regions;
}

// What a process holds now, with the rows of the same reading. Pages that the rows miss are unattributed.
void PeakMoment::ReadProcess(const WatchedProcess& process, proto::Process* message) const {
  message->set_peak_rss_bytes(process.rss_bytes);
  uint64_t rows = 0;
  const auto add = [&](const char* name, uint64_t bytes) {
    AddNamedBytes(name, bytes, message->mutable_peak_rows());
    rows += bytes;
  };
  if (const Result<ProcessStatus> status = proc_.ReadStatus(process.pid); status.ok()) {
    message->set_peak_rss_bytes(status->rss_bytes);
    add("RssAnon", status->rss_anon_bytes);
    add("RssFile", status->rss_file_bytes);
    add("RssShmem", status->rss_shmem_bytes);
  }
  message->set_unattributed_bytes(static_cast<int64_t>(message->peak_rss_bytes()) - static_cast<int64_t>(rows));
}

void PeakMoment::ReadShared(const ProcessWatch& processes) {
  const Clock::time_point begin = Clock::now();
  uint64_t shared = 0;
  for (const auto& [pid, process] : processes.living()) {
    const Result<ProcessPss> pss = proc_.ReadPss(pid);
    if (pss.ok()) shared += pss->rss_bytes - std::min(pss->rss_bytes, pss->bytes);
  }
  shared_ = shared;
  pss_.Read(begin, Clock::now());
}

}  // namespace memprof
