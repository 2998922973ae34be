// Collection: one piece of work of a garbage collector, as its MXBean's notification reports it, and what it proves about the
// heap.
//
// Why MXBeans: JVMTI's GarbageCollectionStart and Finish come for every pause of every collector (measured on JDK 17 and 25), but
// without a name, a cause or the heap's use; and a callback may call neither JNI nor JVMTI. A notification has all of that, 20 to
// 150 ms later, on a thread of the JVM. So pauses are timed by JVMTI (pause_clock.h), and everything else is from here.
//
// Pure functions, thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace memprof {

struct Collection {
  std::string collector, action, cause;                       // "G1 Young Generation", "end of minor GC", "G1 Evacuation Pause"
  int64_t start_ms = 0, end_ms = 0;                           // of the collectors' own clock (collector_clock.h)
  uint64_t before_bytes = 0, after_bytes = 0, max_bytes = 0;  // of the heap; max 0: not known
};

enum class Marks : uint8_t {
  kNothing,      // a young collection, or a pause of a cycle that is also reported as a whole
  kWhileAtStop,  // the whole heap, with the application stopped
  kFromStart,    // the whole heap as it was when it began; later objects count as live
  kFromPause,    // the whole heap as it was at the last young collection before it, or earlier
  // The old generation as it was when it began. Younger objects stay as long as a weak reference points at them, also if they are garbage,
  // unless it made all of them old first (MakesAllOld).
  kOldFromStart,
};

// What a collector of this name has marked when it reports that it has finished. An unknown name proves nothing.
Marks MarksOf(std::string_view collector);

// Whether a collector of this name marks the whole heap while the application runs.
bool MarksBeside(std::string_view collector);

// Whether its collections of a part of the heap take what a weak reference points at for reachable: those of G1 and of generational ZGC.
bool KeepsWhatIsWeak(std::string_view collector);

// Whether a major collection of ZGC made all objects old before it marked the old generation.
bool MakesAllOld(const Collection& collection);

// False where what is in use at its end is full of garbage: pauses of a cycle that is also reported as a whole, and collectors that
// leave young garbage alone.
bool FreesMemory(std::string_view collector);

// Collector and cause: "PS MarkSweep (System.gc())".
std::string PhraseOf(const Collection& collection);

// False for cycles, which run concurrently with the application; their pauses are reported separately.
bool StopsTheWorld(std::string_view collector);

}  // namespace memprof
