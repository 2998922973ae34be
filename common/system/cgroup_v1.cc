// Version 1: memory has a hierarchy of its own. A child's own limit may be 9.2e18 (none) while its parent has one.
// `hierarchical_memory_limit` in memory.stat is the smallest on the path, including parents that the container can't see.
#include <algorithm>
#include <optional>

#include "system/cgroup_paths.h"
#include "system/kept_file.h"
#include "system/text_file.h"

namespace memprof {
namespace {

class CgroupV1 : public MemoryCgroup {
 public:
  CgroupV1(const std::vector<std::string>& folders, std::string proc)
      : own_(folders.front()),
        proc_(std::move(proc)),
        smallest_limit_(HierarchicalLimit(own_)),
        limiting_(Limiting(folders, smallest_limit_)),
        stat_(limiting_ + "/memory.stat"),
        usage_(limiting_ + "/memory.usage_in_bytes") {}

  std::optional<uint64_t> Limit(uint64_t host_memory_bytes) const override {
    std::optional<uint64_t> limit = HierarchicalLimit(own_);
    const std::optional<uint64_t> own = ReadNumberFile(own_ + "/memory.limit_in_bytes");
    if (own && (!limit || *own < *limit)) limit = own;
    return limit && IsBound(*limit, host_memory_bytes) ? limit : std::nullopt;
  }

  // Its usage counts the kernel's reclaimable caches, too, but memory.stat has no row for them.
  Result<CgroupUse> Read() const override { return ReadCgroupUse(stat_, usage_, {"total_inactive_file", "total_active_file"}); }

  Result<uint64_t> ReadUsage() const override { return usage_.ReadNumber(); }

  // memsw is memory and swap together; its files are missing where the kernel doesn't count swap.
  std::optional<uint64_t> SwapLeft() const override {
    if (ReadNumberFile(limiting_ + "/memory.swappiness") == 0u) return 0;  // a full group doesn't swap then: YARN's default
    const auto beyond_memory = [&](const char* together, const char* memory) -> std::optional<uint64_t> {
      const std::optional<uint64_t> both = ReadNumberFile(limiting_ + together), first = ReadNumberFile(limiting_ + memory);
      if (!both || !first || *both >= kNoLimit) return std::nullopt;
      return *both - std::min(*both, *first);
    };
    const std::optional<uint64_t> most = beyond_memory("/memory.memsw.limit_in_bytes", "/memory.limit_in_bytes");
    const std::optional<uint64_t> used = beyond_memory("/memory.memsw.usage_in_bytes", "/memory.usage_in_bytes");
    return most ? std::optional(*most - std::min(*most, used.value_or(0))) : std::nullopt;
  }

  // A kill is counted in the killed process's own group only, which may be inside ours. Without a limit, ours may be the root group.
  std::optional<uint64_t> OomKills() const override {
    std::optional<uint64_t> sum;
    for (const std::string& folder : smallest_limit_ ? FoldersBelow(own_) : std::vector{own_}) {
      const Result<std::string> text = ReadTextFile(folder + "/memory.oom_control", 4096);
      const std::optional<uint64_t> kills = text.ok() ? NumberOf(*text, "oom_kill") : std::nullopt;
      if (kills) sum = sum.value_or(0) + *kills;
    }
    return sum;
  }
  std::string KillCounter() const override { return NameOfGroup(own_, proc_); }
  bool SeesEveryLimit() const override { return true; }

  std::vector<int32_t> Processes() const override { return ReadProcesses(own_, limiting_); }
  const std::string& path() const override { return limiting_; }

 private:
  // nullopt: there is none.
  static std::optional<uint64_t> HierarchicalLimit(const std::string& group) {
    const Result<std::string> stat = ReadTextFile(group + "/memory.stat");
    const std::optional<uint64_t> limit = stat.ok() ? NumberOf(*stat, "hierarchical_memory_limit") : std::nullopt;
    return limit && *limit < kNoLimit ? limit : std::nullopt;
  }

  // folders: innermost first.
  static std::string Limiting(const std::vector<std::string>& folders, std::optional<uint64_t> smallest) {
    if (smallest) {  // of equal ones the outermost: it holds more processes
      for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder) {
        if (ReadNumberFile(*folder + "/memory.limit_in_bytes") == smallest) return *folder;
      }
    }
    return folders.front();
  }

  std::string own_, proc_;
  std::optional<uint64_t> smallest_limit_;  // when this was made
  std::string limiting_;
  KeptFile stat_, usage_;  // of the limiting group
};

}  // namespace

std::unique_ptr<MemoryCgroup> FindCgroupV1(const CgroupRoots& roots) {
  const std::optional<std::string> path = CgroupPathOf(roots, "memory");
  if (!path) return nullptr;
  for (const CgroupMount& mount : ReadCgroupMounts(roots)) {
    if (mount.type != "cgroup" || (',' + mount.options + ',').find(",memory,") == std::string::npos) continue;
    const std::vector<std::string> folders = FoldersUpwards(mount, *path);
    if (!folders.empty() && ReadNumberFile(folders.front() + "/memory.usage_in_bytes"))
      return std::make_unique<CgroupV1>(folders, roots.proc);
  }
  return nullptr;
}

}  // namespace memprof
