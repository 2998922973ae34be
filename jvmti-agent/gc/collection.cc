#include "gc/collection.h"

#include <algorithm>

namespace memprof {
namespace {

struct Known {
  std::string_view name;
  Marks marks;
  bool stops;
  bool frees = true;
};

// Names of HotSpot's collectors on JDK 11 to 25. Shenandoah's generational mode reports young cycles by the same name as whole ones. So
// objects that it promoted and that became unreachable since are counted until its next whole cycle.
constexpr Known kKnown[] = {
    {"Copy", Marks::kNothing, true},
    {"MarkSweepCompact", Marks::kWhileAtStop, true},
    {"PS Scavenge", Marks::kNothing, true},
    {"PS MarkSweep", Marks::kWhileAtStop, true},
    {"ParNew", Marks::kNothing, true},  // with CMS, before JDK 14; CMS sweeps much later than it marks
    {"ConcurrentMarkSweep", Marks::kNothing, false, false},
    {"G1 Young Generation", Marks::kNothing, true},
    {"G1 Old Generation", Marks::kWhileAtStop, true},
    {"G1 Concurrent GC", Marks::kFromPause, true, false},  // JDK 20 and later: remark and cleanup
    {"ZGC", Marks::kFromStart, false},
    {"ZGC Cycles", Marks::kFromStart, false},
    {"ZGC Pauses", Marks::kNothing, true, false},
    {"ZGC Minor Cycles", Marks::kNothing, false},
    {"ZGC Minor Pauses", Marks::kNothing, true, false},
    {"ZGC Major Cycles", Marks::kOldFromStart, false},
    {"ZGC Major Pauses", Marks::kNothing, true, false},
    {"Shenandoah Cycles", Marks::kFromStart, false},
    {"Shenandoah Pauses", Marks::kNothing, true, false},
};

const Known* Find(std::string_view collector) {
  const auto* known = std::find_if(std::begin(kKnown), std::end(kKnown), [&](const Known& entry) { return entry.name == collector; });
  return known == std::end(kKnown) ? nullptr : known;
}

}  // namespace

Marks MarksOf(std::string_view collector) {
  const Known* known = Find(collector);
  return known == nullptr ? Marks::kNothing : known->marks;
}

bool MarksBeside(std::string_view collector) {
  const Marks marks = MarksOf(collector);
  return marks == Marks::kFromStart || marks == Marks::kOldFromStart;
}

bool KeepsWhatIsWeak(std::string_view collector) { return collector.starts_with("G1 ") || collector.starts_with("ZGC Minor"); }

// Causes for which should_preclean_young() says so (zDriver.cpp of JDK 21 and later), in the words of gcCause.cpp. It may also be so by an
// option, or because a thread waits for memory; then fewer objects are known than could be.
bool MakesAllOld(const Collection& collection) {
  constexpr std::string_view kCauses[] = {"System.gc()", "Diagnostic Command", "JvmtiEnv ForceGarbageCollection",
                                          "Metadata GC Clear Soft References", "Allocation Stall"};
  return std::find(std::begin(kCauses), std::end(kCauses), collection.cause) != std::end(kCauses);
}

bool StopsTheWorld(std::string_view collector) {
  const Known* known = Find(collector);
  return known == nullptr || known->stops;
}

bool FreesMemory(std::string_view collector) {
  const Known* known = Find(collector);
  return known == nullptr || known->frees;
}

std::string PhraseOf(const Collection& collection) {
  return collection.cause.empty() ? collection.collector : collection.collector + " (" + collection.cause + ")";
}

}  // namespace memprof
