// TimeSample: what an executor held at one moment, all of it read at one tick of its watcher.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace memprof {

// What is measured over time. The order is internal to this library; messages and reports use names.
enum class Gauge : uint8_t {
  kUsed,             // the container's use, or without a limit the sum of its processes' RSS
  kLimit,            // of the container
  kJvm,              // RSS
  kPythonWorkers,    // RSS, together
  kPythonOther,      // daemons, and in local mode the driver's Python: RSS, together
  kPrograms,         // others that the JVM or a worker has started: RSS, together; not measured where there are none
  kHeapUsedAfterGc,  // after the last collection before
  kHeapCommitted,
  kHeapStorage,    // last value of Spark's memory manager
  kHeapExecution,  // likewise
  kOffHeap,        // live blocks of Unsafe
  kNative,         // likewise, of JNI libraries' malloc
  kPythonNative,   // of Python workers, what native libraries hold, resident; of those alone of which it is known now
  kPressure,       // hundredths of a percent of the last ten seconds in which some thread waited for memory; no bytes
};
inline constexpr size_t kGauges = 14;
inline constexpr std::array<const char*, kGauges> kGaugeNames = {
    "used",         "limit",          "jvm",     "python.workers", "python.other",  "programs", "heap.usedAfterGc", "heap.committed",
    "heap.storage", "heap.execution", "offHeap", "native",         "python.native", "pressure"};

inline constexpr uint32_t kNoFigure = std::numeric_limits<uint32_t>::max();  // not measured

struct TimeSample {
  struct Worker {
    int32_t pid = 0;  // 0: none
    uint32_t kib = 0;
    bool operator==(const Worker&) const = default;
  };
  struct Stage {
    int32_t id = -1;  // -1: none
    uint32_t tasks = 0;
    bool operator==(const Stage&) const = default;
  };
  static constexpr size_t kWorkers = 16, kStages = 3;

  TimeSample() { figures.fill(kNoFigure); }

  uint32_t& operator[](Gauge gauge) { return figures[static_cast<size_t>(gauge)]; }
  uint32_t operator[](Gauge gauge) const { return figures[static_cast<size_t>(gauge)]; }
  // Bytes, rounded up to the KiB; more than 4 TiB counts as 4 TiB.
  void Set(Gauge gauge, uint64_t bytes) { (*this)[gauge] = ToKib(bytes); }
  // Names at most so many workers, those that held most; the others stay in the sum of all.
  void KeepLargestWorkers(size_t most) {
    std::fill(workers.begin() + static_cast<ptrdiff_t>(std::min(most, kWorkers)), workers.end(), Worker());
  }
  static uint32_t ToKib(uint64_t bytes) {
    const uint64_t kib = bytes / 1024 + (bytes % 1024 != 0);
    return kib < kNoFigure ? static_cast<uint32_t>(kib) : kNoFigure - 1;
  }

  uint64_t used() const { return (*this)[Gauge::kUsed] == kNoFigure ? 0 : (*this)[Gauge::kUsed]; }
  bool operator==(const TimeSample&) const = default;

  int64_t time_ms = 0;
  std::array<uint32_t, kGauges> figures;  // KiB, except kPressure
  uint32_t running_tasks = 0;
  uint32_t task_starts = 0;              // since the sample before, like the next two
  uint32_t pauses = 0, stopped_us = 0;   // garbage collectors' pauses of the JVM, and their total length
  std::array<Worker, kWorkers> workers;  // Python workers, those that hold most first
  std::array<Stage, kStages> stages;     // whose tasks ran here, those with most first
};

}  // namespace memprof
