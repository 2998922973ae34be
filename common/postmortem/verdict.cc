#include "postmortem/verdict.h"

#include <fmt/format.h>

#include <csignal>

#include "report/units.h"
#include "report/views/text_page.h"

namespace memprof {
namespace {

double ShareOf(std::optional<uint64_t> part, std::optional<uint64_t> whole) {
  if (!part || whole.value_or(0) == 0) return -1;
  return static_cast<double>(*part) / static_cast<double>(*whole);
}

// Of its host's memory, what all on it together used; -1: not known.
double HostShare(const DeathEvidence& evidence) {
  const std::optional<uint64_t> host =
      evidence.host_memory_bytes || !evidence.limit_is_hosts ? evidence.host_memory_bytes : evidence.limit_bytes;
  const double available = ShareOf(evidence.host_available_bytes, host);
  return available < 0 ? -1 : 1 - available;
}

std::string EndPhrase(const LossReason& loss) {
  if (loss.yarn_status) return fmt::format("YARN gives status {} and no exit code", *loss.yarn_status);
  return loss.exit_code ? "exit code " + ExitCodePhrase(*loss.exit_code) : "Spark gives no exit code";
}

// " at most 97 % of the heap was in use after a collection"; "" where none was reported.
std::string HeapUsePhrase(const DeathEvidence& evidence) {
  const double share = ShareOf(evidence.heap_used_bytes, evidence.heap_max_bytes);
  return share < 0 ? "" : fmt::format(" at most {} of the heap was in use after a collection", FormatPercent(share, 1));
}

std::string HeapPhrase(const DeathEvidence& evidence) {
  const std::string use = HeapUsePhrase(evidence);
  return EndPhrase(evidence.loss) + (use.empty() ? "" : ", and" + use);
}

// ", with 33 % of the limit in use at the last sample"; "" where that is not known.
std::string UseThen(const DeathEvidence& evidence) {
  const double share = ShareOf(evidence.used_bytes, evidence.limit_bytes);
  return share < 0 ? "" : fmt::format(", with {} of the limit in use at the last sample", FormatPercent(share, 1));
}

// The agent knows of an error, and that HotSpot kills at the first one.
bool KilledItself(const DeathEvidence& evidence) {
  return evidence.kills_itself_on_out_of_memory && evidence.loss.exit_code == kExitSigkill && !evidence.heap_error.empty();
}

Verdict OfHeap(const DeathEvidence& evidence) {
  const std::string& error = evidence.heap_error;
  return {.out_of_memory = true,
          .of_heap = true,
          .how = error.empty() ? HeapPhrase(evidence) + "; its task's OutOfMemoryError was of the heap"
                               : fmt::format("{}, and its JVM's last word was an OutOfMemoryError: {}{}", EndPhrase(evidence.loss), error,
                                             KilledItself(evidence) ? "; it is told to kill itself so then (OnOutOfMemoryError)" : "")};
}

const char* PoolPhrase(JvmPool pool) {
  switch (pool) {
    case JvmPool::kDirectBuffers:
      return "its direct buffers had filled their bound";
    case JvmPool::kMetaspace:
      return "its classes had filled their bound (Metaspace)";
    case JvmPool::kClassSpace:
      return "its classes had filled their bound (Compressed class space)";
    case JvmPool::kThreads:
      return "it could make no more threads, which a limit of threads or processes bounds (ulimit -u, pids.max)";
    case JvmPool::kArray:
      return "one array was to be longer than a JVM allows";
    case JvmPool::kOther:
    case JvmPool::kHeap:
      break;
  }
  return "its heap was full";
}

// It is not known what ran out: the heap, direct buffers, or space for classes.
Verdict ByExitCode(const DeathEvidence& evidence) {
  const bool of_spark = evidence.loss.exit_code == kExitSparkOom;
  return {.out_of_memory = true,
          .of_unknown_pool = true,
          .how = fmt::format("{}; {}of what error is not known", HeapPhrase(evidence),
                             of_spark ? "" : "-XX:+ExitOnOutOfMemoryError ends a JVM with this code, ")};
}

// Of what HotSpot calls the heap. When it was full, the error mostly has no text.
Verdict ByHeapError(const DeathEvidence& evidence) {
  if (PoolOf(evidence.heap_error) == JvmPool::kArray) return {.out_of_memory = true, .of_array = true, .how = OfHeap(evidence).how};
  return OfHeap(evidence);
}

// An exit by an OutOfMemoryError: its text says of what.
Verdict ByOutOfMemoryError(const DeathEvidence& evidence) {
  if (PoolOf(evidence.heap_error) == JvmPool::kArray || !evidence.last_word) return ByHeapError(evidence);
  const JvmPool pool = evidence.last_word->pool;
  const bool says_less = pool == JvmPool::kOther || pool == JvmPool::kArray;  // than the agent's own word
  if (pool == JvmPool::kHeap || (says_less && !evidence.heap_error.empty())) return OfHeap(evidence);
  if (pool == JvmPool::kOther) return ByExitCode(evidence);
  return {.out_of_memory = pool != JvmPool::kThreads,
          .of_jvm = pool != JvmPool::kThreads && pool != JvmPool::kArray,
          .of_array = pool == JvmPool::kArray,
          .how = fmt::format("{}, and its {} OutOfMemoryError says that {}", EndPhrase(evidence.loss),
                             evidence.last_word->asked_by.empty() ? "task's" : "JVM's", PoolPhrase(pool))};
}

// Pages that processes share are in the memory of each of them, so their sum may be more than what the host uses. A host that merely had
// some room proves nothing: its figure is up to a second older, and a second fills gigabytes.
bool CountsTwice(const DeathEvidence& evidence) {
  const double host = HostShare(evidence);
  if (!evidence.limit_is_hosts || host < 0) return false;
  return host < kMostOfHost || (ShareOf(evidence.used_bytes, evidence.limit_bytes) > 1 && host < kNearLimit);
}

// Killers in user space, which the kernel doesn't count (systemd-oomd, earlyoom), act before a host is full.
bool HostsKillerMayHave(const DeathEvidence& evidence) { return HostShare(evidence) >= kKillersAct; }

bool IsNearLimit(const DeathEvidence& evidence) {
  return ShareOf(evidence.used_bytes, evidence.limit_bytes) >= kNearLimit && !CountsTwice(evidence);
}

// Others end a container before it meets its limit, too: systemd-oomd by the time that it waits for memory, cluster managers by what
// they granted.
bool AnotherKillerMayHave(const DeathEvidence& evidence) { return HostsKillerMayHave(evidence) || IsNearLimit(evidence); }

// "; executor 8, the next one in it, found that the kernel killed nothing in its cgroup"; "" where nobody could look.
std::string FoundNothing(const DeathEvidence& evidence) {
  if (!evidence.kernel_kills) return "";
  return fmt::format("; {} found that the kernel killed nothing {}", evidence.counted_by,
                     evidence.counted_on_host ? "there" : "in its cgroup");
}

std::string KilledThere(const DeathEvidence& evidence) {
  return evidence.kills_of_any_time ? "; the kernel killed something in its cgroup for want of memory, then or at another time" : "";
}

std::string KilledOnHost(const DeathEvidence& evidence) {
  return evidence.host_kills_rose ? "; the kernel killed something on its host meanwhile, for want of memory" : "";
}

// Beside a use near the limit, which decides alone then.
std::string CountPhrase(const DeathEvidence& evidence) {
  const std::string killed = KilledOnHost(evidence) + KilledThere(evidence);
  return killed.empty() ? "; whether the kernel killed it is not known" : killed;
}

// A SIGKILL, or no exit code: nothing says who ended it.
Verdict ByUse(const DeathEvidence& evidence) {
  std::string how = EndPhrase(evidence.loss);
  const double share = ShareOf(evidence.used_bytes, evidence.limit_bytes);
  const std::string use = UseThen(evidence);
  if (evidence.loss.silent)
    return {.unknown = true,
            .how = how + use + "; nobody has heard from it: a kill, a long pause, a broken connection and a lost node look alike"};
  if (evidence.kernel_kills) {  // 0: the kernel did not do it
    const std::string found = FoundNothing(evidence);
    if (AnotherKillerMayHave(evidence)) {
      return {.unknown = true,
              .maybe_of_memory = IsNearLimit(evidence) && evidence.sample_age_ms.value_or(0) < kStaleSampleMs,
              .how = fmt::format("{}{}{}, but the cluster's or the host's own killer (earlyoom, systemd-oomd) may have killed it{}", how,
                                 use, found, evidence.loss.exit_code ? "" : "; or it crashed, or ended itself")};
    }
    if (!evidence.used_bytes && !evidence.limit_is_hosts) return {.unknown = true, .how = how + found + "; its use of memory is not known"};
    if (!evidence.loss.exit_code) return {.unknown = true, .how = how + use + found + "; it may have crashed, or ended itself"};
    return {.how = how + found + ": killed from outside"};
  }
  if (share < 0) return {.unknown = true, .how = how + "; its use of memory is not known"};
  const int64_t age_ms = evidence.sample_age_ms.value_or(0);
  how += use;
  if (age_ms >= kStaleSampleMs)
    return {.unknown = true, .how = fmt::format("{}, which was {} old{}", how, FormatDuration(age_ms), KilledThere(evidence))};
  const double host = HostShare(evidence);
  const bool counted_twice = CountsTwice(evidence);
  if (IsNearLimit(evidence)) return {.out_of_memory = true, .how = how + CountPhrase(evidence)};
  if (share >= kNearLimit) how += ", where pages that its processes share count for each of them";
  if (const double before = ShareOf(evidence.used_before_bytes, evidence.limit_bytes); before >= kNearLimit && !counted_twice)
    return {.unknown = true,
            .how = fmt::format("{}, without what workers had held that died since; with it {}", how, FormatPercent(before, 1))};
  const std::string together = fmt::format("all on it together used {}", FormatPercent(host, 1));
  if (evidence.limit_is_hosts && host >= kFullHost) {
    return {.out_of_memory = true, .of_host = share < kMostOfHost, .how = fmt::format("{}, which is the host's memory; {}", how, together)};
  }
  if (evidence.host_kills_rose)  // where nobody could say of which cgroup
    return {.unknown = true, .how = how + KilledOnHost(evidence)};
  if (evidence.kills_of_any_time) return {.unknown = true, .how = how + KilledThere(evidence)};
  if (evidence.limit_is_unseen)
    return {.unknown = true, .how = how + ", which is the host's memory; whether a container limits it lower can't be seen from inside"};
  const bool stale = age_ms >= kStaleHostSampleMs;
  if (!evidence.limit_is_hosts && host < (stale ? kNearLimit : kKillersAct)) return {.how = how};
  if (!evidence.limit_is_hosts)
    return {.unknown = true, .how = fmt::format("{}; but its host was {}full: {}", how, host < kFullHost ? "nearly " : "", together)};
  if (host < 0) return {.unknown = true, .how = how + ", which is the host's memory; how much others used of it is not known"};
  how += fmt::format(", which is the host's memory; {}", together);
  if (stale) return {.unknown = true, .how = fmt::format("{}, measured {} before its end", how, FormatDuration(age_ms))};
  if (HostsKillerMayHave(evidence)) return {.unknown = true, .how = how + "; a killer of the host's own may have acted"};
  return {.unknown = share >= kNearLimit && host >= kMostOfHost, .how = how};
}

// A JVM that kills itself on an OutOfMemoryError can't report it first. Only if two threads get the error at the same time, the second
// one may be reported.
Verdict ByUseOrByItself(const DeathEvidence& evidence) {
  const Verdict by_use = ByUse(evidence);
  if (!evidence.kills_itself_on_out_of_memory || !evidence.loss.exit_code) return by_use;
  const double heap = ShareOf(evidence.heap_used_bytes, evidence.heap_max_bytes);
  const bool had_room = heap >= 0 && heap < kRoomyHeap;
  if (by_use.out_of_memory && (had_room || evidence.host_kills_rose)) return by_use;
  const std::string use = HeapUsePhrase(evidence);
  return {.unknown = true,
          .maybe_of_heap = true,
          .how = fmt::format(
              "{}{}{}; its JVM is told to kill itself so on an OutOfMemoryError (OnOutOfMemoryError){}; if it did, its stdout says so",
              EndPhrase(evidence.loss), UseThen(evidence), FoundNothing(evidence), use.empty() ? "" : ", and" + use)};
}

// A JVM that the system refuses memory ends with this code, and writes why into its log. That needs no full host: a limit of address space,
// of mappings or of what may be promised (ulimit -v, vm.max_map_count, vm.overcommit_memory) is enough.
Verdict ByGeneralError(const DeathEvidence& evidence) {
  const double host = HostShare(evidence);
  const std::string together = host < kFullHost ? "" : fmt::format("; all on its host together used {}", FormatPercent(host, 1));
  return {.unknown = true,
          .how = fmt::format("{}{}{}: a program that ends itself and a JVM that gets no memory from the system end so; its log says which "
                             "(stderr, hs_err_pid*.log)",
                             EndPhrase(evidence.loss), UseThen(evidence), together)};
}

// The host was full, and what this one used of its own limit did not fill that.
bool OthersFilledTheHost(const DeathEvidence& evidence) {
  const double share = ShareOf(evidence.used_bytes, evidence.limit_bytes);
  return share >= 0 && share < (evidence.limit_is_hosts ? kMostOfHost : kNearLimit) && HostShare(evidence) >= kFullHost;
}

// Kubernetes' word is of every container in which the kernel ever killed a process, and it had killed a worker there before.
bool IsOfEarlierKill(const DeathEvidence& evidence) {
  const double share = ShareOf(evidence.used_bytes, evidence.limit_bytes);
  const bool is_fresh = evidence.sample_age_ms.value_or(0) < kStaleSampleMs;
  return evidence.loss.of_any_kill && evidence.kills_before > 0 && is_fresh && share >= 0 && share < kNearLimit;
}

// Ends by which HotSpot and Spark answer an OutOfMemoryError. No word of one has come, but the heap was that full.
bool MayHaveRunOutOfHeap(const DeathEvidence& evidence) { return ShareOf(evidence.heap_left_bytes, evidence.heap_max_bytes) >= kFullHeap; }

Verdict OfEviction(const LossReason& loss) {
  const std::string how = EndPhrase(loss) + (loss.yarn_status ? "; YARN took it away" : "; its node's manager evicted it");
  switch (loss.evicted_for) {
    case NodeShortage::kMemory:
      return {.out_of_memory = true, .of_host = true, .how = how + ", because the node ran short of memory"};
    case NodeShortage::kOther:
      return {.how = how + ", not for memory: its words say for what"};
    case NodeShortage::kNotTold:
      break;
  }
  return {.unknown = true, .how = how};
}

}  // namespace

Verdict Judge(const DeathEvidence& evidence) {
  const LossReason& loss = evidence.loss;
  if (KilledItself(evidence)) return ByHeapError(evidence);  // whatever else was killed in its container
  const bool by_sigkill = !loss.exit_code || *loss.exit_code == kExitSigkill;
  if (by_sigkill && evidence.kernel_kills.value_or(0) > 0) {
    // The kernel counts the kills of a full host in the victim's cgroup, too.
    return {.out_of_memory = true,
            .of_host = OthersFilledTheHost(evidence),
            .how = fmt::format("the kernel's oom_kill counter of its cgroup rose by {}, as {} found", *evidence.kernel_kills,
                               evidence.counted_by)};
  }
  if (loss.kind == LossKind::kContainerMemory && IsOfEarlierKill(evidence)) {
    return {.unknown = true,
            .how = fmt::format("{}{}; the cluster manager says OOMKilled, as of every container in which the kernel ever killed a process, "
                               "and it had killed {} there before",
                               EndPhrase(loss), UseThen(evidence), Counted(evidence.kills_before, "Python worker"))};
  }
  if (loss.kind == LossKind::kContainerMemory) {
    return {.out_of_memory = true,
            .of_host = loss.of_any_kill && OthersFilledTheHost(evidence),  // Kubernetes says the same of such a kill
            .of_address_space = loss.of_virtual_memory,
            .how = fmt::format("the cluster manager says that it killed the container for its {}",
                               loss.of_virtual_memory ? "virtual memory" : "memory")};
  }
  if (loss.kind == LossKind::kEvicted) return OfEviction(loss);
  if (loss.exit_code == kExitSparkOom || loss.exit_code == kExitHotSpotOom) {
    if (evidence.last_word || !evidence.heap_error.empty()) return ByOutOfMemoryError(evidence);
    if (loss.exit_code == kExitSparkOom || evidence.exits_on_out_of_memory) return ByExitCode(evidence);
  }
  // OnOutOfMemoryError (YARN's default), CrashOnOutOfMemoryError and Spark 3.5 (of an exception that the error caused) end a JVM so; alone
  // these codes prove nothing.
  const bool by_sigterm = loss.exit_code == kSignalBase + SIGTERM;
  const bool may_end_so = by_sigterm || loss.exit_code == kSignalBase + SIGABRT || loss.exit_code == kExitSparkUncaught;
  if (!evidence.heap_error.empty() || (may_end_so && evidence.last_word && evidence.last_word->pool != JvmPool::kOther))
    return ByOutOfMemoryError(evidence);
  if (may_end_so && MayHaveRunOutOfHeap(evidence)) {
    return {.unknown = true,
            .maybe_of_heap = true,
            .how = fmt::format("{}, and {} of the heap was in use after its last collection; a JVM may be told to end so on an "
                               "OutOfMemoryError, and of such an error no word has come",
                               EndPhrase(loss), FormatPercent(ShareOf(evidence.heap_left_bytes, evidence.heap_max_bytes), 1))};
  }
  if (by_sigkill) return ByUseOrByItself(evidence);
  if (loss.exit_code == kExitGeneral) return ByGeneralError(evidence);
  if (loss.exit_code == kExitSparkNoHeartbeat || loss.exit_code == kExitSparkGivenUp) {
    return {.unknown = true,
            .how = EndPhrase(loss) + UseThen(evidence) + ": a broken connection and a JVM that did nothing but collect look alike"};
  }
  if (by_sigterm && HostsKillerMayHave(evidence)) {
    return {.unknown = true,
            .how = fmt::format("{}; all on its host together used {}, and a killer of the host's own, such as earlyoom, ends processes so",
                               EndPhrase(loss), FormatPercent(HostShare(evidence), 1))};
  }
  // A JVM may be told to end so on an OutOfMemoryError, as YARN's are.
  if (by_sigterm && !evidence.used_bytes)
    return {.unknown = true, .how = EndPhrase(loss) + "; its use of memory is not known, nor whether it ran out of heap"};
  return {.how = EndPhrase(loss)};
}

Verdict JudgeWorker(const WorkerEvidence& evidence) {
  if (evidence.signal != 0) {
    std::string how = fmt::format("it noted {} in its black box as it died", SignalName(evidence.signal));
    if (evidence.was_refused && evidence.signal == SIGABRT)
      return {.out_of_memory = true, .how = how + ", right after malloc had refused it memory"};
    if (evidence.was_refused && (evidence.signal == SIGSEGV || evidence.signal == SIGBUS))
      return {.unknown = true,
              .how = how + ", right after malloc had refused it memory: code that doesn't look whether it got any crashes so"};
    if (evidence.signal == SIGBUS)
      return {
          .unknown = true,
          .how = how + ": a page of a mapped file had no room, as in a full /dev/shm, or was no longer there, as of a file that was cut"};
    return {.how = how};
  }
  const uint64_t kills = evidence.death.kernel_kills.value_or(0);
  if (evidence.rival && kills == 0) {
    return {.unknown = true,
            .how = fmt::format(
                "it vanished within a second after process {}, and the kernel's oom_kill counter of their cgroup rose for one of "
                "them only: it may have killed either",
                *evidence.rival)};
  }
  // Whoever ends a full container, other than the kernel, ends all of it, and nobody would tell of this worker. But the kernel's count of
  // a host says nothing of a container whose limit is its manager's.
  const bool near_managers_limit = evidence.death.counted_on_host && IsNearLimit(evidence.death);
  const bool user_space = HostsKillerMayHave(evidence.death) || near_managers_limit || !evidence.death.used_bytes;
  if (evidence.death.kernel_kills && *evidence.death.kernel_kills == 0 && !user_space) {
    return {.how = fmt::format(
                "it vanished with its task, the kernel's oom_kill counter of its {} did not rise, and its black box has no word of a "
                "crash: somebody killed it, or it ended itself",
                evidence.death.counted_on_host ? "host" : "cgroup")};
  }
  Verdict verdict = Judge(evidence.death);
  verdict.maybe_of_memory = false;
  if (kills == 0) return verdict;
  const auto doubt = [&verdict](const std::string& why) {
    verdict.of_another = true;
    verdict.how += "; but " + why;
  };
  if (evidence.was_ended) {
    doubt(
        "its task came to an end then, and Spark may have ended the process with it: if so, the kernel had killed another process of the "
        "container, such as one that a task had started");
  }
  if (evidence.rival) {
    doubt(
        fmt::format("process {} vanished within a second after it, for which the counter did not rise: the kernel may have killed that one "
                    "in its stead",
                    *evidence.rival));
  }
  if (evidence.outlived_kill_ms >= kOutlivedMs) {
    doubt(fmt::format("it lived for {} after that: the kernel may have killed another process of the container",
                      FormatDuration(evidence.outlived_kill_ms)));
    const double share = ShareOf(evidence.death.used_bytes, evidence.death.limit_bytes);
    verdict.unknown = share >= 0 && share < kNearLimit && HostShare(evidence.death) < kFullHost;
    verdict.out_of_memory = !verdict.unknown;
  }
  return verdict;
}

}  // namespace memprof
