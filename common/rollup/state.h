// StoreState: all that a ProfileStore knows. The rules work on it: delivery (what comes in), accounting (what counts),
// bounds (what is forgotten), report_builder (what is shown). Used under the store's mutex.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <memory_resource>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "budget/budget.h"
#include "facts/cached_data.h"
#include "facts/counters.h"
#include "facts/counting_memory.h"
#include "facts/driver_actions.h"
#include "facts/facts.h"
#include "facts/interner.h"
#include "facts/interval_set.h"
#include "facts/source_table.h"
#include "facts/symbols.h"
#include "report/model.h"
#include "rollup/executor_sums.h"
#include "rollup/growth.h"
#include "rollup/sent_deaths.h"
#include "rollup/stage_sums.h"
#include "timeline/time_samples.h"

namespace memprof {

// A removed executor for which a later count is awaited (intake/host_kills.h).
struct WantedHostKills {
  std::string executor_id, boot_id;
  uint64_t count = 0;  // as it read it last
  int64_t removed_ms = 0;
  bool decommissioned = false;  // most such ends are none of memory
};

struct StoreState {
  explicit StoreState(uint64_t limit) : limit_bytes(limit) {}

  StageFacts& Stage(StageKey key) { return stages.try_emplace(key, &memory).first->second; }
  ExecutorFacts& Executor(std::string_view id) {
    auto found = executors.find(id);
    return found != executors.end() ? found->second : executors.emplace(std::pmr::string(id, &memory), &memory).first->second;
  }

  // True for an executor that was dropped: a message from it comes too late.
  bool WasDropped(std::string_view executor_id) const {
    std::optional<int64_t> number = ExecutorNumber(executor_id);
    return number && dropped_executor_numbers.Contains(*number);
  }

  // Settings as that stage ran with them (SQL settings may change); without a stage, those of the application's start.
  SparkSettings SettingsOf(std::optional<int32_t> stage_id) const {
    SparkSettings settings = configuration;
    const auto own = stage_settings.find(stage_id.value_or(-1));
    if (own != stage_settings.end()) {
      for (const auto& [key, value] : own->second) settings[key] = value;
    }
    return settings;
  }

  void NoteEnd() {
    if (end_event == 0) end_event = ++executor_events;
  }
  // Whether that came after the application had begun to end. Spark's events come late at times, so that the order in which they came
  // is not enough; and a clock may be set back, so that their times are not.
  bool CameAfterEnd(int64_t time_ms, uint64_t event) const {
    const std::optional<int64_t> end_ms = EndMs();
    return end_ms && time_ms >= *end_ms && event > end_event;
  }

  // From this time on, executors end because the application ends.
  std::optional<int64_t> EndMs() const {
    if (!ending_ms || !application.ended_ms) return ending_ms ? ending_ms : application.ended_ms;
    return std::min(*ending_ms, *application.ended_ms);
  }

  uint64_t limit_bytes;
  CountingMemory memory;  // outlives everything below
  std::unique_ptr<Interner> interner = std::make_unique<Interner>(&memory);
  SymbolTable symbols{&memory};
  SourceTable source{&memory};
  std::pmr::unordered_map<int64_t, TaskFacts> tasks{&memory};  // by task attempt id
  IntervalSet folded_tasks{&memory};                           // ids whose detail was dropped: late copies are recognised
  IntervalSet folded_failures{&memory};                        // those of them that failed: their worker's death is still one
  std::pmr::map<StageKey, StageFacts> stages{&memory};
  std::pmr::map<std::pmr::string, ExecutorFacts, std::less<>> executors{&memory};

  ReportApplication application;
  std::optional<int64_t> ending_ms;    // the driver's JVM has begun to end
  uint64_t executor_events = 0;        // of executors added, removed and seen to be lost, and of the application's end
  uint64_t end_event = 0;              // the first event that reports its end; 0: none yet
  std::string session_python_version;  // as the workers say it, for when the driver did not
  uint64_t jvm_interval_bytes = 0, python_interval_bytes = 0;  // the largest seen
  SparkSettings configuration;                                 // the entries that budgets need
  static constexpr size_t kMaxStageSettings = 1000;            // of the newest stages
  std::map<int32_t, SparkSettings> stage_settings;             // where they differ
  std::set<ReportNotAvailable> not_available;
  CounterSums folded_counters;
  Growth growth{&memory};
  CachedData cached{&memory};
  DriverActions actions{&memory};
  uint64_t dropped_sites = 0, dropped_lines = 0, dropped_tasks = 0, dropped_consumers = 0, dropped_cached = 0, dropped_task_rows = 0;
  StageSums dropped_stages;
  ExecutorSums dropped_executors;
  uint64_t dropped_retained_heaps = 0;            // what so many retained is in no stage's sum
  IntervalSet dropped_executor_numbers{&memory};  // late messages of these are recognised
  uint64_t dropped_executor_deaths = 0;           // of forgotten executors and their workers; the log may have told them
  uint64_t dropped_deaths = 0;                    // for which there was no room below
  WorkerDeaths worker_deaths;
  HeapShortages heap_shortages;
  size_t time_line_samples = TimeSamples::kMostOfExecutor;  // of each executor; fewer where there are many (time_lines.h)
  static constexpr size_t kMostWantedHostKills = 256;       // of the newest ends
  std::deque<WantedHostKills> wanted_host_kills;
  uint64_t host_kills_found = 0;  // how many of them have been found
  uint64_t version = 0;           // grows with every change
};

}  // namespace memprof
