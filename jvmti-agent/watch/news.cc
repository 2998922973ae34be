#include "watch/news.h"

#include <algorithm>

#include "base/clock.h"
#include "watch/kernel_kills.h"

namespace memprof {
namespace {

constexpr std::chrono::milliseconds kHeldBackFor{400};  // two slow ticks
static_assert(kHeldBackFor < KernelKills::kKept);

}  // namespace

void News::Clear() {
  const std::lock_guard lock(mutex_);
  spark_ = {};
  last_tasks_.clear();
  rss_.clear();
  baselines_.clear();
  ended_.clear();
  holds_back_ = true;
}

void News::SetSparkMemory(const SparkMemoryUse& use) {
  const std::lock_guard lock(mutex_);
  spark_.now = use;
  spark_.peak.storage = std::max(spark_.peak.storage, use.storage);
  spark_.peak.execution = std::max(spark_.peak.execution, use.execution);
  spark_.peak.heap_max = use.heap_max;
  if (use.unroll) spark_.peak.unroll = std::max(spark_.peak.unroll.value_or(0), *use.unroll);
}

void News::SetSparkPool(const proto::PoolUse& use) {
  const std::lock_guard lock(mutex_);
  spark_.pools.Add(use, Now());
}

void News::SetLastTask(const ProcessName& process, int64_t task_attempt_id) {
  const std::lock_guard lock(mutex_);
  if (last_tasks_.size() < ProcessWatch::kMaxProcesses) last_tasks_[process] = task_attempt_id;
}

void News::SetRss(const ProcessRss& rss) {
  const std::lock_guard lock(mutex_);
  if (rss_.size() >= ProcessWatch::kMaxProcesses && !rss_.contains(rss.process.pid)) return;
  rss_.insert_or_assign(rss.process.pid, Said<ProcessRss>{rss, Clock::now()});
}

void News::SetBaseline(const ProcessBaseline& baseline) {
  const std::lock_guard lock(mutex_);
  const auto known = baselines_.find(baseline.process.pid);
  if (known == baselines_.end() && baselines_.size() >= ProcessWatch::kMaxProcesses) return;
  Said<ProcessBaseline> said{baseline, Clock::now()};
  if (known != baselines_.end() && known->second.news.process == baseline.process) {
    said.news = known->second.news;
    Renew(baseline.baseline, &said.news.baseline);
  }
  baselines_.insert_or_assign(baseline.process.pid, said);
}

void News::HoldNothingBack() {
  const std::lock_guard lock(mutex_);
  holds_back_ = false;
}

void News::SetEnded(const EndedProcess& process) {
  const std::lock_guard lock(mutex_);
  if (ended_.size() < ProcessWatch::kMaxProcesses) ended_.push_back(process);
}

SparkMemoryUse News::SparkMemory() const {
  const std::lock_guard lock(mutex_);
  return spark_.now;
}

SparkNews News::TakeTo(ProcessWatch* processes) {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, task] : last_tasks_) processes->SetLastTask(name, task);
  last_tasks_.clear();
  const Clock::time_point now = Clock::now();
  std::erase_if(ended_, [&](const EndedProcess& process) {
    const bool due = !holds_back_ || now - process.seen >= kHeldBackFor;
    if (due) processes->SetEnded(process);
    return due;
  });
  // A worker's first task may end before the watcher has discovered the worker.
  const auto is_old = [now](const auto& said) { return now - said.at >= kKeptFor; };
  std::erase_if(rss_, [&](const auto& said) { return processes->SetRss(said.second.news) || is_old(said.second); });
  std::erase_if(baselines_, [&](const auto& said) { return processes->SetBaseline(said.second.news) || is_old(said.second); });
  return spark_;
}

}  // namespace memprof
