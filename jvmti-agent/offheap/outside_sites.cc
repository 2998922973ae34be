#include "offheap/outside_sites.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace memprof {
namespace {

constexpr size_t kStacksAtATime = 16;  // an application's thread may be waiting

// A stack is taken over by its frames' names: those of a native call get them a little later.
bool MayMove(const OutsideSites::Origin& origin, const std::shared_ptr<JvmStacks>& current) {
  return origin.stacks != current && !origin.stacks->AwaitsNames();
}

}  // namespace

uint32_t OutsideSites::Find(uint64_t key) {
  const std::lock_guard lock(mutex_);
  const auto known = by_key_.find(key);
  if (known == by_key_.end()) return kNoSite;
  sites_.at(known->second).fresh = true;
  return known->second;
}

bool OutsideSites::HasRoom() const {
  const std::lock_guard lock(mutex_);
  return sites_.size() < kMostSites && next_ != kNoSite;
}

uint32_t OutsideSites::Add(uint64_t key, Origin origin) {
  const std::lock_guard lock(mutex_);
  if (const auto known = by_key_.find(key); known != by_key_.end()) {  // another thread was faster
    sites_.at(known->second).fresh = true;
    return known->second;
  }
  if (sites_.size() >= kMostSites || next_ == kNoSite) return kNoSite;
  const uint32_t number = next_++;
  sites_.emplace(number, Site{key, std::move(origin)});
  by_key_.emplace(key, number);
  return number;
}

bool OutsideSites::WantsTidying(const std::shared_ptr<JvmStacks>& current) const {
  const std::lock_guard lock(mutex_);
  if (sites_.size() >= kMostSites / 4 * 3) return true;
  return std::any_of(sites_.begin(), sites_.end(), [&](const auto& site) { return MayMove(site.second.origin, current); });
}

void OutsideSites::MoveStacks(const std::shared_ptr<JvmStacks>& current) {
  for (uint32_t from = 0;;) {
    const std::lock_guard lock(mutex_);
    auto site = sites_.lower_bound(from);
    for (size_t moved = 0; site != sites_.end() && moved < kStacksAtATime; ++site) {
      Origin& origin = site->second.origin;
      if (!MayMove(origin, current)) continue;
      origin.stack = current->TakeOver(*origin.stacks, origin.stack);
      origin.stacks = current;
      ++moved;
    }
    if (site == sites_.end()) return;
    from = site->first;
  }
}

std::vector<LeftSite> OutsideSites::Sites(const std::shared_ptr<JvmStacks>& current,
                                          const std::function<std::string(uint32_t)>& thread_name) {
  MoveStacks(current);
  std::map<uint32_t, Amount> live;
  for (const OffHeapBlock& block : blocks_->Copies([](const OffHeapBlock& each) { return each.task.slot == 0; })) {
    live[block.place.site] += block.amount;
  }
  std::map<std::tuple<const JvmStacks*, JvmStackId, uint32_t>, LeftSite> sums;  // raw stacks that differ may be one by their names
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [number, amount] : live) {
      const auto site = sites_.find(number);
      const Origin origin = site == sites_.end() ? Origin() : site->second.origin;
      LeftSite& sum = sums[{origin.stacks.get(), origin.stack, origin.bucket}];
      sum.stacks = origin.stacks;
      sum.stack = origin.stack;
      sum.live += amount;
    }
    for (auto site = sites_.begin(); site != sites_.end();) {
      const bool idle = !std::exchange(site->second.fresh, false) && !live.contains(site->first);
      if (idle) by_key_.erase(site->second.key);
      site = idle ? sites_.erase(site) : std::next(site);
    }
  }
  std::vector<LeftSite> sites;
  for (auto& [key, site] : sums) {
    if (site.stacks != nullptr) site.thread = thread_name(std::get<2>(key));
    sites.push_back(std::move(site));
  }
  return sites;
}

}  // namespace memprof
