#include "program/driver_end.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <tuple>
#include <utility>

#include "advice/driver_process.h"
#include "advice/figures.h"
#include "blackbox/box_reader.h"
#include "facts/charged_action.h"
#include "postmortem/action_titles.h"
#include "postmortem/driver_heap.h"
#include "postmortem/incidents.h"
#include "postmortem/verdict.h"
#include "program/held.h"
#include "report/digest.h"
#include "report/json.h"
#include "report/same_process.h"
#include "report/titles.h"
#include "report/units.h"
#include "report/verdict.h"
#include "report/views/post_mortem_text.h"

namespace memprof {
namespace {

constexpr int64_t kFreshMs = 10'000;
constexpr int64_t kNoticedMs = 5'000;  // so long after a worker's kill its death may be noticed

// The driver's own Python process: the first of those that left a box.
struct PythonEnd {
  int32_t pid = 0;
  uint64_t start_ticks = 0;
  bool ended_in_order = false;
  int signal = 0;  // as the process recorded it itself; 0: none
  int64_t last_sample_ms = 0;
};

std::optional<PythonEnd> FindPython(const Program& program) {
  std::optional<PythonEnd> first;
  for (const std::string& path : ListBoxes(program.box_directory, program.id)) {
    const Result<BoxReader> box = BoxReader::Open(path);
    if (!box.ok()) continue;
    if (first && first->start_ticks <= box->identity().process_start_ticks) continue;
    for (const BoxReader::SessionKey& key : box->Sessions()) {
      if (key.task_attempt_id < 0) continue;
      const Result<BoxSession> session = box->ReadSession(key.number);
      if (!session.ok()) continue;
      PythonEnd end;
      end.pid = box->identity().pid;
      end.start_ticks = box->identity().process_start_ticks;
      end.ended_in_order = key.closed || box->OwnerAlive();
      end.signal = NotedSignal(*session);
      first = end;
    }
  }
  return first;
}

// Signals of a death. SIGINT, SIGTERM and SIGHUP are requests to end, and an exit status above 128 may be the program's own.
bool IsDeath(int signal) {
  constexpr int kDeaths[] = {SIGKILL, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
  return std::find(std::begin(kDeaths), std::end(kDeaths), signal) != std::end(kDeaths);
}

const ReportExecutor* ExecutorIn(const Report& report, std::string_view id) {
  const auto found = std::find_if(report.executors.begin(), report.executors.end(), [&](const auto& row) { return row.id == id; });
  return found == report.executors.end() ? nullptr : &*found;
}

// "node7" of "node7.example.com"; "" of an address and of the loopback's name, which say nothing about the host.
std::string_view NameOfHost(std::string_view host) {
  const bool is_address = host.find_first_not_of("0123456789.") == host.npos || host.find(':') != host.npos;
  return is_address || host.starts_with("localhost") ? "" : host.substr(0, host.find('.'));
}

// False: whatever killed it is not in the counter of the driver's cgroup, which also has the kills of cgroups within it. These have no
// larger limit.
bool MayShareCgroup(const ReportExecutor* executor, const ReportExecutor* driver, const DriverEnd& end) {
  if (executor == nullptr) return true;
  const std::string_view host = NameOfHost(executor->host), drivers_host = driver == nullptr ? "" : NameOfHost(driver->host);
  if (!host.empty() && !drivers_host.empty() && host != drivers_host) return false;
  return !end.limit_bytes || executor->limit_source != "cgroup" || executor->limit_bytes.value_or(0) <= *end.limit_bytes;
}

// The kernel's kills of the driver's own processes. The counter of its cgroup also has those of local workers, and of executors in the
// same cgroup, which are in the report already. A JVM that killed itself because its heap was full is in no counter.
void PutKernelKills(uint64_t counted, const DriverEnd& end, const Report& report, DeathEvidence& evidence) {
  const ReportExecutor* driver = ExecutorIn(report, "driver");
  uint64_t local = 0, perhaps = 0;
  for (const ReportPostMortem& death : report.post_mortems) {
    const bool by_kernel =
        death.out_of_memory && !death.survived && !death.heap && death.exit_code.value_or(kSignalBase + SIGKILL) == kSignalBase + SIGKILL;
    if (!by_kernel || death.time_ms < end.kills_since_ms) continue;
    const bool maybe_before = death.time_ms < end.kills_since_ms + kNoticedMs;
    if (death.executor_id == "driver" && !maybe_before) {
      ++local;
    } else if (death.executor_id == "driver" || MayShareCgroup(ExecutorIn(report, death.executor_id), driver, end)) {
      ++perhaps;
    }
  }
  const uint64_t kills = counted - std::min(counted, local);
  if (kills == 0 || kills > perhaps) {
    evidence.kernel_kills = kills;
  } else {
    evidence.host_kills_rose = true;  // whose end that was is not known
  }
}

ReportExecutor& DriverRow(Report& report) {
  const auto found = std::find_if(report.executors.begin(), report.executors.end(), [](const auto& row) { return row.id == "driver"; });
  if (found != report.executors.end()) return *found;
  report.executors.emplace_back().id = "driver";
  return report.executors.back();
}

// Takes the rows that a profiled process has measured itself, in place of those that its JVM read from outside.
void PutProcesses(const ReportExecutor& of_boxes, ReportExecutor& driver) {
  if (driver.host.empty()) driver.host = of_boxes.host;
  if (!driver.limit_bytes) {
    driver.limit_bytes = of_boxes.limit_bytes;
    driver.limit_source = of_boxes.limit_source;
    driver.limit_unseen = of_boxes.limit_unseen;
  }
  if (!driver.host_memory_bytes) driver.host_memory_bytes = of_boxes.host_memory_bytes;
  for (const ReportProcess& process : of_boxes.processes) {
    const auto seen = std::find_if(driver.processes.begin(), driver.processes.end(), [&](const auto& row) {
      return SameProcess(row.pid, row.start_ticks.value_or(0), process.pid, process.start_ticks.value_or(0));
    });
    if (seen == driver.processes.end()) {
      driver.processes.push_back(process);
      continue;
    }
    const uint64_t peak = std::max(seen->peak_rss_bytes, process.peak_rss_bytes);
    *seen = process;
    seen->unattributed_bytes += static_cast<int64_t>(peak) - static_cast<int64_t>(process.peak_rss_bytes);
    seen->peak_rss_bytes = peak;
  }
}

std::string UsePhrase(const ReportPostMortem& death) {
  if (!death.used_bytes) return "";
  if (!death.limit_bytes) return fmt::format("; {} was in use at its peak", FormatBytes(*death.used_bytes));
  return fmt::format("; {} of the limit was in use at its peak ({} of {})",
                     FormatPercent(static_cast<double>(*death.used_bytes), static_cast<double>(*death.limit_bytes)),
                     FormatBytes(*death.used_bytes), FormatBytes(*death.limit_bytes));
}

// The row of the driver's own Python among the stages; null: it was not profiled.
const ReportStage* OwnPython(const Report& report) {
  const auto found =
      std::find_if(report.stages.begin(), report.stages.end(), [](const auto& row) { return row.stage_id == kDriversPython; });
  return found == report.stages.end() ? nullptr : &*found;
}

// What the user's program had the JVM do when it died.
const ReportAction* ActionThen(const Report& report, int64_t time_ms) {
  ChargedAction<ReportAction> charged(time_ms);
  if (!report.driver) return nullptr;
  for (const ReportAction& action : report.driver->actions) {
    const uint64_t brought = action.result_bytes + action.broadcast_bytes;
    action.ended_ms ? charged.OfferEnded(action, brought, *action.ended_ms) : charged.OfferRunning(action, brought, action.started_ms);
  }
  return charged.get();
}

// A host that had room proves nothing: that was read every few seconds, and one fills gigabytes.
void PutFullHost(const DriverEnd& end, DeathEvidence& evidence) {
  if (!end.host_available_bytes || end.host_memory_bytes == 0) return;
  if (static_cast<double>(*end.host_available_bytes) > (1 - kKillersAct) * static_cast<double>(end.host_memory_bytes)) return;
  evidence.host_memory_bytes = end.host_memory_bytes;
  evidence.host_available_bytes = end.host_available_bytes;
}

ReportPostMortem DeathOf(const DriverEnd& end, const std::optional<PythonEnd>& python, const Report& report) {
  const bool of_python = !end.jvm_killed;
  ReportPostMortem death;
  death.executor_id = "driver";
  death.process = of_python ? "python-driver" : "jvm";
  death.exit_code = end.exit_status;
  death.time_ms = end.python.ended_ms;
  if (end.limit_bytes) {
    death.limit_bytes = end.limit_bytes;
  } else if (end.host_memory_bytes != 0) {
    death.limit_bytes = end.host_memory_bytes;
  }
  const ReportExecutor* row = ExecutorIn(report, "driver");
  if (row != nullptr) {
    for (const ReportProcess& process : row->processes) {
      if (!of_python && process.kind == "jvm") death.pid = process.pid;
    }
    if (row->at_peak) {  // the peak: a process that is killed for memory dies at its largest use
      death.used_bytes = row->at_peak->used_bytes;
      death.processes = row->at_peak->processes;
      death.last_sample_age_ms = std::max<int64_t>(0, death.time_ms - row->at_peak->time_ms);
    }
  }
  WorkerEvidence evidence;
  evidence.death.loss = {LossKind::kExit, end.exit_status};
  evidence.death.limit_bytes = death.limit_bytes;
  evidence.death.limit_is_hosts = !end.limit_bytes;
  PutFullHost(end, evidence.death);
  evidence.death.limit_is_unseen = !end.limit_bytes && row != nullptr && row->limit_unseen;
  if (end.jvm_killed && row != nullptr) {
    evidence.death.kills_itself_on_out_of_memory = row->kills_itself_on_out_of_memory;
    evidence.death.heap_max_bytes = row->heap_max_bytes;
    if (row->heap_after_gc_peak) evidence.death.heap_used_bytes = row->heap_after_gc_peak->bytes;
  }
  // A peak long before the end proves nothing about the end.
  if (death.last_sample_age_ms && *death.last_sample_age_ms < kFreshMs) {
    evidence.death.used_bytes = death.used_bytes;
    evidence.death.sample_age_ms = death.last_sample_age_ms;
  }
  if (end.kernel_kills && end.exit_status == kSignalBase + SIGKILL) PutKernelKills(*end.kernel_kills, end, report, evidence.death);
  evidence.death.counted_by = end.started_by + ", which had started it,";
  if (of_python && python) {
    death.pid = python->pid;
    evidence.signal = python->signal;
  }
  const Verdict verdict = evidence.signal != 0 ? JudgeWorker(evidence) : Judge(evidence.death);
  death.out_of_memory = verdict.out_of_memory;
  death.unknown = verdict.unknown;
  death.how = verdict.how;
  const std::string who =
      fmt::format("The driver's {}{}", of_python ? "Python process" : "JVM", death.pid ? fmt::format(" {}", *death.pid) : "");
  std::optional<HeldLine> held;
  std::string brought;
  const ReportAction* action = !of_python && death.out_of_memory ? ActionThen(report, death.time_ms) : nullptr;
  if (action != nullptr && MayFill(row == nullptr ? 0 : row->heap_max_bytes.value_or(0), *action)) {
    death.action = action->call_site;
    death.how += PlanPhrase(*action);
    if (end.report_ms != 0 && death.time_ms - end.report_ms >= kFreshMs) {
      death.how += fmt::format("; what ran then is known as of the report's last checkpoint, {} before",
                               FormatDuration(death.time_ms - end.report_ms));
    }
    brought = "; " + BroughtPhrase(*action);
  }
  if (const ReportStage* own = of_python ? OwnPython(report) : nullptr) {
    PutHeldSites(*own, death);
    held = HeaviestLine(*own);
  }
  const char* verb = verdict.of_host           ? " was killed for its host's memory"
                     : death.out_of_memory     ? " was killed for its memory"
                     : verdict.maybe_of_memory ? " was killed, not by the kernel, but perhaps by another killer for its memory"
                     : death.unknown           ? " died; why is not known"
                                               : " died, not of memory";
  death.headline =
      fmt::format("{}{} (exit code {}){}{}", who, verb, ExitCodePhrase(end.exit_status), HeldPhrase(held), brought + UsePhrase(death));
  if (!death.out_of_memory && !verdict.maybe_of_memory) return death;
  DriverProcessDeath process;
  process.of_python = of_python;
  if (held) {
    process.held_bytes = held->bytes;
    process.place = held->place;
  }
  process.used_bytes = death.used_bytes;
  process.limit_bytes = death.limit_bytes;
  process.of_host = verdict.of_host;
  process.host_memory_bytes = end.host_memory_bytes;
  process.limit_is_hosts = evidence.death.limit_is_hosts;
  process.limit_is_unseen = evidence.death.limit_is_unseen;
  if (row != nullptr) {
    process.heap_max_bytes = row->heap_max_bytes;
    process.heap_resident_bytes = ResidentHeap(*row).value_or(0);
    process.container = DriversContainerOf(*row, nullptr);
  }
  death.advice = AdviseDriverProcess(process);
  if (!death.action.empty()) death.advice.insert(death.advice.begin(), AdviseAgainst(*action));
  return death;
}

}  // namespace

Result<DriverReport> ReportOfDriver(const DriverEnd& end) {
  Report report;
  if (!end.report_json.empty()) {
    Result<Report> read = ReadReportJson(end.report_json);
    if (!read.ok()) return read.status();
    report = *std::move(read);
  }
  const std::optional<PythonEnd> python = FindPython(end.python);
  if (python) {
    Program program = end.python;
    program.pid = python->pid;
    Result<Report> boxes = ProgramModel(program);
    if (!boxes.ok() && end.report_json.empty()) return boxes.status();
    if (!boxes.ok()) boxes = Report{};  // without boxes the JVM's part is reported alone
    if (report.application.id.empty()) {
      report.application = boxes->application;
      report.sampling = boxes->sampling;
    }
    std::erase_if(report.stages, [](const ReportStage& stage) { return stage.stage_id == kDriversPython; });
    if (!boxes->stages.empty()) {
      ReportStage own = std::move(boxes->stages.front());
      own.stage_id = kDriversPython;
      own.name = "driver: " + program.name;
      if (!python->ended_in_order && end.exit_status != 0) own.status = "failed";
      report.stages.insert(report.stages.begin(), std::move(own));
      std::erase_if(report.not_available, [](const ReportNotAvailable& entry) { return entry.what == kDriversLines; });
    }
    if (!boxes->executors.empty()) PutProcesses(boxes->executors.front(), DriverRow(report));
  }
  DriverReport result;
  const int signal = !end.exited && end.exit_status > kSignalBase ? end.exit_status - kSignalBase : 0;
  const bool python_died = !end.jvm_killed && python && !python->ended_in_order;
  if (IsDeath(signal) && (end.jvm_killed || python_died)) {
    // Its JVM may have told of it, too, and knows less.
    if (!end.jvm_killed) std::erase_if(report.post_mortems, [](const auto& death) { return death.process == "python-driver"; });
    // This finding is for a driver that did not die.
    std::erase_if(report.findings, [](const ReportFinding& finding) { return finding.executor_id == "driver" && !finding.stage_id; });
    report.post_mortems.push_back(DeathOf(end, python, report));
    result.deaths.push_back({report.post_mortems.back().headline, PostMortemText(report.post_mortems.back())});
    if (end.jvm_killed) report.unfinished = true;
  }
  if (end.jvm_told) {
    for (const ReportPostMortem& death : report.post_mortems) {
      const bool own = death.executor_id == "driver" && death.process == "jvm" && !death.survived;
      if (own) result.deaths.push_back({death.headline, PostMortemText(death)});
    }
  }
  if (!python && !end.jvm_told && result.deaths.empty())
    return Status::Error(ErrorCode::kNotFound, "there is nothing that the report lacks");
  result.json = WriteReportJson(report);
  return result;
}

}  // namespace memprof
