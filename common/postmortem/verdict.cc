#include "postmortem/verdict.h"

#include <fmt/format.h>

#include <csignal>

#include "postmortem/pod_verdict.h"
#include "postmortem/unsaid_end.h"
#include "postmortem/use_at_death.h"
#include "report/units.h"
#include "report/views/text_page.h"

namespace memprof {
namespace {

// " at most 97 % of the heap was in use after a collection"; "" where none was reported.
std::string HeapUsePhrase(const DeathEvidence& evidence) {
  const double share = ShareOf(evidence.heap_used_bytes, evidence.heap_max_bytes);
  return share < 0 ? "" : fmt::format(" at most {} of the heap was in use after a collection", FormatPercent(share, 1));
}

std::string HeapPhrase(const DeathEvidence& evidence) {
  const std::string use = HeapUsePhrase(evidence);
  return EndPhrase(evidence.loss) + (use.empty() ? "" : ", and" + use);
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

// A JVM that kills itself on an OutOfMemoryError can't report it first. Only if two threads get the error at the same time, the second
// one may be reported.
Verdict ByUseOrByItself(const DeathEvidence& evidence) {
  const Verdict by_use = ByUse(evidence);
  if (!evidence.kills_itself_on_out_of_memory || !evidence.loss.exit_code) return by_use;
  const double heap = ShareOf(evidence.heap_used_bytes, evidence.heap_max_bytes);
  const bool had_room = heap >= 0 && heap < kRoomyHeap;
  if ((by_use.out_of_memory || by_use.maybe_of_memory) && (had_room || evidence.host_kills_rose)) return by_use;
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
  const std::string together = HostShare(evidence) < kFullHost ? "" : "; " + OnHostTogetherPhrase(evidence);
  return {.unknown = true,
          .how = fmt::format("{}{}{}: a program that ends itself and a JVM that gets no memory from the system end so; its log says which "
                             "(stderr, hs_err_pid*.log)",
                             EndPhrase(evidence.loss), UseThen(evidence), together)};
}

// The host was full, and what this one used of its own limit did not fill that, nor had its own limit less room than the host.
bool OthersFilledTheHost(const DeathEvidence& evidence) {
  const double share = ShareOf(evidence.used_bytes, evidence.limit_bytes);
  if (share < 0 || HostShare(evidence) < kFullHost) return false;
  if (evidence.limit_is_hosts) return share < kMostOfHost;
  if (evidence.limit_is_yarns) return ShareOf(evidence.used_bytes, evidence.host_memory_bytes) < kMostOfHost;  // no group has that limit
  return share < kNearLimit && *evidence.host_available_bytes < *evidence.limit_bytes - *evidence.used_bytes;
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

Verdict Weigh(const DeathEvidence& evidence) {
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
  if (loss.container && loss.kind != LossKind::kEvicted) {
    const bool told = !evidence.heap_error.empty() || (evidence.last_word && evidence.last_word->pool != JvmPool::kOther);
    const bool may_be_its_own = loss.kind != LossKind::kBeside && EndsOfOutOfMemory(*loss.container);
    return told && may_be_its_own ? ByOutOfMemoryError(evidence) : JudgePod(evidence);
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
  if (evidence.class_error && (by_sigterm || loss.exit_code == kSignalBase + SIGABRT)) {
    return {.unknown = true,
            .how = fmt::format("{}, and its JVM told of an OutOfMemoryError shortly before: {}; a JVM may be told to end so on one "
                               "(OnOutOfMemoryError, as YARN's are), and may do without that space",
                               EndPhrase(loss), PoolPhrase(evidence.class_error->pool))};
  }
  if (by_sigkill) return ByUseOrByItself(evidence);
  if (loss.exit_code == kExitGeneral) return ByGeneralError(evidence);
  if (loss.exit_code == kExitSparkNoHeartbeat || loss.exit_code == kExitSparkGivenUp) {
    return {.unknown = true,
            .how = EndPhrase(loss) + UseThen(evidence) + ": a broken connection and a JVM that did nothing but collect look alike"};
  }
  if (by_sigterm && HostsKillerMayHave(evidence)) {
    return {.unknown = true,
            .how = fmt::format("{}; {}, and a killer of the host's own, such as earlyoom, ends processes so", EndPhrase(loss),
                               OnHostTogetherPhrase(evidence))};
  }
  if (by_sigterm && evidence.kills_just_before > 0) {
    return {
        .unknown = true,
        .how = fmt::format("{}, right after the kernel had killed {} there: systemd, for one, ends a whole service then (OOMPolicy=stop)",
                           EndPhrase(loss) + UseThen(evidence), Counted(evidence.kills_just_before, "Python process"))};
  }
  // A JVM may be told to end so on an OutOfMemoryError, as YARN's are.
  if (by_sigterm && !evidence.used_bytes)
    return {.unknown = true, .how = EndPhrase(loss) + "; its use of memory is not known, nor whether it ran out of heap"};
  return {.how = EndPhrase(loss)};
}

}  // namespace

Verdict Judge(const DeathEvidence& evidence) {
  Verdict verdict = Weigh(evidence);
  verdict.of_group = verdict.of_host && evidence.host_is_group;
  return verdict;
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
  DeathEvidence seen = evidence.death;
  seen.seen_gone = true;
  Verdict verdict = Judge(seen);
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
