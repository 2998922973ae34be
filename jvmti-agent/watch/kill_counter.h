// KillCounter: the kernel's counter of kills in our own control group (MemoryCgroup::OomKills): whose it is, and what it had come to when
// we began. A process may be moved to another group, and the counter may come to hold groups inside ours. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "proto/memprof.pb.h"
#include "system/memory_cgroup.h"

namespace memprof {

class KillCounter {
 public:
  KillCounter() = default;
  // The counter of this group as it is now; null: there is no group.
  explicit KillCounter(const MemoryCgroup* cgroup);

  bool IsOf(const MemoryCgroup& cgroup) const;
  // The counter, which had come to `before`, is this group's from now on, which has counted `kills`. What only this one has was before
  // now. Of another group nothing is known of our start: a count that is read later would tell of others' ends in between.
  void Follow(const MemoryCgroup& cgroup, std::optional<uint64_t> before, std::optional<uint64_t> kills);

  std::optional<uint64_t> at_start() const { return at_start_; }
  // `kills`: what it has come to.
  void AddTo(uint64_t kills, proto::ExecutorSnapshot* snapshot) const;

 private:
  std::string name_;  // "": none
  std::optional<uint64_t> at_start_;
};

}  // namespace memprof
