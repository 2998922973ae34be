// The black boxes of this executor's own Python processes, not those of other executors in the same folder.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "blackbox/box_reader.h"

namespace memprof {

// Boxes that could not be read: damaged, of another version, or not ours. Boxes that appear or disappear meanwhile don't count.
struct RefusedBoxes {
  static constexpr size_t kMostNamed = 8;
  struct Named {
    std::string path, why;
  };

  uint64_t count = 0;
  std::vector<Named> named;  // the first ones
};

// Boxes that took more work than a box is worth (blackbox/box_work.h), the first kMost of them. They aren't opened again. Thread-safe.
class GivenUpBoxes {
 public:
  static constexpr size_t kMost = 256;

  void Add(const std::string& path, const char* why) {
    const std::lock_guard lock(mutex_);
    if (boxes_.size() < kMost) boxes_.emplace(path, why);
  }
  bool Has(const std::string& path) const {
    const std::lock_guard lock(mutex_);
    return boxes_.contains(path);
  }
  std::vector<RefusedBoxes::Named> All() const {
    const std::lock_guard lock(mutex_);
    std::vector<RefusedBoxes::Named> all;
    for (const auto& [path, why] : boxes_) all.push_back({path, why});
    return all;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::string> boxes_;  // path -> why
};

// When each process was last seen alive and first found gone: one that ends without a word says nothing of its end. Thread-safe.
class LastSeen {
 public:
  struct Looks {
    int64_t alive_ms = 0, gone_ms = 0;  // since the epoch; 0: never
  };
  using Times = std::map<std::string, Looks>;  // by the path of its box

  void Replace(Times times) {
    const std::lock_guard lock(mutex_);
    times_ = std::move(times);
  }
  Looks Of(const std::string& path) const {
    const std::lock_guard lock(mutex_);
    const auto found = times_.find(path);
    return found == times_.end() ? Looks() : found->second;
  }

 private:
  mutable std::mutex mutex_;
  Times times_;
};

// Shared by all readers of these boxes; the pointers are never null.
struct BoxPlace {
  std::string directory, application_id, executor_id;
  std::shared_ptr<GivenUpBoxes> given_up = std::make_shared<GivenUpBoxes>();
  std::shared_ptr<LastSeen> last_seen = std::make_shared<LastSeen>();
};

// Calls visit(path, BoxReader&) for each but the one at `but`. A box is opened again each time, because workers come and go and opening a
// box is cheap. A box that takes too much work during a visit is given up. Thread-safe (no state).
template <typename Visit>
RefusedBoxes ForEachBox(const BoxPlace& place, Visit&& visit, const std::string& but = {}) {
  RefusedBoxes refused;
  if (place.directory.empty()) return refused;
  for (const std::string& path : ListBoxes(place.directory, place.application_id)) {
    if (path == but) continue;
    if (place.given_up->Has(path)) {
      ++refused.count;
      continue;
    }
    Result<BoxReader> box = BoxReader::Open(path);
    if (!box.ok()) {
      if (box.status().code() == ErrorCode::kNotFound) continue;
      if (++refused.count <= RefusedBoxes::kMostNamed) refused.named.push_back({path, box.status().message()});
    } else if (box->identity().executor_id == place.executor_id) {
      visit(path, *box);
      if (const Status worth = box->WorthIt(); !worth.ok()) place.given_up->Add(path, worth.message());
    }
  }
  return refused;
}

}  // namespace memprof
