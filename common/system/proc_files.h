// ProcFiles: processes as /proc shows them. Cost per call, idle machine: ReadRss 5 µs, ReadStatus 20 µs, Children 5 µs for each
// thread of the process, ChildrenByScan 5 µs for each process that there is. ReadPss takes 46 ms at 2 GB, because it walks
// the page tables and locks the process's memory map; use it rarely.
//
// A process that is gone gives kNotFound, one that belongs to somebody else kIo. Sizes in bytes. Thread-safe (no state).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace memprof {

struct ProcessStatus {
  int32_t parent = 0;
  uint64_t rss_bytes = 0, rss_anon_bytes = 0, rss_file_bytes = 0, rss_shmem_bytes = 0;
  uint64_t swap_bytes = 0;      // VmSwap: its own pages that lie there
  uint64_t rss_peak_bytes = 0;  // since exec or fork, as the kernel keeps it (VmHWM)
};

struct ProcessPss {
  uint64_t bytes = 0;      // resident pages, each divided by the number of processes that share it
  uint64_t rss_bytes = 0;  // by the same reading
};

struct HostSwap {
  uint64_t bytes = 0, free_bytes = 0;
};

// What is left of the host's memory, by one reading of /proc/meminfo.
struct HostRoom {
  std::optional<uint64_t> available_bytes;  // MemAvailable
  std::optional<HostSwap> swap;             // SwapTotal, SwapFree
};

class ProcFiles {
 public:
  explicit ProcFiles(std::string root = "/proc") : root_(std::move(root)) {}

  Result<uint64_t> ReadRss(int32_t pid) const;
  Result<ProcessStatus> ReadStatus(int32_t pid) const;
  Result<ProcessPss> ReadPss(int32_t pid) const;
  // With the pid it names a process for ever: clock ticks since boot.
  Result<uint64_t> ReadStartTicks(int32_t pid) const;
  Result<std::vector<std::string>> ReadCommandLine(int32_t pid) const;
  std::string ReadName(int32_t pid) const;     // "ffmpeg": as ps shows it, at most 15 bytes; "": not known
  std::string ReadProgram(int32_t pid) const;  // the path of the file that it runs; "": not known
  // Direct children. Where the kernel doesn't list them per thread, all processes are looked through.
  std::vector<int32_t> Children(int32_t pid) const;
  // The same by looking through all processes; null: there are more than `most`.
  std::optional<std::vector<int32_t>> ChildrenByScan(int32_t pid, size_t most) const;
  size_t Threads(int32_t pid) const;           // of a process; 0: not known
  std::optional<uint64_t> HostMemory() const;  // MemTotal
  HostRoom ReadHostRoom() const;
  // Processes that the kernel has killed for memory since it was booted, in cgroups, too (oom_kill of /proc/vmstat, Linux 4.13).
  std::optional<uint64_t> HostOomKills() const;
  std::string BootId() const;  // of the running kernel, other after each boot; "": not known

  const std::string& root() const { return root_; }

 private:
  std::string PathOf(int32_t pid, const char* file) const;

  std::string root_;
};

}  // namespace memprof
