#include "offheap/left_behind.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace memprof {
namespace {

uint64_t KeyOf(TaskTag tag) { return uint64_t{tag.slot} << 32 | tag.generation; }

}  // namespace

void LeftBehind::Keep(TaskTag tag, const TaskFigures& task) {
  const OffHeapSites& of_task = task.*sites_;
  if (of_task.live_bytes() <= 0) return;
  Ended ended{tag, task.stacks, task.key.stage_id, task.key.stage_attempt, {}};
  const auto& sites = of_task.table().sites();
  std::vector<uint32_t> holding;
  for (uint32_t i = 0; i < sites.size(); ++i) {
    if (sites[i].figures.live.bytes > 0) holding.push_back(i);
  }
  const auto heavier = [&](uint32_t a, uint32_t b) { return sites[a].figures.live.bytes > sites[b].figures.live.bytes; };
  const auto last = holding.begin() + static_cast<ptrdiff_t>(std::min(kMostSites, holding.size()));
  std::partial_sort(holding.begin(), last, holding.end(), heavier);
  for (auto site = holding.begin(); site != last; ++site) ended.sites.emplace(*site, sites[*site].stack);
  const std::lock_guard lock(mutex_);
  ended_.push_back(std::move(ended));
  MakeRoom();
}

void LeftBehind::Clear() {
  const std::lock_guard lock(mutex_);
  ended_.clear();
}

void LeftBehind::MakeRoom() {
  std::set<const JvmStacks*> generations;
  for (const Ended& ended : ended_) generations.insert(ended.stacks.get());
  if (ended_.size() <= kMostTasks && generations.size() <= kMostGenerations) return;
  std::set<uint64_t> hold;
  blocks_->ForEach([&](uint64_t, const OffHeapBlock& block) { hold.insert(KeyOf(block.task)); });
  std::erase_if(ended_, [&](const Ended& ended) { return !hold.contains(KeyOf(ended.tag)); });
  if (ended_.size() > kMostTasks / 4 * 3) ended_.erase(ended_.begin(), ended_.end() - kMostTasks / 4 * 3);
  for (;;) {
    generations.clear();
    for (const Ended& ended : ended_) generations.insert(ended.stacks.get());
    if (generations.size() <= kMostGenerations) return;
    std::erase_if(ended_, [oldest = ended_.front().stacks](const Ended& ended) { return ended.stacks == oldest; });
  }
}

std::vector<LeftSite> LeftBehind::Sites(const TaskTable& tasks) const {
  const std::vector<OffHeapBlock> blocks =
      blocks_->Copies([&](const OffHeapBlock& block) { return block.task.slot != 0 && !tasks.IsRunning(block.task); });
  std::map<std::pair<uint64_t, uint32_t>, Amount> live;  // by tag and site
  for (const OffHeapBlock& block : blocks) live[{KeyOf(block.task), block.place.site}] += block.amount;
  const std::lock_guard lock(mutex_);
  std::unordered_map<uint64_t, const Ended*> known;
  for (const Ended& ended : ended_) known.emplace(KeyOf(ended.tag), &ended);
  std::map<std::tuple<const JvmStacks*, JvmStackId, int32_t, int32_t>, LeftSite> sums;
  for (const auto& [key, amount] : live) {
    LeftSite site;
    if (const auto ended = known.find(key.first); ended != known.end()) {
      site.stage_id = ended->second->stage_id;
      site.stage_attempt = ended->second->stage_attempt;
      if (const auto stack = ended->second->sites.find(key.second); stack != ended->second->sites.end()) {
        site.stacks = ended->second->stacks;
        site.stack = stack->second;
      }
    }
    LeftSite& sum = sums.try_emplace({site.stacks.get(), site.stack, site.stage_id, site.stage_attempt}, site).first->second;
    ++sum.tasks;
    sum.live += amount;
  }
  std::vector<LeftSite> sites;
  for (auto& [key, site] : sums) sites.push_back(std::move(site));
  return sites;
}

}  // namespace memprof
