// Where a process's control groups are mounted: common to both versions. Cold, thread-safe.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "system/kept_file.h"
#include "system/memory_cgroup.h"

namespace memprof {

struct CgroupMount {
  std::string type;   // "cgroup" or "cgroup2"
  std::string root;   // which part of the hierarchy is mounted
  std::string point;  // where, CgroupRoots::files included
  std::string options;
};

// Of /proc/self/mountinfo.
std::vector<CgroupMount> ReadCgroupMounts(const CgroupRoots& roots);

// The path of a group in its hierarchy, from /proc/self/cgroup: of version 1's `controller`, or of version 2 when that is "".
std::optional<std::string> CgroupPathOf(const CgroupRoots& roots, std::string_view controller);

// Whether its top is that of the whole hierarchy, above which no group has a limit.
bool IsWholeHierarchy(const CgroupMount& mount);

// Folders from the group's own up to the mount point, innermost first; the mount point alone when a container shows no more. None where
// that shows other groups than ours: the host's, mounted into a container, or all of them but ours.
std::vector<std::string> FoldersUpwards(const CgroupMount& mount, const std::string& path);

// At or above it there is no limit; version 1 says 2^63 less a page then.
inline constexpr uint64_t kNoLimit = uint64_t{1} << 62;

// Whether a group's limit bounds anything: lxcfs shows a container its own limit as the memory of the host, so one of the same size does.
inline bool IsBound(uint64_t limit, uint64_t host_memory_bytes) {
  return limit < kNoLimit && (host_memory_bytes == 0 || limit <= host_memory_bytes);
}

// The folder and those inside it, nearest first; at most 512.
std::vector<std::string> FoldersBelow(const std::string& top);

// "/sys/fs/cgroup 4711 0b9c…": folder, inode and the host's boot. A folder that is made anew has another inode.
std::string NameOfGroup(const std::string& folder, const std::string& proc);

// What the kernel gives back when the group needs memory has these names in `stat`.
Result<CgroupUse> ReadCgroupUse(const KeptFile& stat, const KeptFile& usage, std::initializer_list<const char*> reclaimable);

// Pids of the group of its own and of all groups inside the limiting one, without repetition.
std::vector<int32_t> ReadProcesses(const std::string& own, const std::string& limiting);

// One file per version. Null when the version holds no memory controller for this process.
std::unique_ptr<MemoryCgroup> FindCgroupV1(const CgroupRoots& roots);
std::unique_ptr<MemoryCgroup> FindCgroupV2(const CgroupRoots& roots);

}  // namespace memprof
