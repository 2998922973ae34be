// ThreadBuckets: heap bytes that belong to no running task, by the service that their thread does (service_threads.h) or else by
// its normalised name, so that nothing is silently charged to an unrelated task. At most kMaxBuckets names; further ones are
// summed as "other threads". Thread-safe. Allocates; not for GC callbacks.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace memprof {

class ThreadBuckets {
 public:
  static constexpr size_t kMaxBuckets = 256;

  // The bucket of a name, to be kept by the thread. 0 is "other threads".
  uint32_t BucketOf(const std::string& name);
  void Add(uint32_t bucket, double bytes);
  // Forgets the bytes, not the names: threads keep their buckets.
  void Clear();
  std::string NameOf(uint32_t bucket) const;
  // Bytes by name, largest first; from the `most`th on they are one, "other threads".
  std::vector<std::pair<std::string, double>> Largest(size_t most) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, uint32_t> buckets_;
  std::vector<double> bytes_{0.0};
};

}  // namespace memprof
