// The largest container that the cluster can grant, where that is known: no advice goes beyond it. Pure functions; bytes.
#pragma once

#include <cstdint>
#include <optional>

#include "advice/advice.h"

namespace memprof {

struct Grant {
  uint64_t bytes = 0;
  const char* by = "";  // "yarn.scheduler.maximum-allocation-mb grants", "the host it ran on has"
};

// What bounds a container, as far as it is known.
struct GrantBounds {
  const SparkSettings* settings = nullptr;
  bool of_driver = false;
  std::optional<uint64_t> host_memory_bytes, cgroup_limit_bytes;
  bool host_is_group = false;  // of its NodeManager
};

// The least of YARN's bounds, where the driver's Hadoop configuration sets them, of the host's memory, and of the cgroup that a
// driver was started in. YARN bounds a driver in cluster mode only.
std::optional<Grant> LargestGrant(const GrantBounds& bounds);
std::optional<Grant> LargestGrant(const AdviceInput& input);
// Without the cgroup that a driver was started in: of the container itself, which is what would grow.
std::optional<Grant> LargestContainer(const AdviceInput& input);

// What a standalone worker has for the heaps (and off-heap budgets) of executors: an application that wants more waits for ever. By default
// it is all memory but 1 GiB of the host, or of the container that the worker runs in (WorkerArguments.inferDefaultMemory); an executor
// that has more shows that SPARK_WORKER_MEMORY was set. Nothing with other masters.
std::optional<Grant> WorkersMemory(const AdviceInput& input);

// Whether a container may be `more` bytes larger than what was requested. True where either isn't known.
bool MayBeGranted(const AdviceInput& input, uint64_t more);

// What was requested without the overhead; 0 where nothing is known.
uint64_t RequestBesideOverhead(const AdviceInput& input);

// An executor whose tasks are as large as those measured.
struct TasksThatFit {
  uint64_t tasks = 0;     // at once
  uint64_t overhead = 0;  // that these need beside the heap, with headroom
};

// The overhead needed for this much Python memory: without what pyspark.memory reserves, and with the JVM's native memory and what no
// process has.
uint64_t OverheadFor(const AdviceInput& input, uint64_t python_bytes);

// With as many tasks at once as fit into the largest grant, at most one for each core; nothing: not even one fits, or no grant is
// known.
std::optional<TasksThatFit> LargestFit(const AdviceInput& input);

}  // namespace memprof
