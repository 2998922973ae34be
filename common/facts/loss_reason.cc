#include "facts/loss_reason.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>

namespace memprof {
namespace {

constexpr int kNoCode = -1;  // Spark on Kubernetes, for a pod whose containers have no status (UNKNOWN_EXIT_CODE)

// What YARN gives in place of an exit code (ContainerExitStatus): nobody saw the process end. Of preemption and its own limits on memory
// Spark tells in words.
enum YarnStatus {
  kAborted = -100,  // its node was lost or taken away
  kDisksFailed = -101,
  kEndedByApplication = -105,
  kEndedByResourceManager = -106,
  kApplicationEnded = -107,
  kEndedByScheduler = -108,
  kTooMuchLog = -109,
};

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  return lower;
}

template <size_t N>
bool ContainsAny(std::string_view text, const std::array<std::string_view, N>& parts) {
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) { return text.find(part) != text.npos; });
}

// The number behind the first phrase that has one. A negative one is the cluster manager's, not the process's own.
std::optional<int> StatusIn(std::string_view text) {
  static constexpr std::array<std::string_view, 5> kPhrases = {
      "exited with code ",  // standalone, local-cluster: Command exited with code 137
      "exit status: ",      // YARN: Container from a bad node: … Exit status: 137
      "exit code is ",      // YARN's diagnostics
      "exit code ",         // Kubernetes: exited with exit code 137(SIGKILL, possible container OOM)
      "exitcode: ",         // YARN: exitCode=…, as some versions write it
  };
  for (std::string_view phrase : kPhrases) {
    for (size_t at = text.find(phrase); at != text.npos; at = text.find(phrase, at + 1)) {
      std::string_view rest = text.substr(at + phrase.size());
      int code = 0;
      const bool is_number = std::from_chars(rest.data(), rest.data() + rest.size(), code).ec == std::errc();
      if (is_number && code >= -1000 && code <= 1000 && code != kNoCode) return code;
    }
  }
  return std::nullopt;
}

// YARN's diagnostics end with the container's own log ("Last 4096 bytes of stderr : …"), which may say anything.
std::string_view WithoutLogs(std::string_view lower) {
  constexpr std::string_view kLast = "last ", kBytes = " bytes of ";
  for (size_t at = lower.find(kLast); at != lower.npos; at = lower.find(kLast, at + 1)) {
    size_t end = at + kLast.size();
    while (end < lower.size() && lower[end] >= '0' && lower[end] <= '9') ++end;
    if (end != at + kLast.size() && lower.substr(end).starts_with(kBytes)) return lower.substr(0, at);
  }
  return lower;
}

LossKind KindOfYarnStatus(int status) {
  switch (status) {
    case kEndedByApplication:
    case kApplicationEnded:
      return LossKind::kOnPurpose;
    case kDisksFailed:
    case kEndedByResourceManager:
    case kEndedByScheduler:
    case kTooMuchLog:
      return LossKind::kEvicted;
    default:
      return LossKind::kUnknown;
  }
}

// Kubernetes says this of every container in which the kernel ever killed a process, also a Python worker or a sidecar. A container that
// ended by itself has another exit code. `own`: Spark's container, where it is told which one that is.
bool IsOomKilled(std::string_view text, const PodContainer* own, std::optional<int> exit_code) {
  const bool said = own == nullptr ? text.find("oomkilled") != text.npos : own->oom_killed;
  return said && exit_code.value_or(kExitSigkill) == kExitSigkill;
}

// The exit code is the kubelet's own word, for a container that it could not find. `own`: Spark's; nullptr: not known.
bool IsMadeUp(const std::vector<PodContainer>& containers, const PodContainer* own) {
  if (own != nullptr) return own->status_unknown;
  bool none = true;
  for (const PodContainer& each : containers) {
    if (each.ended && !each.status_unknown) return false;
    none = none && !each.ended;
  }
  return !none;
}

