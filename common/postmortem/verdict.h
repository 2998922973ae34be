// Memory or not: weighs the evidence of one death, the kernel's own count first. Error texts of tasks prove nothing and are no
// part of it, but for the JVM's own word on what it ran short of, where an exit code says that it ended so. Pure function.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "advice/jvm_shortage.h"
#include "postmortem/loss_reason.h"

namespace memprof {

// A container that dies by SIGKILL, or without a word, was killed for memory if its last sample stood at least so high.
inline constexpr double kNearLimit = 0.85;
// A heap that is as full as this when its JVM exits by HotSpot's own code ran out.
inline constexpr double kFullHeap = 0.9;

struct DeathEvidence {
  LossReason loss;
  std::optional<uint64_t> limit_bytes;  // what could have killed it: the container's, else the host's memory
  std::optional<uint64_t> used_bytes;   // at the last sample
  // Kills of the kernel in its cgroup that this death explains, as counted after it; absent: nobody could look.
  std::optional<uint64_t> kernel_kills;
  std::string counted_by;  // who looked: "a later executor in the same cgroup"
  std::optional<uint64_t> heap_used_bytes, heap_max_bytes;
  bool exits_on_out_of_memory = false;   // -XX:+ExitOnOutOfMemoryError
  std::string heap_error;                // of the heap, as its agent told shortly before; empty: it told of none
  std::optional<JvmShortage> last_word;  // of its tasks, right before: an OutOfMemoryError
};

struct Verdict {
  bool out_of_memory = false;
  bool of_heap = false;    // an OutOfMemoryError of the heap, not the container
  bool of_jvm = false;     // an OutOfMemoryError of another pool of the JVM
  bool by_switch = false;  // an OutOfMemoryError, as exit code and -XX:+ExitOnOutOfMemoryError tell: of what pool is not known
  std::string how;         // the evidence
};

Verdict Judge(const DeathEvidence& evidence);

// Of one Python worker. Its daemon ignores SIGCHLD, so that nobody can wait for it: what it has noted in its box of its end comes
// first, for it saw that itself.
struct WorkerEvidence {
  DeathEvidence death;       // limit, use and the kernel's kills; Spark gives no exit code
  int signal = 0;            // by its own last word; 0: it left none
  bool was_refused = false;  // memory, right before
};
Verdict JudgeWorker(const WorkerEvidence& evidence);

}  // namespace memprof
