// ProcessWatch: an executor's JVM and every process below it, with the peak of each: Python's, and other programs that the JVM or a
// worker has started and that are larger than any wrapper script. Another JVM is left out, with all below it: it has an agent of its own.
// They are found by looking for children: in the whole tree by Discover(), among the daemons' children at every tick. The watcher calls
// Discover() once a second for five seconds after a task's start (in local mode always), otherwise every five seconds.
//
// A peak is VmRSS of one reading of /proc/pid/status; its rows are RssAnon, RssFile and RssShmem of the same reading. With
// Peaks::kKernels the kernel's own maximum (VmHWM) is taken, too, for peaks between two readings (the watcher asks once a second), unless
// the process had it before it was watched; what the rows don't explain of it is unattributed. A Python worker that is profiled measures
// better rows itself; they come from its box.
//
// At most kMaxProcesses living ones; of the dead, the kMaxDead with the highest peaks, kMaxDeadPrograms of which may be programs. Not
// thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "boxes/process_rss.h"
#include "boxes/worker_death.h"
#include "system/proc_files.h"
#include "watch/process_kind.h"

namespace memprof {

struct WatchedProcess {
  int32_t pid = 0;
  uint64_t start_ticks = 0;
  ProcessKind kind = ProcessKind::kProgram;
  std::string name;   // of a program, as ps shows it; "": not known, or withheld
  ProcessName owner;  // likewise, the daemon's child that it runs below; of a Python, the driver's own that has started it; pid 0: none
  bool alive = true;
  uint64_t rss_bytes = 0;  // at the last tick
  uint64_t peak_bytes = 0;
  uint64_t peak_anon_bytes = 0, peak_file_bytes = 0, peak_shmem_bytes = 0;
  uint64_t earlier_peak_bytes = 0;  // the kernel's, from before the application: of a JVM or a program that had others
  std::optional<RssRows> rows;      // as the process has measured itself
  std::optional<ImportBaseline> baseline;
  std::optional<int64_t> last_task_attempt_id;
  std::optional<EndedProcess> end;  // as its box told it: no tick has seen the process

  int64_t unattributed_bytes() const { return static_cast<int64_t>(peak_bytes - peak_anon_bytes - peak_file_bytes - peak_shmem_bytes); }
};

class ProcessWatch {
 public:
  static constexpr size_t kMaxProcesses = 1024;
  static constexpr size_t kMaxDead = 64, kMaxDeadPrograms = 8;  // the latter are part of the former

  static constexpr uint64_t kLeastProgram = 16 << 20;  // bytes; below it, it is a shell or a wrapper

  // `with_driver`: the JVM's own parent belongs to it when that is PySpark's program. `with_names`: of programs.
  ProcessWatch(ProcFiles proc, int32_t jvm_pid, bool with_driver, bool with_names = true);

  void Discover();                       // reads the whole tree; costly, because each thread of the JVM has a list of children
  enum class Peaks { kSeen, kKernels };  // the latter cost more
  void Tick(Peaks peaks = Peaks::kSeen);
  void SetLastTask(const ProcessName& name, int64_t task_attempt_id);
  // For a living or dead process; false: it isn't known (yet).
  bool SetRss(const ProcessRss& rss);
  bool SetBaseline(const ProcessBaseline& baseline);
  // Its black box says that it has ended. If no tick has seen it, and it has no memory any more, TakeGone() returns it, too, once.
  void SetEnded(const EndedProcess& process);

  // Those that have gone since the last call, with their resident memory at the tick before.
  std::vector<WatchedProcess> TakeGone() { return std::exchange(gone_, {}); }

  const std::map<int32_t, WatchedProcess>& living() const { return living_; }
  const std::vector<WatchedProcess>& dead() const { return dead_; }

 private:
  template <typename Change>
  bool WithProcess(const ProcessName& name, Change change);
  struct Found {
    ProcessKind kind = ProcessKind::kProgram;
    std::string name = {};
    ProcessName owner = {};
    ProcessName driver = {};  // likewise, the driver's own Python that it runs below
  };
  // `parent`: who or what is above these children; a wrapper counts as whoever has started it.
  void Descend(int32_t pid, const Found& parent, int depth, std::map<int32_t, Found>* found);
  std::vector<int32_t> ChildrenOf(int32_t pid);
  ProcessKind KindOfChild(int32_t pid, const std::vector<std::string>& command_line, ProcessKind parent) const;
  bool IsLarge(int32_t pid) const;
  void Adopt(int32_t pid, const Found& found);
  bool Lives(const ProcessName& process) const;
  bool WasBuried(const ProcessName& process) const;
  void RememberBuried(const ProcessName& process);
  void Bury(const WatchedProcess& process);
  void AdoptWorkers();
  bool Measure(Peaks peaks, WatchedProcess* process) const;
  static void TakePeak(const ProcessStatus& status, WatchedProcess* process);

  ProcFiles proc_;
  int32_t jvm_pid_;
  bool with_driver_, with_names_;
  int scans_to_skip_ = 0;
  std::map<int32_t, WatchedProcess> living_;
  std::vector<WatchedProcess> dead_, gone_;
  std::deque<ProcessName> buried_;  // the last kMaxProcesses
};

}  // namespace memprof