// "5.1 gb" (Hadoop's StringUtils.TraditionalBinaryPrefix). 0: it is no size.
struct ToldSize {
  uint64_t bytes = 0, unit = 0;
};
ToldSize ToldBytes(std::string_view text) {
  static constexpr std::array<std::string_view, 6> kUnits = {" b", " kb", " mb", " gb", " tb", " pb"};
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto unit = std::find(kUnits.begin(), kUnits.end(), text.substr(static_cast<size_t>(read.ptr - text.data())));
  constexpr double kMost = 8192;  // of any unit; YARN takes the next one from 1024 on
  if (read.ec != std::errc() || unit == kUnits.end() || !(number > 0 && number < kMost)) return {};
  const uint64_t of_unit = uint64_t{1} << (10 * (unit - kUnits.begin()));
  return {static_cast<uint64_t>(number * static_cast<double>(of_unit)), of_unit};
}

// Before " physical memory used".
std::optional<ToldUse> ToldUseIn(std::string_view text) {
  constexpr std::string_view kOf = " of ";
  const size_t end = text.find(" physical memory used");
  const size_t of = end == text.npos ? text.npos : text.substr(0, end).rfind(kOf);
  if (of == text.npos) return std::nullopt;
  const std::string_view used = text.substr(0, of);
  const size_t unit = used.rfind(' '), number = unit == used.npos || unit == 0 ? used.npos : used.rfind(' ', unit - 1);
  const size_t limit = of + kOf.size();
  const ToldSize before = ToldBytes(used.substr(number == used.npos ? 0 : number + 1)), bound = ToldBytes(text.substr(limit, end - limit));
  if (before.bytes == 0 || bound.bytes == 0) return std::nullopt;
  return ToldUse{before.bytes, bound.bytes, bound.unit / 20};
}

// Kubernetes, of a pod that its kubelet evicted: the pod's reason and message, as Spark repeats them.
std::optional<NodeShortage> EvictedFor(std::string_view text) {
  static constexpr std::array<std::string_view, 5> kNotMemory = {"low on resource: ", "ephemeral local storage usage exceeds",
                                                                 "exceeded its local ephemeral storage limit", "usage of emptydir volume",
                                                                 "imminent node shutdown"};
  if (text.find("low on resource: memory") != text.npos) return NodeShortage::kMemory;
  if (ContainsAny(text, kNotMemory)) return NodeShortage::kOther;
  return text.find("reason: evicted") != text.npos ? std::optional(NodeShortage::kNotTold) : std::nullopt;
}

}  // namespace

