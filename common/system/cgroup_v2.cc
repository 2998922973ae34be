// Version 2: one hierarchy for all controllers. memory.max is the limit of one group alone ("max" = none), so the smallest is searched
// on the way up; the root group has no memory files at all.
#include <algorithm>
#include <optional>

#include "system/cgroup_paths.h"
#include "system/kept_file.h"
#include "system/text_file.h"

namespace memprof {
namespace {

class CgroupV2 : public MemoryCgroup {
 public:
  struct Place {
    bool is_own = true;       // the innermost is the process's own
    bool sees_every = false;  // up to the hierarchy's root
  };

  CgroupV2(std::vector<std::string> folders, Place place, std::string proc)
      : folders_(std::move(folders)),
        place_(place),
        proc_(std::move(proc)),
        limiting_(Limiting(folders_)),
        stat_(limiting_ + "/memory.stat"),
        usage_(limiting_ + "/memory.current") {}

  std::optional<uint64_t> Limit(uint64_t host_memory_bytes) const override {
    std::optional<uint64_t> smallest;
    for (const std::string& folder : folders_) {
      const std::optional<uint64_t> limit = ReadNumberFile(folder + "/memory.max");
      if (limit && IsBound(*limit, host_memory_bytes) && (!smallest || *limit < *smallest)) smallest = limit;
    }
    return smallest;
  }

  Result<CgroupUse> Read() const override { return ReadCgroupUse(stat_, usage_, {"inactive_file", "active_file", "slab_reclaimable"}); }

  Result<uint64_t> ReadUsage() const override { return usage_.ReadNumber(); }

  std::optional<uint64_t> SwapLeft() const override {
    if (ReadNumberFile(proc_ + "/sys/vm/swappiness") == 0u) return 0;                     // a full group doesn't swap then
    const std::optional<uint64_t> most = ReadNumberFile(limiting_ + "/memory.swap.max");  // "max" is no number
    if (!most) return std::nullopt;
    return *most - std::min(*most, ReadNumberFile(limiting_ + "/memory.swap.current").value_or(0));
  }

  // A group's counter has the kills of all groups inside it: that of a group around ours has strangers'.
  std::optional<uint64_t> OomKills() const override {
    if (!place_.is_own) return std::nullopt;
    const Result<std::string> text = ReadTextFile(folders_.front() + "/memory.events", 4096);
    return text.ok() ? NumberOf(*text, "oom_kill") : std::nullopt;
  }
  std::string KillCounter() const override { return place_.is_own ? NameOfGroup(folders_.front(), proc_) : ""; }
  bool SeesEveryLimit() const override { return place_.sees_every; }

  std::vector<int32_t> Processes() const override { return ReadProcesses(folders_.front(), limiting_); }
  const std::string& path() const override { return limiting_; }

 private:
  static std::string Limiting(const std::vector<std::string>& folders) {
    std::string limiting = folders.front();
    std::optional<uint64_t> smallest;
    for (const std::string& folder : folders) {
      const std::optional<uint64_t> limit = ReadNumberFile(folder + "/memory.max");
      if (limit && (!smallest || *limit <= *smallest)) {  // of equal ones the outermost: it holds more processes
        smallest = limit;
        limiting = folder;
      }
    }
    return limiting;
  }

  std::vector<std::string> folders_;  // innermost first
  Place place_;
  std::string proc_, limiting_;
  KeptFile stat_, usage_;  // of the limiting group
};

}  // namespace

std::unique_ptr<MemoryCgroup> FindCgroupV2(const CgroupRoots& roots) {
  const std::optional<std::string> path = CgroupPathOf(roots, "");
  if (!path) return nullptr;
  for (const CgroupMount& mount : ReadCgroupMounts(roots)) {
    if (mount.type != "cgroup2") continue;
    std::vector<std::string> folders = FoldersUpwards(mount, *path);
    // A group to which memory isn't delegated has no such files: it counts in the group around it.
    const auto counts = [](const std::string& folder) { return ReadNumberFile(folder + "/memory.current").has_value(); };
    const auto counted = std::find_if(folders.begin(), folders.end(), counts);
    if (counted == folders.end()) continue;
    const CgroupV2::Place place{.is_own = counted == folders.begin(), .sees_every = IsWholeHierarchy(mount)};
    folders.erase(folders.begin(), counted);
    return std::make_unique<CgroupV2>(std::move(folders), place, roots.proc);
  }
  return nullptr;
}

}  // namespace memprof
