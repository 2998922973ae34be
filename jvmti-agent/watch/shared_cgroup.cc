#include "watch/shared_cgroup.h"

#include "watch/process_kind.h"

namespace memprof {

bool OtherExecutorIn(const MemoryCgroup& cgroup, const ProcFiles& proc, int32_t own_pid) {
  constexpr size_t kMaxSharingChecks = 2048;
  size_t checks = 0;
  for (const int32_t pid : cgroup.Processes()) {
    if (pid == own_pid || ++checks > kMaxSharingChecks) continue;
    const Result<std::vector<std::string>> command_line = proc.ReadCommandLine(pid);
    if (!command_line.ok() || !IsExecutorJvm(*command_line)) continue;
    const Result<ProcessStatus> status = proc.ReadStatus(pid);  // until its exec a child has our command line
    if (status.ok() && status->parent != own_pid) return true;
  }
  return false;
}

}  // namespace memprof