LossReason ParseLossReason(std::string_view text, std::string_view spark_container) {
  static constexpr std::array<std::string_view, 3> kMemory = {
      "exceeding physical memory limits",  // YARN: Container killed by YARN for …
      "exceeding virtual memory limits",
      "memory limits. current usage",  // YARN's diagnostics: is running beyond physical memory limits. Current usage: …
  };
  static constexpr std::array<std::string_view, 2> kVirtual = {"exceeding virtual memory limits", "beyond virtual memory limits"};
  static constexpr std::array<std::string_view, 2> kSilent = {
      "heartbeat timed out",  // of the executor, at the driver
      "worker lost",          // standalone: of its worker, at the master
  };
  // Standalone: the master saw that the worker's connection was closed. Its process ended, and then its executors end themselves
  // (WorkerWatcher), or all of them were killed together.
  static constexpr std::string_view kClosed = "got disassociated";
  static constexpr std::array<std::string_view, 10> kOnPurpose = {
      "killed by driver",                                   // dynamic allocation, SparkContext.killExecutors
      "decommission",                                       // Executor decommission: …
      "was preempted",                                      // YARN
      "exited because of a yarn event",                     // YARN, of a container that ended with 0
      "explicit termination request",                       // YARN, dynamic allocation
      "exited after application shutdown",                  // YARN
      "deleted by a user or the framework",                 // Kubernetes
      "executor killed due to idle timeout",                // some managers' own words for dynamic allocation
      "worker shutting down",                               // standalone: the worker ends its executors
      "shutdown hooks cannot be modified during shutdown",  // standalone: asked to start one, it was ending
  };
  const std::string whole = LowerCase(text);
  const std::string_view lower = WithoutLogs(whole);
  LossReason reason;
  const std::vector<PodContainer> containers = PodContainersIn(lower);
  const PodContainer* own = SparksOwn(containers, spark_container);
  std::optional<int> status = StatusIn(lower);
  const bool is_made_up = IsMadeUp(containers, own);
  if (is_made_up) status.reset();
  if (!status && own != nullptr && !is_made_up) status = own->exit_code;  // Spark looks for it by a name that a pod template may not use
  if (const PodContainer* failed = FirstFailed(containers); failed != nullptr && !status && !is_made_up) reason.container = *failed;
  (status >= 0 ? reason.exit_code : reason.yarn_status) = status;
  reason.oom_unsaid = own != nullptr && own->ended && !own->oom_killed && reason.exit_code == kExitSigkill;
  reason.silent = !reason.exit_code && ((ContainsAny(lower, kSilent) && lower.find(kClosed) == lower.npos) || status == kAborted);
  reason.with_worker = !reason.exit_code && lower.find("worker lost") != lower.npos && lower.find(kClosed) != lower.npos;
  const std::optional<NodeShortage> evicted_for = EvictedFor(lower);
  const LossKind of_yarn = KindOfYarnStatus(reason.yarn_status.value_or(0));
  const bool of_yarn_limit = ContainsAny(lower, kMemory);
  if (of_yarn_limit || IsOomKilled(lower, own, reason.exit_code)) {
    reason.kind = LossKind::kContainerMemory;
    reason.of_any_kill = !of_yarn_limit;
    reason.of_virtual_memory = ContainsAny(lower, kVirtual);
    if (!reason.of_virtual_memory) reason.told = ToldUseIn(lower);
  } else if (evicted_for) {
    reason.kind = LossKind::kEvicted;
    reason.evicted_for = *evicted_for;
  } else if (own != nullptr && reason.container) {
    reason.kind = LossKind::kBeside;
  } else if (ContainsAny(lower, kOnPurpose) || status == 0 || of_yarn == LossKind::kOnPurpose) {
    reason.kind = LossKind::kOnPurpose;
    reason.by_driver = lower.find("killed by driver") != lower.npos;
    reason.decommissioned = lower.find("decommission") != lower.npos;
  } else if (reason.exit_code) {
    reason.kind = LossKind::kExit;
  } else if (of_yarn == LossKind::kEvicted) {
    reason.kind = of_yarn;
    reason.evicted_for = NodeShortage::kOther;
  }
  return reason;
}

bool IsCodeOfOutOfMemory(int exit_code) {
  static constexpr int kCodes[] = {kExitSparkOom, kExitSparkUncaught, kExitHotSpotOom, kSignalBase + SIGABRT, kSignalBase + SIGTERM};
  return std::find(std::begin(kCodes), std::end(kCodes), exit_code) != std::end(kCodes);
}

std::string ExitCodePhrase(int exit_code) {
  switch (exit_code) {
    case kSignalBase + SIGKILL:
    case kSignalBase + SIGTERM:
    case kSignalBase + SIGABRT:
    case kSignalBase + SIGBUS:
    case kSignalBase + SIGSEGV:
    case kSignalBase + SIGILL:
    case kSignalBase + SIGFPE:
      return fmt::format("{} ({})", exit_code, SignalName(exit_code - kSignalBase));
    case kExitSparkOom:
      return "52 (Spark's code for an OutOfMemoryError)";
    case kExitSparkNoHeartbeat:
      return "56 (Spark's code for an executor that could not reach its driver)";
    case kExitSparkGivenUp:
      return "58 (Spark's code for an executor that its driver had given up)";
    default:
      return fmt::format("{}", exit_code);
  }
}

std::string SignalName(int signal) {
  switch (signal) {
    case SIGABRT:
      return "SIGABRT";
    case SIGBUS:
      return "SIGBUS";
    case SIGFPE:
      return "SIGFPE";
    case SIGILL:
      return "SIGILL";
    case SIGKILL:
      return "SIGKILL";
    case SIGSEGV:
      return "SIGSEGV";
    case SIGTERM:
      return "SIGTERM";
    default:
      return fmt::format("signal {}", signal);
  }
}

}  // namespace memprof
