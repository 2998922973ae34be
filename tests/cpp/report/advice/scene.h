// One death as the rules of advice see it, for their tests.
#pragma once

#include <vector>

#include "advice/advice.h"

namespace memprof {

inline constexpr uint64_t kMi = 1024 * 1024;

// An executor of 4 cores: container 2 GiB, heap 1 GiB and overhead 384 MiB; the JVM at 700 MiB; `workers` of `each` bytes.
struct Scene {
  ReportExecutor executor;
  ReportPostMortem death;
  SparkSettings settings;
  AdviceInput input;

  Scene(size_t workers, uint64_t each) {
    executor.id = "1";
    executor.cores = 4;
    executor.heap_max_bytes = 1024 * kMi;
    executor.heap_after_gc_peak = {1000 * kMi, "G1 Old Generation (G1 Compaction Pause)", 1'700'000'000'000, true};
    executor.regions = {{"overhead", 384 * kMi, std::nullopt}, {"pyspark", 0, std::nullopt}, {"offHeap", 0, std::nullopt}};
    death.limit_bytes = 2048 * kMi;
    death.used_bytes = 2000 * kMi;
    death.task_attempt_id = 17;
    death.processes.push_back({100, {}, "jvm", 700 * kMi, {}, 0, std::nullopt, true});
    for (size_t i = 0; i < workers; ++i) {
      death.processes.push_back({101 + static_cast<int32_t>(i), {}, "python-worker", each, {}, 0, std::nullopt, true});
    }
    ReportMoment last;
    last.regions = {{"heap.committed", 510 * kMi}};
    input.last = last;
    input.tasks_at_once = workers;
  }

  const AdviceInput& Input() {
    input.executor = &executor;
    input.death = &death;
    input.settings = &settings;
    return input;
  }

  void AddSite(uint64_t live, const char* kind, std::vector<ReportFrame> frames) {
    ReportSite& site = death.sites.emplace_back();
    site.origin = Origin::kPython;
    input.udf_kinds.insert(kind);
    site.live_at_peak_bytes = live;
    site.frames = std::move(frames);
  }
};

}  // namespace memprof
