#include "agent/left_blocks.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/clock.h"
#include "offheap/left_message.h"

namespace memprof {
namespace {

constexpr double kNotable = 8;            // more by one part in this many,
constexpr double kLeast = 1024.0 * 1024;  // and by so many bytes

double SumOf(const std::vector<LeftSite>& sites) {
  double bytes = 0;
  for (const LeftSite& site : sites) bytes += site.live.bytes;
  return bytes;
}

}  // namespace

void LeftBlocks::Forget() {
  left_behind_.Clear();
  const std::lock_guard lock(mutex_);
  looked_at_ = said_at_ = {};
  most_bytes_ = said_bytes_ = looked_bytes_ = 0;
}

std::vector<LeftSite> LeftBlocks::Look() {
  std::vector<LeftSite> sites = left_behind_.Sites(ground_->tasks);
  const auto name = [this](uint32_t bucket) { return ground_->buckets.NameOf(bucket); };
  for (LeftSite& site : outside_.Sites(ground_->stacks.Current(), name)) sites.push_back(std::move(site));
  std::stable_sort(sites.begin(), sites.end(), [](const LeftSite& a, const LeftSite& b) { return a.live.bytes > b.live.bytes; });
  return sites;
}

void LeftBlocks::Send(const Application& application) {
  const std::lock_guard lock(mutex_);
  const int64_t now_ms = EpochMs();
  const std::vector<LeftSite> sites = Look();
  if (!sites.empty() || said_bytes_ > 0) Say(application, sites, now_ms);
}

void LeftBlocks::SendIfMoved(const Application& application) {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  const auto notable = [](double bytes) { return std::max(bytes / kNotable, kLeast); };
  const auto live = static_cast<double>(blocks_->live_bytes());
  if (now - looked_at_ < kLookEvery && live < looked_bytes_ + notable(looked_bytes_)) return;
  const bool may_be_more = live >= most_bytes_ + notable(most_bytes_);
  const bool may_say_moves = said_bytes_ > 0 && now - said_at_ >= kSayMovesEvery;
  if (!may_be_more && !may_say_moves && !outside_.WantsTidying(ground_->stacks.Current())) return;
  // Names of Java frames come once a second, and what is said of a peak is not said again.
  if (ground_->stacks.Current()->AwaitsNames() && now - looked_at_ < kAwaitNames) return;
  looked_at_ = now;
  looked_bytes_ = live;
  const int64_t now_ms = EpochMs();
  const std::vector<LeftSite> sites = Look();
  const double bytes = SumOf(sites);
  const bool more = bytes >= most_bytes_ + notable(most_bytes_);
  const bool moved = may_say_moves && std::abs(bytes - said_bytes_) >= notable(said_bytes_);
  if (more || moved) Say(application, sites, now_ms);
}

void LeftBlocks::Say(const Application& application, const std::vector<LeftSite>& sites, int64_t looked_ms) {
  said_at_ = Clock::now();
  said_bytes_ = SumOf(sites);
  most_bytes_ = std::max(most_bytes_, said_bytes_);
  const auto known = [this](const std::string& module, const std::string& build_id, uint64_t offset) {
    return names_->native().Find({module, build_id, offset}).value_or(SourceCalls());
  };
  proto::LeftMemory message = BuildLeft(sites, looked_ms, known);
  names_->WantNative(message.names());
  ground_->Send(application, [&](proto::Envelope* envelope) { *(envelope->*part_)() = std::move(message); });
}

}  // namespace memprof
