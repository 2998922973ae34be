// What Spark and the cluster managers say about an executor's end, in their own words. These words prove an exit code, a
// manager's own kill for memory, or a removal on purpose; everything else stays unknown. Pure functions; any text is allowed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "facts/pod_containers.h"

namespace memprof {

enum class LossKind {
  kUnknown,          // "Remote RPC client disassociated", "heartbeat timed out": it is gone; nothing else is known
  kExit,             // it ended with `exit_code`
  kContainerMemory,  // the manager says that it killed the container for its memory
  kBeside,           // another container of its pod failed, and Spark took the pod away; its own one ran
  kEvicted,          // its manager took it away: for what the node ran short of, or for something else
  kOnPurpose,        // dynamic allocation, decommission, preemption, a normal end: no post-mortem
};

enum class NodeShortage { kNotTold, kMemory, kOther };  // kOther: a disk, mostly

// "5.1 GB of 5 GB physical memory used": as YARN rounds them, to a tenth of their unit.
struct ToldUse {
  uint64_t used_bytes = 0, limit_bytes = 0;
  uint64_t rounded_bytes = 0;  // by which the limit may be off
};

struct LossReason {
  LossKind kind = LossKind::kUnknown;
  std::optional<int> exit_code;
  bool silent = false;             // nobody has heard of it, or of its node, for a while: it may be alive
  bool with_worker = false;        // standalone: its Worker's connection was closed, and executors end with their Worker
  bool by_driver = false;          // kOnPurpose: Spark's own driver asked for it
  bool decommissioned = false;     // Spark says only that, whatever has ended it
  bool of_virtual_memory = false;  // kContainerMemory: for its address space, not for resident memory
  bool oom_unsaid = false;         // Kubernetes: of its own container, which a SIGKILL ended, it does not say OOMKilled
  std::optional<ToldUse> told;     // kContainerMemory, on YARN: of what it was granted
  bool of_any_kill = false;        // kContainerMemory: said of every container in which the kernel ever killed a process (Kubernetes)
  // kBeside: the one that failed. Otherwise one of which it is not known whether it is Spark's own.
  std::optional<PodContainer> container;
  std::optional<int> yarn_status;  // what YARN gives in place of an exit code: negative
  NodeShortage evicted_for = NodeShortage::kNotTold;
};

// `spark_container`: what Spark calls its own container in a pod of Kubernetes.
LossReason ParseLossReason(std::string_view text, std::string_view spark_container = kSparkContainer);

// "137 (SIGKILL)", "52 (Spark's code for an OutOfMemoryError)", "1".
std::string ExitCodePhrase(int exit_code);

// "SIGSEGV"; "signal 40" for one without a name.
std::string SignalName(int signal);

inline constexpr int kSignalBase = 128;  // what a shell adds to the signal for an exit code
inline constexpr int kExitGeneral = 1;
inline constexpr int kExitSigkill = 137;
inline constexpr int kExitSparkOom = 52;  // SparkExitCode.OOM: the uncaught OutOfMemoryError of Spark's handler
// SparkExitCode.UNCAUGHT_EXCEPTION: Spark 3.5's handler takes an exception that an OutOfMemoryError has caused for any other.
inline constexpr int kExitSparkUncaught = 50;
inline constexpr int kExitSparkNoHeartbeat = 56;  // ExecutorExitCode.HEARTBEAT_FAILURE: it could not reach its driver
// ExecutorExitCode.BLOCK_MANAGER_REREGISTRATION_FAILED of Spark 4: its driver had given it up. Spark 3.5 ends it with 255.
inline constexpr int kExitSparkGivenUp = 58;
inline constexpr int kExitHotSpotOom = 3;  // -XX:+ExitOnOutOfMemoryError

// Whether a JVM may end with it because of an OutOfMemoryError: by Spark's handler, by HotSpot's, by CrashOnOutOfMemoryError, or by its own
// OnOutOfMemoryError with SIGTERM (YARN's default).
bool IsCodeOfOutOfMemory(int exit_code);

}  // namespace memprof
