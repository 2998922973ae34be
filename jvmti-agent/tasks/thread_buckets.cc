#include "tasks/thread_buckets.h"

#include <algorithm>

namespace memprof {

uint32_t ThreadBuckets::BucketOf(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto known = buckets_.find(name);
  if (known != buckets_.end()) return known->second;
  if (buckets_.size() >= kMaxBuckets) return 0;
  bytes_.push_back(0);
  const auto bucket = static_cast<uint32_t>(bytes_.size() - 1);
  buckets_.emplace(name, bucket);
  return bucket;
}

void ThreadBuckets::Add(uint32_t bucket, double bytes) {
  const std::lock_guard lock(mutex_);
  bytes_[bucket < bytes_.size() ? bucket : 0] += bytes;
}

void ThreadBuckets::Clear() {
  const std::lock_guard lock(mutex_);
  std::fill(bytes_.begin(), bytes_.end(), 0.0);
}

std::string ThreadBuckets::NameOf(uint32_t bucket) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, known] : buckets_) {
    if (known == bucket) return name;
  }
  return "other threads";
}

std::vector<std::pair<std::string, double>> ThreadBuckets::Largest(size_t most) const {
  std::vector<std::pair<std::string, double>> largest;
  double others = 0;
  {
    const std::lock_guard lock(mutex_);
    largest.reserve(bytes_.size());
    for (const auto& [name, bucket] : buckets_) largest.emplace_back(name, bytes_[bucket]);
    others = bytes_[0];
  }
  std::sort(largest.begin(), largest.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  while (largest.size() >= most) {
    others += largest.back().second;
    largest.pop_back();
  }
  largest.emplace_back("other threads", others);
  std::erase_if(largest, [](const auto& entry) { return entry.second <= 0; });
  return largest;
}

}  // namespace memprof
