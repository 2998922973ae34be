// Options of the agent: the same keys on the agent path (comma separated) and behind spark.memprof., the latter winning.
// Sizes are those of base/size.h ("512k", "1m", plain bytes). A bad option is an error that names it and says what is
// allowed; the caller then leaves the JVM running without a profiler. Pure functions, thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace memprof {

// When the whole heap is walked, which stops the JVM: never, at an OutOfMemoryError of the heap, or also before, when it stays nearly full.
enum class HeapLooks : uint8_t { kNever, kAtErrors, kBeforeErrorsToo };

enum class Source : uint8_t { kLines, kNames, kNone };  // how much of the user's source leaves the executor

struct AgentOptions {
  bool enabled = true;
  uint64_t heap_interval_bytes = 512u << 10;     // `interval`; mean distance between two JVM heap samples
  uint64_t offheap_interval_bytes = 512u << 10;  // `offheap.interval`
  bool native = true;                            // `native.enabled`: malloc of JNI libraries
  uint64_t native_interval_bytes = 512u << 10;   // `native.interval`
  HeapLooks heap_looks = HeapLooks::kAtErrors;   // `heap.looks`: false, errors or true
  uint64_t task_max_bytes = 64u << 10;           // `task.maxBytes`; bound on a task profile when the caller gives none
  int patience = 1;                              // `patience`; factor on waits that give up, for a busy machine
  Source source = Source::kLines;                // `source`
  std::string redaction;                         // `spark.redaction.regex`; "" = our default
  bool container_counted = false;                // `container.counted`: that limit is on the sum of its processes
  uint64_t container_bytes = 0;                  // `container.bytes`: limit by the cluster manager, enforced without cgroups; 0: none
};

// One `key=value`. Keys that only the Java side or the Python shim reads are checked by name and value and otherwise ignored.
Status ApplyOption(std::string_view option, AgentOptions* options);

// What follows `=` on the agent path; one Status for each bad option, none when all are good. `text` may be null.
std::vector<Status> ParseAgentPath(const char* text, AgentOptions* options);

}  // namespace memprof
