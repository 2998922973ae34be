// MemoryCgroup: the container around a process, as its memory control group shows it. The group that counts is the one with the
// smallest limit on the process's path, because that one kills. Without a limit within physical memory there is no container, and
// use is the sum of the processes.
//
// use = usage - page cache, because a group whose job reads files may have 99 % usage and be healthy. All of the cache is subtracted,
// also its active half (files that were read twice), because the kernel drops that as well.
//
// Version 1 and 2 (and a container's view, where the path on the host is not visible) differ in files only; see
// cgroup_v1.cc and cgroup_v2.cc. A Read() costs about 17 µs, and two files stay open. Thread-safe (no state after Find).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace memprof {

struct CgroupUse {
  uint64_t usage_bytes = 0;
  // Page cache of files, inactive and active. In version 2 the kernel's caches of names and inodes, too (slab_reclaimable): a task that
  // walks many small files fills a container with them, and the kernel drops them before it kills anybody.
  uint64_t reclaimable_bytes = 0;
  uint64_t used_bytes() const { return usage_bytes > reclaimable_bytes ? usage_bytes - reclaimable_bytes : 0; }
};

class MemoryCgroup {
 public:
  virtual ~MemoryCgroup() = default;

  // Smallest limit on the path, if not above `host_memory_bytes` (0: not known); it may be changed while we run.
  virtual std::optional<uint64_t> Limit(uint64_t host_memory_bytes) const = 0;
  virtual Result<CgroupUse> Read() const = 0;      // of the limiting group, else of the process's own
  virtual Result<uint64_t> ReadUsage() const = 0;  // the first half of it, in 2 µs
  // What the limiting group may still put into swap; nullopt: as much as the host has.
  virtual std::optional<uint64_t> SwapLeft() const = 0;
  // Processes that the kernel killed in the process's own group and those inside, whichever group's limit it was for.
  virtual std::optional<uint64_t> OomKills() const = 0;
  virtual std::string KillCounter() const = 0;         // names this counter; a new group of the same path has another name; "": none
  virtual bool SeesEveryLimit() const = 0;             // false: a group outside the container's namespace may have a lower one
  virtual std::vector<int32_t> Processes() const = 0;  // of both groups and those inside, at most kMaxProcesses
  virtual const std::string& path() const = 0;         // folder of the limiting group

  static constexpr size_t kMaxProcesses = 4096;
};

struct CgroupRoots {
  std::string proc = "/proc";  // self/cgroup and self/mountinfo are read from here
  std::string files;           // goes before every mount point
};

// kNotFound when no memory controller holds this process, as on many laptops and in the root group of version 2. kIo when one may,
// but can't be seen from here (no /proc, nothing mounted, the whole host's mounted into a container); it says why.
Result<std::unique_ptr<MemoryCgroup>> FindMemoryCgroup(const CgroupRoots& roots = {});

// Why a limit may bind this process that isn't seen from here, by what was found; "": every limit is seen.
std::string WhyALimitMayBeUnseen(const Result<std::unique_ptr<MemoryCgroup>>& found);

}  // namespace memprof
