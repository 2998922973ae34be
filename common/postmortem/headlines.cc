#include "postmortem/headlines.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "postmortem/driver_heap.h"
#include "postmortem/heap_errors.h"
#include "postmortem/incidents.h"
#include "report/digest.h"
#include "report/same_process.h"
#include "report/titles.h"
#include "report/units.h"

namespace memprof {
namespace {

std::string UsePhrase(std::optional<uint64_t> used, std::optional<uint64_t> limit) {
  if (!used) return "its use of memory is not known";
  if (!limit) return FormatBytes(*used) + " was in use";
  return fmt::format("{} of the limit was in use ({} of {})", FormatPercent(static_cast<double>(*used), static_cast<double>(*limit)),
                     FormatBytes(*used), FormatBytes(*limit));
}

// ", but not by the kernel: 99 % of the limit was in use (...), so ... may have killed it for its memory"
std::string OtherKillerPhrase(const Verdict& verdict, const std::string& use) {
  return fmt::format(", but not by {}: {}, so {} may have killed it for its memory", verdict.not_by, use, verdict.maybe_by);
}

const char* MemoryPhrase(const Verdict& verdict) {
  if (verdict.of_group) return "NodeManager's memory";
  return verdict.of_host ? "host's memory" : "memory";
}

// The bound is the manager's, and in its words.
std::string VirtualPhrase(const ReportPostMortem& death) {
  return death.used_bytes ? fmt::format("{} were resident", FormatBytes(*death.used_bytes)) : "how much was resident is not known";
}

std::string ShortagePhrase(const JvmShortage& shortage) {
  if (shortage.pool == JvmPool::kClassSpace) return "the JVM's classes had filled their bound (Compressed class space)";
  if (shortage.pool != JvmPool::kDirectBuffers) return "the JVM's classes had filled their bound (Metaspace)";
  if (!shortage.asked_bytes || !shortage.held_bytes || !shortage.limit_bytes) return "direct buffers had filled their bound";
  return fmt::format("direct buffers held {} of {} and {} more were asked for", FormatBytes(*shortage.held_bytes),
                     FormatBytes(*shortage.limit_bytes), FormatBytes(*shortage.asked_bytes));
}

// "task 7 (stage 3) asked for more in Book.add Book.java:41, with 470.1 MiB of 512.0 MiB in use"
std::string HeapErrorPhrase(const ReportPostMortem& death, const proto::HeapShortage& error) {
  const std::string who = WhoAsked(error);
  const std::string asked = HeapAskedPhrase(death.stack), use = HeapUsePhrase(*death.heap);
  std::string phrase = fmt::format("{} asked for more{}{}", who, asked.empty() ? "" : " in " + asked, use.empty() ? "" : ", with " + use);
  // Whoever asks last is not to blame for what others hold.
  if (error.task_attempt_id() < 0 && death.retained && !death.retained->sites.empty()) {
    const ReportRetainedSite& largest = death.retained->sites[0];
    if (largest.retained_bytes < HeapUsed(*death.heap).value_or(0) / 10) return phrase;
    phrase += fmt::format("; {} of it made by {}", FormatBytes(largest.retained_bytes),
                          MadePhrase(largest.frames, largest.stage_id, largest.thread));
  }
  return phrase;
}

// "; a failed attempt of stage 5 had allocated 623.7 MiB in Book.add Book.java:41, for SortExec": where nothing came of the tasks that ran.
std::string AttemptPhrase(const ReportPostMortem& death) {
  if (!death.sites_of_attempt || !death.stage_id || death.sites.empty()) return "";
  const ReportSite& largest = death.sites[0];
  const ReportFrame* lead = LeadOf(largest);
  const std::string of_line = lead == nullptr ? "" : FramePlace(*lead) + " " + FrameTitle(*lead);
  const std::string place = largest.origin == Origin::kJvmHeap ? HeapAskedPhrase(largest.frames) : of_line;
  if (place.empty()) return "";
  const bool is_live = largest.live_at_peak_bytes.value_or(0) != 0;
  return fmt::format("; a failed attempt of stage {} had {} {} in {}", *death.stage_id, is_live ? "held" : "allocated",
                     FormatBytes(is_live ? *largest.live_at_peak_bytes : largest.allocated_bytes), place);
}

// "; stage 5 had allocated most in Book.add Book.java:41, for SortExec"
std::string StagePhrase(const ReportPostMortem& death) {
  if (!death.stage_id) return "";
  const auto heap = std::find_if(death.sites.begin(), death.sites.end(), [](const auto& site) { return site.origin == Origin::kJvmHeap; });
  const std::string place = heap == death.sites.end() ? "" : HeapAskedPhrase(heap->frames);
  return fmt::format("; stage {} {}", *death.stage_id, place.empty() ? "ran" : "had allocated most in " + place);
}

// "at most 200.0 MiB of 512.0 MiB was in use after a full collection"; "" where none was reported.
std::string HeapUseThenPhrase(const ReportExecutor& executor) {
  if (!executor.heap_after_gc_peak || !executor.heap_max_bytes) return "";
  return fmt::format("at most {} of {} was in use after a {} collection", FormatBytes(executor.heap_after_gc_peak->bytes),
                     FormatBytes(*executor.heap_max_bytes), executor.heap_after_gc_peak->whole_heap ? "full" : "young");
}

// "; 4 Python workers held 1.2 GiB together, this one 310.0 MiB": the sum may have been too much, although no single worker's part was.
std::string TogetherPhrase(const ReportPostMortem& death) {
  uint64_t workers = 0, together = 0, own = 0;
  for (const ReportProcess& process : death.processes) {
    if (process.kind != "python-worker") continue;
    ++workers;
    together += process.peak_rss_bytes;
    if (IsOf(death, process)) own = process.peak_rss_bytes;
  }
  if (workers < 2 || own == 0) return "";
  return fmt::format("; {} Python workers held {} together, this one {}", workers, FormatBytes(together), FormatBytes(own));
}

// "the application ended 0.4 s later". Whether of the error isn't known; least where something of the program went on.
std::string EndedPhrase(const SurvivedHeapError& survived) {
  return fmt::format("the application ended {} later{}", FormatDuration(*survived.application_ended_after_ms),
                     survived.action_succeeded_later ? ", after an action that may be of another thread had succeeded" : "");
}

// "; it held 1.2 GiB": of a program, which no site tells of.
std::string OwnPhrase(const ReportPostMortem& death) {
  const auto own = std::find_if(death.processes.begin(), death.processes.end(), [&](const auto& process) { return IsOf(death, process); });
  return own == death.processes.end() ? "" : "; it held " + FormatBytes(own->peak_rss_bytes);
}

}  // namespace

// By its line: names of native frames may come late, and this is quoted early.
std::string LargestPhrase(const ReportPostMortem& death) {
  if (death.sites.empty() || death.sites_of_attempt || !death.used_bytes) return "";
  const ReportSite& largest = death.sites[0];
  const ReportFrame* lead = LeadOf(largest);
  const uint64_t held = largest.live_at_peak_bytes.value_or(0);
  if (lead == nullptr || held == 0 || held < *death.used_bytes / 10) return "";
  const std::string place = FramePlace(*lead) + " " + FrameTitle(*lead);
  if (largest.left_by_earlier_tasks) return fmt::format("; earlier tasks had left {} at {}", FormatBytes(held), place);
  return fmt::format("; {} held {}", place, FormatBytes(held));
}

std::string ExecutorHeadline(const ReportPostMortem& death, const Verdict& verdict, const ReportExecutor& executor,
                             const std::optional<JvmShortage>& shortage, const std::optional<proto::HeapShortage>& error,
                             const std::optional<ReportAction>& action) {
  std::string who = ExecutorTitle(death.executor_id);
  std::string end = death.exit_code ? ", exit code " + ExitCodePhrase(*death.exit_code) : "";
  if (verdict.of_heap && error) {
    return fmt::format("{} ran out of heap: {}{}{}", who, action ? BroughtPhrase(*action) + "; " : "", HeapErrorPhrase(death, *error), end);
  }
  if (verdict.of_array) {
    const std::string task =
        fmt::format("task {} (stage {}) failed of it", death.task_attempt_id.value_or(-1), death.stage_id.value_or(-1));
    return fmt::format("{} died of an OutOfMemoryError, for an array longer than a JVM allows: {}{}", who,
                       error ? HeapErrorPhrase(death, *error) : task, end);
  }
  if (verdict.of_heap || verdict.of_unknown_pool) {
    const char* what = verdict.of_heap ? "ran out of heap" : "died of an OutOfMemoryError";
    const std::string use = HeapUseThenPhrase(executor);
    const char* before = use.empty() ? "" : verdict.of_heap ? ": " : "; of its heap ";
    return fmt::format("{} {}{}{}{}{}", who, what, before, use, end, StagePhrase(death));
  }
  if (verdict.of_jvm) {
    const std::string whose = shortage->asked_by.empty() ? fmt::format("task {} (stage {}) failed", death.task_attempt_id.value_or(-1),
                                                                       death.stage_id.value_or(-1))
                                                         : shortage->asked_by + " asked for more";
    return fmt::format("{} died of an OutOfMemoryError: {} when {}{}", who, whose, ShortagePhrase(*shortage), end);
  }
  if (verdict.of_address_space)
    return fmt::format("{} was killed for its virtual memory, which is address space: {}", who, VirtualPhrase(death));
  if (verdict.out_of_memory)
    return fmt::format("{} was killed for its {}: {}{}{}", who, MemoryPhrase(verdict), UsePhrase(death.used_bytes, death.limit_bytes), end,
                       LargestPhrase(death) + AttemptPhrase(death));
  if (death.unknown && !death.used_bytes && !death.exit_code)
    return fmt::format("{} was lost; why is not known: no sample of it arrived", who);
  const std::string use = UsePhrase(death.used_bytes, death.limit_bytes);
  if (!verdict.of_container.empty())
    return fmt::format("{} was taken away with its pod, not for its own memory: {} failed; {}", who, verdict.of_container, use);
  if (verdict.maybe_of_memory)
    return fmt::format("{} {}{}{}{}", who, death.exit_code ? "was killed" : "was lost, perhaps killed", OtherKillerPhrase(verdict, use),
                       end, AttemptPhrase(death));
  if (verdict.with_worker) return fmt::format("{} was lost with its Worker; why is not known: {}", who, use);
  if (death.unknown) return fmt::format("{} was lost; why is not known: {}{}", who, use, end);
  return fmt::format("{} died, not of memory: {}{}", who, use, end);
}

std::string WorkerHeadline(const ReportPostMortem& death, const Verdict& verdict, int signal) {
  std::string who = WorkerTitle(death), use = UsePhrase(death.used_bytes, death.limit_bytes), place = PlacePhrase(death.stack);
  if (!place.empty()) place = " in " + place;
  if (death.out_of_memory && signal != 0) {
    return fmt::format("{} was refused memory and died of {}{}: {}", who, SignalName(signal), place, use);
  }
  if (death.out_of_memory) {
    const std::string killed = verdict.of_another ? fmt::format("{}, or another process of its container,", who) : who;
    return fmt::format("{} was killed for its {}: {}{}{}", killed, MemoryPhrase(verdict), use,
                       death.program.empty() ? LargestPhrase(death) : OwnPhrase(death), TogetherPhrase(death));
  }
  if (signal == SIGBUS && !death.address_space)
    return fmt::format("{} crashed, perhaps because /dev/shm was full: {}{}; {}", who, SignalName(signal), place, use);
  if (signal != 0 && death.unknown)
    return fmt::format("{} crashed right after memory was refused to it: {}{}; {}", who, SignalName(signal), place, use);
  if (signal != 0) return fmt::format("{} crashed, not of memory: {}{}; {}", who, SignalName(signal), place, use);
  if (death.unknown) return fmt::format("{} vanished; why is not known: {}", who, use);
  return fmt::format("{} died, not of memory: {}", who, use);
}

std::string DriversPythonHeadline(const ReportPostMortem& death, const Verdict& verdict) {
  const std::string who = fmt::format("The driver's Python process {}", death.pid.value_or(0));
  const std::string use = UsePhrase(death.used_bytes, death.limit_bytes);
  if (death.out_of_memory) return fmt::format("{} was killed for its {}: {}", who, MemoryPhrase(verdict), use);
  return fmt::format("{} died{}: {}", who, death.unknown ? "; why is not known" : ", not of memory", use);
}

std::string RefusalHeadline(const ReportPostMortem& death) {
  const ReportAddressSpace& space = *death.address_space;
  std::string place = PlacePhrase(death.stack);
  std::string asked = fmt::format("{} was refused memory: it asked for {}{}", WorkerTitle(death), FormatBytes(space.refused_bytes),
                                  place.empty() ? "" : " in " + place);
  if (!space.limit_bytes)
    return fmt::format("{}; nothing bounds its address space, and {} were resident", asked, FormatBytes(space.resident_bytes));
  return fmt::format("{}, with {} of its {} of address space reserved; {} were resident", asked, FormatBytes(space.virtual_bytes),
                     FormatBytes(*space.limit_bytes), FormatBytes(space.resident_bytes));
}

std::string RefusalEvidence(const ReportAddressSpace& space) {
  if (!space.limit_bytes) return "malloc or mmap refused it in its task, which failed of a MemoryError";
  std::string limit = "malloc or mmap refused it under RLIMIT_AS, which bounds what is reserved, and its task failed of a MemoryError; ";
  return limit + (ByReservationsOnly(space) ? "what was resident and what it asked for fit into the limit: reservations alone filled it"
                                            : "what was resident and what it asked for don't fit into the limit");
}

std::string HeapErrorEvidence(const SurvivedHeapError& survived) {
  const std::string error = survived.error.error().empty() ? "" : ": " + survived.error.error();
  const std::string then = survived.application_ended_after_ms ? EndedPhrase(survived)
                           : survived.end_unseen               ? "the application had ended before the executor did"
                                                               : "nobody died of it";
  return fmt::format("the JVM told of an OutOfMemoryError{}; {}", error, then);
}

std::string SurvivedHeadline(const ReportPostMortem& death, const SurvivedHeapError& survived, bool failed,
                             const std::optional<ReportAction>& action) {
  const char* end = survived.task == nullptr ? "" : failed ? "; the task failed" : "; the task went on";
  const std::string fate = survived.application_ended_after_ms ? ", and " + EndedPhrase(survived)
                           : survived.end_unseen               ? ""
                                                               : " and lived on, which is no death";
  const bool of_array = PoolOf(survived.error.error()) == JvmPool::kArray;
  const char* what = of_array ? "was asked for an array longer than a JVM allows" : "ran out of heap";
  return fmt::format("{} {}{}: {}{}{}", ExecutorTitle(death.executor_id), what, fate, action ? BroughtPhrase(*action) + "; " : "",
                     HeapErrorPhrase(death, survived.error), end);
}

}  // namespace memprof
