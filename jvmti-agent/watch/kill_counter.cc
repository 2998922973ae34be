#include "watch/kill_counter.h"

#include <algorithm>

#include "base/clock.h"
#include "base/valid_utf8.h"

namespace memprof {

KillCounter::KillCounter(const MemoryCgroup* cgroup) {
  if (cgroup == nullptr) return;
  name_ = ValidUtf8(cgroup->KillCounter());
  at_start_ = cgroup->OomKills();
}

bool KillCounter::IsOf(const MemoryCgroup& cgroup) const { return ValidUtf8(cgroup.KillCounter()) == name_; }

void KillCounter::Follow(const MemoryCgroup& cgroup, std::optional<uint64_t> before, std::optional<uint64_t> kills) {
  if (!IsOf(cgroup)) {
    name_ = ValidUtf8(cgroup.KillCounter());
    at_start_.reset();
  } else if (before && kills && at_start_) {
    *at_start_ += *kills - std::min(*kills, *before);
  }
}

void KillCounter::AddTo(uint64_t kills, proto::ExecutorSnapshot* snapshot) const {
  snapshot->set_cgroup(name_);
  snapshot->set_cgroup_clock_ms(MonotonicNs() / 1'000'000);
  snapshot->set_oom_kills(kills);
  if (at_start_) snapshot->set_oom_kills_at_start(*at_start_);
}

}  // namespace memprof
