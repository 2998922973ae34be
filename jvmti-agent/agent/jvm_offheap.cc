#include "agent/jvm_offheap.h"

#include <algorithm>
#include <cmath>
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

void JvmOffHeap::Start(uint64_t interval_bytes) {
  tracker_.Start(interval_bytes);
  follows_ = true;
}

void JvmOffHeap::Allocated(JNIEnv* jni, uint64_t address, uint64_t size) {
  if (follows_.load(std::memory_order_relaxed)) tracker_.Allocated(ground_->jvm.jvmti(), jni, address, size);
}

void JvmOffHeap::Resized(JNIEnv* jni, uint64_t old_address, const std::optional<OffHeapBlock>& old_block, uint64_t address, uint64_t size) {
  if (address == 0) {
    if (old_block) blocks_.Reattach(old_address, *old_block);
    return;
  }
  if (old_block) blocks_.Release(*old_block);
  Allocated(jni, address, size);
}

void JvmOffHeap::Forget() {
  left_behind_.Clear();
  const std::lock_guard lock(left_mutex_);
  looked_at_ = said_at_ = {};
  most_bytes_ = said_bytes_ = looked_bytes_ = 0;
}

std::vector<LeftSite> JvmOffHeap::LeftSites() const {
  std::vector<LeftSite> sites = left_behind_.Sites(ground_->tasks);
  const auto name = [this](uint32_t bucket) { return ground_->buckets.NameOf(bucket); };
  for (LeftSite& site : outside_.Sites(ground_->stacks.Current(), name)) sites.push_back(std::move(site));
  std::stable_sort(sites.begin(), sites.end(), [](const LeftSite& a, const LeftSite& b) { return a.live.bytes > b.live.bytes; });
  return sites;
}

void JvmOffHeap::SendLeft(const Application& application) {
  const std::lock_guard lock(left_mutex_);
  const int64_t now_ms = EpochMs();
  const std::vector<LeftSite> sites = LeftSites();
  if (!sites.empty() || said_bytes_ > 0) Send(application, sites, now_ms);
}

void JvmOffHeap::SendLeftIfMoved(const Application& application) {
  const std::lock_guard lock(left_mutex_);
  const Clock::time_point now = Clock::now();
  const auto notable = [](double bytes) { return std::max(bytes / kNotable, kLeast); };
  const auto live = static_cast<double>(blocks_.live_bytes());
  if (now - looked_at_ < kLookEvery && live < looked_bytes_ + notable(looked_bytes_)) return;
  const bool may_be_more = live >= most_bytes_ + notable(most_bytes_);
  const bool may_say_moves = said_bytes_ > 0 && now - said_at_ >= kSayMovesEvery;
  if (!may_be_more && !may_say_moves && !outside_.WantsTidying(ground_->stacks.Current())) return;
  looked_at_ = now;
  looked_bytes_ = live;
  const int64_t now_ms = EpochMs();
  const std::vector<LeftSite> sites = LeftSites();
  const double bytes = SumOf(sites);
  const bool more = bytes >= most_bytes_ + notable(most_bytes_);
  const bool moved = may_say_moves && std::abs(bytes - said_bytes_) >= notable(said_bytes_);
  if (more || moved) Send(application, sites, now_ms);
}

void JvmOffHeap::Send(const Application& application, const std::vector<LeftSite>& sites, int64_t looked_ms) {
  said_at_ = Clock::now();
  said_bytes_ = SumOf(sites);
  most_bytes_ = std::max(most_bytes_, said_bytes_);
  ground_->Send(application, [&](proto::Envelope* envelope) { *envelope->mutable_left_off_heap() = BuildLeft(sites, looked_ms); });
}

}  // namespace memprof
