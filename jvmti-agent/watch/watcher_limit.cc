// Which group's limit holds the executor, and how the watcher follows it.
#include <algorithm>
#include <utility>

#include "watch/watcher.h"
#include "watch/wider_group.h"

namespace memprof {
namespace {

constexpr int kMissedLimits = 5;  // in a row, once a second

}  // namespace

void Watcher::FindContainer() {
  Result<std::unique_ptr<MemoryCgroup>> cgroup = FindMemoryCgroup();
  why_unseen_ = WhyALimitMayBeUnseen(cgroup);
  cgroup_ = cgroup.ok() ? std::move(*cgroup) : nullptr;
}

std::optional<uint64_t> Watcher::LimitOfGroup() const { return cgroup_ == nullptr ? std::nullopt : cgroup_->Limit(host_memory_); }

// What others use in a group around several containers would count against this one.
bool Watcher::IsOfWider(std::optional<uint64_t> limit) const {
  return limit && options_.counts_processes && IsOfWiderGroup(*limit, options_.granted_bytes, cgroup_->path());
}

void Watcher::TakeLimit(std::optional<uint64_t> limit) {
  const bool of_wider = IsOfWider(limit);
  limit_ = of_wider ? std::nullopt : limit;
  wider_limit_ = of_wider ? limit : std::nullopt;
}

uint64_t Watcher::HostMemory() const { return wider_limit_ ? std::min(host_memory_, *wider_limit_) : host_memory_; }

// A group around several containers is to them what a host is: full, it has one of them killed, whatever that one uses.
void Watcher::TakeHostAvailable(std::optional<uint64_t> bytes) {
  host_available_ = bytes;
  const Result<CgroupUse> wider = wider_limit_ ? cgroup_->Read() : CgroupUse();
  if (!wider_limit_ || !wider.ok()) return;
  const uint64_t used = wider->usage_bytes - std::min(wider->usage_bytes, wider->reclaimable_bytes);
  const uint64_t left = *wider_limit_ - std::min(*wider_limit_, used);
  // The host may be fuller: then as much is left of the group, in proportion.
  const double share =
      host_available_ ? static_cast<double>(*host_available_) / static_cast<double>(std::max<uint64_t>(host_memory_, 1)) : 1;
  host_available_ = std::min(left, static_cast<uint64_t>(share * static_cast<double>(HostMemory())));
}

// A changed limit may be of another group on the way up, whose use it then bounds, or of a group to which we were moved.
void Watcher::FollowLimit() {
  Result<std::unique_ptr<MemoryCgroup>> now = FindMemoryCgroup();
  if (!now.ok() || ((*now)->path() == cgroup_->path() && kill_counter_.IsOf(**now))) return;
  const std::optional<uint64_t> before = cgroup_->OomKills();
  cgroup_ = std::move(*now);
  const std::optional<uint64_t> kills = cgroup_->OomKills();
  kill_counter_.Follow(*cgroup_, before, kills);
  kernel_kills_.Move(before, kills, Clock::now());
  FindPressure();
}

// The limit may be changed or removed. A single failed read proves neither.
void Watcher::ReadLimit() {
  const std::optional<uint64_t> limit = LimitOfGroup();
  missed_limits_ = limit ? 0 : missed_limits_ + 1;
  const bool is_gone = limit_ && missed_limits_ == 1;  // with the group, from which we were moved
  if (is_gone || (limit && limit != limit_ && !IsOfWider(limit))) FollowLimit();
  if (limit || missed_limits_ >= kMissedLimits) TakeLimit(limit);
}

}  // namespace memprof
