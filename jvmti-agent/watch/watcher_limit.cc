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

// Without that of a group around it that holds others, too: what they use would count against it.
std::optional<uint64_t> Watcher::LimitOfContainer() {
  const std::optional<uint64_t> limit = cgroup_ == nullptr ? std::nullopt : cgroup_->Limit(host_memory_);
  missed_wider_ = limit ? 0 : missed_wider_ + 1;
  if (!limit && missed_wider_ < kMissedLimits) return std::nullopt;  // a single failed read proves nothing
  const bool of_wider = limit && options_.counts_processes && IsOfWiderGroup(*limit, options_.granted_bytes, cgroup_->path());
  wider_limit_ = of_wider ? limit : std::nullopt;
  return of_wider ? std::nullopt : limit;
}

uint64_t Watcher::HostMemory() const { return wider_limit_ ? std::min(host_memory_, *wider_limit_) : host_memory_; }

// A group around several containers is to them what a host is: full, it has one of them killed, whatever that one uses.
void Watcher::ReadHostAvailable() {
  host_available_ = proc_.HostAvailable();
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
  const std::optional<uint64_t> limit = LimitOfContainer();
  const bool is_gone = !limit && limit_ && missed_limits_ == 0 && cgroup_ != nullptr;  // with the group, from which we were moved
  if (is_gone || (limit && limit != limit_)) FollowLimit();
  missed_limits_ = limit ? 0 : missed_limits_ + 1;
  if (limit || missed_limits_ >= kMissedLimits) limit_ = limit;
}

}  // namespace memprof
