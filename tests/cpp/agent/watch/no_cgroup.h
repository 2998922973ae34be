// A memory cgroup of which nothing is known; a test says what it needs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "system/memory_cgroup.h"

namespace memprof::testing {

class NoCgroup : public MemoryCgroup {
 public:
  std::vector<int32_t> Processes() const override { return {}; }
  std::optional<uint64_t> Limit(uint64_t) const override { return std::nullopt; }
  Result<CgroupUse> Read() const override { return CgroupUse(); }
  Result<uint64_t> ReadUsage() const override { return uint64_t{0}; }
  std::optional<uint64_t> SwapLeft() const override { return std::nullopt; }
  std::optional<uint64_t> OomKills() const override { return std::nullopt; }
  std::string KillCounter() const override { return ""; }
  bool SeesEveryLimit() const override { return true; }
  const std::string& path() const override { return path_; }

 private:
  std::string path_;
};

}  // namespace memprof::testing
