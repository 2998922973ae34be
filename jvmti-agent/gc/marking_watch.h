// MarkingWatch: says when the whole heap has been marked, so that a weak reference to an object that was unreachable is gone.
//
// Most collectors report it themselves (collection.h). G1 before JDK 20 does not report its concurrent marking: its remark and
// cleanup pauses have no MXBean. They are the pauses that JVMTI saw and no notification explains. Notifications come in order, so
// this is certain once a notification of a later pause has come.
//
// Thread-safe.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "gc/collection.h"
#include "gc/collector_clock.h"
#include "gc/pause_clock.h"

namespace memprof {

inline constexpr uint64_t kLargeObject = 512u << 10;  // half of G1's smallest region

// A marking of the whole heap that has ended.
struct Marking {
  std::string collection;     // "PS MarkSweep (System.gc())"
  int64_t older_than_ns = 0;  // monotonic; older objects that were unreachable are gone
  // The same for objects of kLargeObject and more, which G1 may have put outside its young generation while it was marking.
  int64_t large_older_than_ns = 0;
  int64_t end_ns = 0;
  uint64_t heap_used_bytes = 0, heap_max_bytes = 0;  // after it; max 0: not known
};

class MarkingWatch {
 public:
  explicit MarkingWatch(const PauseClock* pauses) : pauses_(pauses) {}

  // `collectors`: the JVM's, by name. Collections that ended before are ignored.
  void Begin(std::vector<std::string> collectors);

  // The marking that this notification reports, if any. Pass notifications in the order in which they come.
  std::optional<Marking> Ended(const Collection& collection);

  // Before it throws an OutOfMemoryError of the heap, a JVM collects the whole heap, soft references included. So an object from
  // before its last pause that isn't gone was reachable then. A concurrent collector pauses a few times for each marking; the
  // pauses of its last two markings are left out. Call this directly after the error.
  Marking BeforeError() const;

  // The collectors, if none of them is known to mark: then nothing is ever known to be retained. Otherwise "".
  std::string WhyNever() const;

 private:
  int64_t LargeKnown(int64_t pause_ns);  // of a remark or cleanup at that time
  // Times in monotonic nanoseconds, of a pause or a cycle.
  std::optional<Marking> Remarked(const Collection& collection, int64_t start_ns, int64_t end_ns);

  const PauseClock* pauses_;
  mutable std::mutex mutex_;
  CollectorClock clock_;
  std::vector<std::string> collectors_;
  bool hides_marking_ = false;     // G1 before JDK 20
  int64_t young_start_ns_ = 0;     // of the last young collection of G1; 0: none yet
  int64_t major_start_ns_ = 0;     // of the last major cycle of generational ZGC; 0: none yet
  int64_t concurrent_ns_[2] = {};  // the last two pauses of G1's marking, the later first; a full collection is both
  uint64_t looked_at_ = 0;         // pauses up to this number are explained or not
};

}  // namespace memprof
