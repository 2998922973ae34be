// Sites over all processes of a container at their last sample: the last profiles of the tasks that ran there, combined. Live
// bytes of tasks that ran at once are summed, because they were held at once. What tasks before them had left in their Python workers
// has rows of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "facts/facts.h"
#include "facts/named_stacks.h"
#include "report/model.h"

namespace memprof {

inline constexpr size_t kSitesShown = 20;

struct LastTask {
  int64_t task_attempt_id = 0;
  const TaskFacts* task = nullptr;
  uint64_t live_bytes = 0;        // of all its sites with such a figure
  bool off_heap_is_told = false;  // its off-heap memory is among that of no running task, because it has ended
  bool native_is_told = false;    // likewise what JNI libraries hold of it
};

// Live at the last sample, at one of its sites by index, kUnmeasured included; at all of them.
uint64_t LiveAt(const InternedProfile& profile, size_t site);
uint64_t LiveBytesOf(const InternedProfile& profile);

// `at_ms`: since the epoch, the moment that ages are counted from. By live bytes, descending, at most `most`; then sites without such a
// figure (a JVM's heap), by bytes allocated. `awaits_names` becomes true when a name of one of them is still missing.
std::vector<ReportSite> SitesAtLastSample(const std::vector<LastTask>& tasks, int64_t at_ms, const Interner& interner,
                                          const NamedStacks& stacks, size_t most, bool& awaits_names);

}  // namespace memprof
