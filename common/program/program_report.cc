#include "program/program_report.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "blackbox/box_reader.h"
#include "profile/import_baseline.h"
#include "profile/rss_message.h"
#include "program/process_profile.h"
#include "proto/envelope.h"
#include "report/json.h"
#include "store/profile_store.h"
#include "system/memory_cgroup.h"
#include "system/proc_files.h"

namespace memprof {
namespace {

constexpr int32_t kStage = 0;

struct Process {
  BoxIdentity box;
  BoxSession session;
  std::optional<RssRows> rows;
};

// The program's first process, then its children in the order of their beginning.
std::vector<Process> ReadProcesses(const Program& program) {
  std::vector<Process> processes;
  for (const std::string& path : ListBoxes(program.box_directory, program.id)) {
    const Result<BoxReader> box = BoxReader::Open(path);
    if (!box.ok()) continue;
    const Result<RssRows> read = box->ReadRssRows();
    const std::optional<RssRows> rows = read.ok() ? std::optional(*read) : std::nullopt;
    for (const BoxReader::SessionKey& key : box->Sessions()) {
      if (key.task_attempt_id < 0) continue;
      Result<BoxSession> session = box->ReadSession(key.number);
      if (session.ok()) processes.push_back({box->identity(), *std::move(session), rows});
    }
  }
  std::sort(processes.begin(), processes.end(), [&](const Process& a, const Process& b) {
    const auto order = [&](const Process& process) {
      return std::tuple(process.box.pid != program.pid, process.box.process_start_ticks, process.box.pid);
    };
    return order(a) < order(b);
  });
  return processes;
}

// The peak that the process read itself when it ended normally; otherwise the largest RSS that was measured.
uint64_t PeakRssOf(const BoxSession& session) {
  uint64_t peak = session.rss_max_bytes;
  for (const BoxCounter& counter : session.counters) {
    if (counter.name == kPeakRssCounter) peak = std::max(peak, counter.value);
  }
  return peak;
}

std::string SnapshotOf(const Program& program, const std::vector<Process>& processes) {
  proto::Envelope envelope = EnvelopeOf("driver");
  proto::ExecutorSnapshot& snapshot = *envelope.mutable_executor();
  snapshot.set_taken_ms(program.ended_ms);
  snapshot.set_host(program.host);
  const uint64_t host_memory = ProcFiles().HostMemory().value_or(0);
  snapshot.set_host_memory_bytes(host_memory);
  const Result<std::unique_ptr<MemoryCgroup>> cgroup = FindMemoryCgroup();
  const std::optional<uint64_t> limit = cgroup.ok() ? (*cgroup)->Limit(host_memory) : std::nullopt;
  const std::string why_unseen = WhyALimitMayBeUnseen(cgroup);
  if (limit) {
    snapshot.set_cgroup_limit_bytes(*limit);
  } else if (!why_unseen.empty()) {
    SetLimitUnseen(why_unseen, &snapshot);
  }
  for (const Process& process : processes) {
    proto::Process& row = *snapshot.add_processes();
    row.set_pid(process.box.pid);
    row.set_start_ticks(process.box.process_start_ticks);
    row.set_kind("python-driver");
    row.set_peak_rss_bytes(PeakRssOf(process.session));
    if (process.rows) AddRssRows(*process.rows, &row);
    ImportBaseline baseline;
    baseline.start_rss_bytes = process.session.rss_at_open_bytes;
    baseline.as_of_session = process.session.number;
    baseline.modules = ImportedModulesOf({&process.session});
    AddBaseline(baseline, false, &row);
  }
  AddNotAvailable("executors.atPeak", "a program without Spark has no executor that watches its processes", &snapshot);
  return envelope.SerializeAsString();
}

}  // namespace

Result<Report> ProgramModel(const Program& program) {
  const std::vector<Process> processes = ReadProcesses(program);
  if (processes.empty()) {
    return Status::Error(ErrorCode::kNotFound, "%s: no process of the program left a profile", program.box_directory.c_str());
  }
  ProfileStore store;
  const auto tasks = static_cast<int32_t>(processes.size());
  store.ApplicationStarted(program.id, program.name, "", processes.front().box.python_version, "program", program.started_ms);
  store.StageSubmitted(kStage, 0, program.name, "", tasks, program.started_ms);
  Status status = store.Ingest(SnapshotOf(program, processes));
  for (int32_t task = 0; task < tasks && status.ok(); ++task) {
    for (const std::string& message : ProcessMessages({processes[task].box, processes[task].session}, program.name, task)) {
      if (status.ok()) status = store.Ingest(message);
    }
    store.TaskEnded({.task_attempt_id = task,
                     .stage_id = kStage,
                     .stage_attempt = 0,
                     .partition = task,
                     .attempt_number = 0,
                     .executor_id = "driver",
                     .time_ms = program.ended_ms});
  }
  if (!status.ok()) return status;
  store.StageCompleted(kStage, 0, program.failure, program.ended_ms);
  store.ApplicationEnded(program.ended_ms);
  return store.Model(false);
}

Result<std::string> ProgramReportJson(const Program& program) {
  const Result<Report> report = ProgramModel(program);
  if (!report.ok()) return report.status();
  return WriteReportJson(*report);
}

}  // namespace memprof
