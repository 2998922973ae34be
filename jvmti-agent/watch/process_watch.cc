#include "watch/process_watch.h"

#include <algorithm>
#include <utility>

#include "base/valid_utf8.h"

namespace memprof {
namespace {

constexpr int kMaxDepth = 8;  // wrapper scripts, daemon, worker, what a worker starts

// A JVM has hundreds. With fewer, listing all processes may cost more than it saves.
constexpr size_t kManyThreads = 64;
constexpr int kTryAgainAfter = 60;  // calls, if there were too many processes

bool IsProgram(const WatchedProcess& process) { return process.kind == ProcessKind::kProgram; }

}  // namespace

ProcessWatch::ProcessWatch(ProcFiles proc, int32_t jvm_pid, bool with_driver, bool with_names)
    : proc_(std::move(proc)), jvm_pid_(jvm_pid), with_driver_(with_driver), with_names_(with_names) {
  Adopt(jvm_pid, {ProcessKind::kJvm});
}

void ProcessWatch::Discover() {
  std::map<int32_t, Found> found{{jvm_pid_, {ProcessKind::kJvm}}};
  Descend(jvm_pid_, {ProcessKind::kJvm}, 0, &found);
  if (with_driver_) {
    const Result<ProcessStatus> jvm = proc_.ReadStatus(jvm_pid_);
    const auto own = proc_.ReadCommandLine(jvm_pid_);
    const auto parent = jvm.ok() ? proc_.ReadCommandLine(jvm->parent) : Result<std::vector<std::string>>(jvm.status());
    if (own.ok() && parent.ok() && IsPythonWithGateway(*parent, *own)) found.emplace(jvm->parent, Found{ProcessKind::kPythonDriver});
  }
  for (const auto& [pid, one] : found) {
    const auto known = living_.find(pid);
    const Result<uint64_t> start = proc_.ReadStartTicks(pid);
    if (known != living_.end() && start.ok() && known->second.start_ticks == *start) {
      // A fork gets its own command line only by exec, and new memory with it.
      if (one.kind == ProcessKind::kProgram && known->second.kind != one.kind)
        known->second = WatchedProcess{.pid = pid, .start_ticks = *start};
      known->second.kind = one.kind;
      known->second.name = one.name;
      known->second.owner = one.owner;
      continue;
    }
    if (known != living_.end()) {
      Bury(known->second);
      living_.erase(known);
    }
    Adopt(pid, one);
  }
}

void ProcessWatch::Descend(int32_t pid, const Found& parent, int depth, std::map<int32_t, Found>* found) {
  if (depth >= kMaxDepth || found->size() >= kMaxProcesses) return;
  for (const int32_t child : ChildrenOf(pid)) {
    const Result<std::vector<std::string>> command_line = proc_.ReadCommandLine(child);
    // Of an exiting process the command line is empty while its children are still its own: a local cluster's executor would seem to be
    // a wrapper, and its workers the driver's.
    if (!command_line.ok() || command_line->empty()) continue;
    const ProcessKind child_kind = KindOfChild(child, *command_line, parent.kind);
    if (child_kind == ProcessKind::kJvm) continue;  // another JVM's memory is its own agent's business
    const bool script_of_executor = child_kind == ProcessKind::kPythonDriver && !with_driver_;
    if (child_kind == ProcessKind::kProgram || script_of_executor) {
      if (IsLarge(child) || living_.contains(child)) {
        const std::string name = with_names_ ? ValidUtf8(proc_.ReadName(child)) : "";
        found->emplace(child, Found{ProcessKind::kProgram, name, parent.owner});
      }
      Descend(child, parent, depth + 1, found);
      continue;
    }
    const bool of_driver = child_kind == ProcessKind::kPythonDriver;
    found->emplace(child, Found{child_kind, "", of_driver ? parent.driver : ProcessName{}});
    const Result<uint64_t> start = proc_.ReadStartTicks(child);
    const ProcessName own = start.ok() ? ProcessName{child, *start} : ProcessName{};
    // A Python below a worker may have no box.
    const bool is_owner = child_kind == ProcessKind::kPythonWorker && parent.owner.pid == 0;
    const ProcessName driver = of_driver && parent.driver.pid == 0 ? own : parent.driver;
    Descend(child, {child_kind, "", is_owner ? own : parent.owner, driver}, depth + 1, found);
  }
}

// Each thread has a list of its own: where there are fewer processes, as in a container, these are looked through.
std::vector<int32_t> ProcessWatch::ChildrenOf(int32_t pid) {
  const size_t threads = pid == jvm_pid_ ? proc_.Threads(pid) : 0;
  if (threads < kManyThreads) return proc_.Children(pid);
  if (scans_to_skip_ == 0) {
    if (std::optional<std::vector<int32_t>> found = proc_.ChildrenByScan(pid, threads / 2)) return *std::move(found);
    scans_to_skip_ = kTryAgainAfter;
  }
  --scans_to_skip_;
  return proc_.Children(pid);
}

// A worker may have given itself another title (setproctitle).
ProcessKind ProcessWatch::KindOfChild(int32_t pid, const std::vector<std::string>& command_line, ProcessKind parent) const {
  const ProcessKind kind = KindOf(command_line, parent);
  const bool of_python = parent == ProcessKind::kPythonDaemon || parent == ProcessKind::kPythonWorker;
  if (kind != ProcessKind::kProgram || !of_python) return kind;
  const std::string program = proc_.ReadProgram(pid);
  const auto known = living_.find(pid);
  if (program.empty() && known != living_.end()) return known->second.kind;  // it is ending
  return IsInterpreter(program) ? ProcessKind::kPythonWorker : kind;
}

bool ProcessWatch::IsLarge(int32_t pid) const {
  const Result<uint64_t> rss = proc_.ReadRss(pid);
  return rss.ok() && *rss >= kLeastProgram;
}

void ProcessWatch::Adopt(int32_t pid, const Found& found) {
  if (living_.size() >= kMaxProcesses) return;
  const Result<uint64_t> start = proc_.ReadStartTicks(pid);
  if (!start.ok()) return;
  WatchedProcess process;
  process.pid = pid;
  process.start_ticks = *start;
  process.kind = found.kind;
  process.name = found.name;
  process.owner = found.owner;
  if (found.kind == ProcessKind::kJvm || found.kind == ProcessKind::kPythonDriver) {
    if (const Result<ProcessStatus> status = proc_.ReadStatus(pid); status.ok()) process.earlier_peak_bytes = status->rss_peak_bytes;
  }
  living_.emplace(pid, process);
}

void ProcessWatch::AdoptWorkers() {
  std::vector<int32_t> workers;
  for (const auto& [pid, process] : living_) {
    if (process.kind != ProcessKind::kPythonDaemon) continue;
    const std::vector<int32_t> children = proc_.Children(pid);
    workers.insert(workers.end(), children.begin(), children.end());
  }
  for (const int32_t pid : workers) {
    if (!living_.contains(pid)) Adopt(pid, {ProcessKind::kPythonWorker});
  }
}

void ProcessWatch::Tick(Peaks peaks) {
  AdoptWorkers();
  for (auto it = living_.begin(); it != living_.end();) {
    if (Measure(peaks, &it->second)) {
      ++it;
      continue;
    }
    Bury(it->second);
    it = living_.erase(it);
  }
}

// False: it has gone, or is a zombie.
bool ProcessWatch::Measure(Peaks peaks, WatchedProcess* process) const {
  if (peaks == Peaks::kKernels) {
    if (const Result<ProcessStatus> status = proc_.ReadStatus(process->pid); status.ok()) {
      const bool read_before = process->peak_bytes != 0;
      process->rss_bytes = status->rss_bytes;
      TakePeak(*status, process);
      // A peak between two ticks is higher than any reading, and its rows aren't known. It isn't taken at the first reading, whose
      // rows would then be lost.
      const bool is_news = read_before && status->rss_peak_bytes > process->earlier_peak_bytes;
      if (is_news) process->peak_bytes = std::max(process->peak_bytes, status->rss_peak_bytes);
      return true;
    }
  }
  const Result<uint64_t> rss = proc_.ReadRss(process->pid);  // in less than half of the time that status takes
  if (!rss.ok() || *rss == 0) return false;
  process->rss_bytes = *rss;
  if (*rss <= process->peak_bytes) return true;
  if (const Result<ProcessStatus> status = proc_.ReadStatus(process->pid); status.ok()) TakePeak(*status, process);
  return true;
}

void ProcessWatch::TakePeak(const ProcessStatus& status, WatchedProcess* process) {
  if (status.rss_bytes < process->peak_bytes) return;
  process->peak_bytes = status.rss_bytes;
  process->peak_anon_bytes = status.rss_anon_bytes;
  process->peak_file_bytes = status.rss_file_bytes;
  process->peak_shmem_bytes = status.rss_shmem_bytes;
}

template <typename Change>
bool ProcessWatch::WithProcess(const ProcessName& name, Change change) {
  bool found = false;
  const auto change_if_meant = [&](WatchedProcess& process) {
    if (process.pid != name.pid || process.start_ticks != name.start_ticks) return;
    change(process);
    found = true;
  };
  if (const auto known = living_.find(name.pid); known != living_.end()) change_if_meant(known->second);
  for (WatchedProcess& process : dead_) change_if_meant(process);
  return found;
}

void ProcessWatch::SetLastTask(const ProcessName& name, int64_t task_attempt_id) {
  WithProcess(name, [&](WatchedProcess& process) { process.last_task_attempt_id = task_attempt_id; });
}

bool ProcessWatch::SetRss(const ProcessRss& rss) {
  return WithProcess(rss.process, [&](WatchedProcess& process) {
    process.rows = rss.rows;
    process.peak_bytes = std::max(process.peak_bytes, rss.rows.rss_bytes);
  });
}

bool ProcessWatch::SetBaseline(const ProcessBaseline& baseline) {
  return WithProcess(baseline.process, [&](WatchedProcess& process) {
    if (!process.baseline) process.baseline.emplace();
    Renew(baseline.baseline, &*process.baseline);
  });
}

void ProcessWatch::SetEnded(const EndedProcess& process) {
  const auto& [pid, start_ticks] = process.name;
  const auto known = living_.find(pid);
  const bool seen = known != living_.end() && known->second.start_ticks == start_ticks && known->second.peak_bytes != 0;
  if (seen || Lives(process.name) || WasBuried(process.name) || gone_.size() >= kMaxProcesses) return;
  RememberBuried(process.name);
  WatchedProcess& unseen = gone_.emplace_back();
  unseen.pid = pid;
  unseen.start_ticks = start_ticks;
  unseen.kind = ProcessKind::kPythonWorker;
  unseen.end = process;
}

// A box's lock is lost without its process's end where that closes all its files, or starts another program.
bool ProcessWatch::Lives(const ProcessName& process) const {
  const Result<uint64_t> start = proc_.ReadStartTicks(process.pid), rss = proc_.ReadRss(process.pid);
  return start.ok() && *start == process.start_ticks && rss.ok() && *rss != 0;
}

bool ProcessWatch::WasBuried(const ProcessName& process) const {
  return std::find(buried_.begin(), buried_.end(), process) != buried_.end();
}

void ProcessWatch::RememberBuried(const ProcessName& process) {
  buried_.push_back(process);
  if (buried_.size() > kMaxProcesses) buried_.pop_front();
}

void ProcessWatch::Bury(const WatchedProcess& process) {
  if (process.peak_bytes == 0) return;  // never seen with memory
  const ProcessName name{process.pid, process.start_ticks};
  if (!WasBuried(name) && gone_.size() < kMaxProcesses) gone_.push_back(process);
  RememberBuried(name);
  dead_.push_back(process);
  dead_.back().alive = false;
  dead_.back().rss_bytes = 0;
  const bool many_programs = std::count_if(dead_.begin(), dead_.end(), IsProgram) > static_cast<ptrdiff_t>(kMaxDeadPrograms);
  if (dead_.size() <= kMaxDead && !many_programs) return;
  const auto order = [many_programs](const WatchedProcess& dead) { return std::pair(many_programs && !IsProgram(dead), dead.peak_bytes); };
  dead_.erase(std::min_element(dead_.begin(), dead_.end(), [&](const auto& a, const auto& b) { return order(a) < order(b); }));
}

}  // namespace memprof
