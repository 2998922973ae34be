// Memory or not: judges the evidence of one death, the kernel's own count first. Error texts of tasks prove nothing and are not
// used. The one exception is the JVM's own error about what it ran out of, if the exit code fits. Pure function.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "advice/jvm_shortage.h"
#include "facts/loss_reason.h"
#include "rollup/unexpected_end.h"

namespace memprof {

// A container that dies of SIGKILL was killed for memory if its last sample was at least this share of the limit. One that is merely heard
// of no more was, if its use had risen shortly before, too.
inline constexpr double kNearLimit = kNearlyFull;
// Likewise, of a whole host's memory that all together had used.
inline constexpr double kFullHost = 0.95;
// Killers in user space act before a host is full: earlyoom ends the largest process, by SIGTERM, when a tenth of the memory is left.
inline constexpr double kKillersAct = 0.88;
// Whoever used less of a full host is not who filled it.
inline constexpr double kMostOfHost = 0.5;
// An OutOfMemoryError of a heap that held less is rare: it takes one very large array, or a burst after the last collection.
inline constexpr double kRoomyHeap = 0.5;
// A heap that held as much after its last collection may have run out soon after.
inline constexpr double kFullHeap = 0.95;
// A sample that is older says nothing of how it died. While tasks run, one comes with every heartbeat (10 s).
inline constexpr int64_t kStaleSampleMs = 60'000;
// Nor does one of the host's memory, which anybody may fill: an older one proves no end by anything else.
inline constexpr int64_t kStaleHostSampleMs = 10'000;
// What the kernel kills is gone at once, in a full container within a tick or two. Whoever lives on for so long may have died of something
// else, and another have been killed.
inline constexpr int64_t kOutlivedMs = 1'000;

// A rise: by as much of the limit as begins a new climb for the agent's early warnings, within the half minute before the last sample
// (kLatelyMs).
inline constexpr double kRise = 0.03;

struct DeathEvidence {
  LossReason loss;
  std::string worker_took_too;          // standalone: another executor that was lost with the same Worker, far from any limit; empty: none
  std::optional<uint64_t> limit_bytes;  // the limit that could have killed it: the container's, else the host's memory
  std::optional<uint64_t> used_bytes;   // at the last sample, without what workers held that have died since
  // With it: the resident memory of a dead worker is more than its end gave back, where it had mapped files or shared pages.
  std::optional<uint64_t> used_before_bytes;
  std::optional<int64_t> sample_age_ms;
  bool seen_gone = false;    // its executor found that the process is gone: no connection broke
  bool rose_lately = false;  // by kRise of the limit within kLatelyMs, as the time line shows
  bool limit_is_hosts = false;
  bool host_is_group = false;                    // a YARN NodeManager's control group stands for the host
  bool limit_is_unseen = false;                  // likewise, and a container may have a lower one
  bool limit_is_yarns = false;                   // without a cgroup: its NodeManager ends who takes more, and says so in words
  std::optional<uint64_t> host_memory_bytes;     // absent: the limit, if that is the host's
  std::optional<uint64_t> host_available_bytes;  // what of it nobody used; absent: not known
  bool host_kills_rose = false;                  // the kernel has killed somebody on its host meanwhile
  bool kills_of_any_time = false;                // it has killed somebody in its cgroup, then, or a good while before or after
  uint64_t kills_before = 0;                     // of its own workers in its cgroup, well before
  uint64_t kills_just_before = 0;                // likewise, right before its end
  // Kills of the kernel in its cgroup that belong to this death, as counted after it; absent: nobody could read them.
  std::optional<uint64_t> kernel_kills;
  bool counted_on_host = false;                             // there were none on its whole host
  std::string counted_by;                                   // who read them: "executor 8, the next one in it,"
  std::optional<uint64_t> heap_used_bytes, heap_max_bytes;  // the most after a collection: of other moments it proves nothing
  std::optional<uint64_t> heap_left_bytes;                  // in use after its last collection, if that was shortly before
  bool exits_on_out_of_memory = false;                      // -XX:+ExitOnOutOfMemoryError
  bool kills_itself_on_out_of_memory = false;               // by SIGKILL: -XX:OnOutOfMemoryError="kill -9 %p"
  std::string heap_error;                                   // of the heap, as its agent reported shortly before; empty: none
  std::optional<JvmShortage> last_word;                     // of its tasks, right before, or its JVM's: an OutOfMemoryError
  std::optional<JvmShortage> class_error;                   // its JVM's, of space for classes, where the exit code does not prove it
};

struct Verdict {
  bool out_of_memory = false;
  bool of_heap = false;               // an OutOfMemoryError of the heap, not the container
  bool of_jvm = false;                // an OutOfMemoryError of another pool of the JVM
  bool of_array = false;              // an OutOfMemoryError of one array that is longer than any: nothing was full
  bool of_host = false;               // the host's memory, most of which others used
  bool of_group = false;              // of_host: of the NodeManager's control group that stands for it
  bool of_address_space = false;      // the cluster manager's bound on virtual memory
  bool of_unknown_pool = false;       // an OutOfMemoryError, by the exit code alone
  bool of_another = false;            // the kernel may have killed another process of the container in its stead
  bool unknown = false;               // neither for memory nor for anything else
  bool maybe_of_heap = false;         // unknown: its JVM kills itself on an OutOfMemoryError
  bool maybe_of_memory = false;       // unknown: one of those that kill for memory did not, but another may have, for it was near its limit
  bool with_worker = false;           // unknown: its standalone Worker is gone, too
  const char* not_by = "the kernel";  // maybe_of_memory: who did not
  const char* maybe_by = "the cluster manager, earlyoom or systemd-oomd";  // and who may have
  std::string of_container;  // another one of its pod, which failed, and whose end took the executor along; empty: none
  std::string how;           // the evidence
};

Verdict Judge(const DeathEvidence& evidence);

// Of one Python worker. Its daemon ignores SIGCHLD, so nobody can wait for it. What it recorded in its own box about its end
// comes first.
struct WorkerEvidence {
  DeathEvidence death;       // limit, use and the kernel's kills; Spark gives no exit code
  int signal = 0;            // as it recorded itself; 0: none
  bool was_refused = false;  // memory, right before
  bool was_ended = false;    // by Spark at that time, perhaps: its task had come to an end without failing
  // Another one that vanished with it. The kernel's count explains only the first of the two, and it may have been the other.
  std::optional<int32_t> rival;
  int64_t outlived_kill_ms = 0;  // it lived for so long after the kill that explains it
};
Verdict JudgeWorker(const WorkerEvidence& evidence);

}  // namespace memprof
