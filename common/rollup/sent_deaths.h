// What executors sent about deaths of their Python workers and about full heaps, as the store keeps it.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "proto/memprof.pb.h"
#include "rollup/kept_deaths.h"

namespace memprof {

struct WorkerDeathRules {
  static int64_t TimeMs(const proto::WorkerDeath& death) { return death.time_ms(); }
  static uint64_t Size(const proto::WorkerDeath& death) { return death.before().used_bytes(); }
  // Spark ends the worker of a cancelled task, too.
  static bool Matters(const proto::WorkerDeath& death) { return death.oom_kills() > 0 || death.signal() != 0; }
  static proto::WorkerDeath Shortened(const proto::WorkerDeath& death);  // without the other processes and the regions
};

struct HeapShortageRules {
  static int64_t TimeMs(const proto::HeapShortage& shortage) { return shortage.time_ms(); }
  static uint64_t Size(const proto::HeapShortage&) { return 0; }  // the newest ones stay whole
  static bool Matters(const proto::HeapShortage& shortage) { return !shortage.nearly_full(); }
  static proto::HeapShortage Shortened(const proto::HeapShortage& shortage);  // without classes, call sites and stack
};

using WorkerDeathKey = std::tuple<std::string, int32_t, uint64_t, int64_t>;  // executor, pid, start of the process, task attempt
using HeapShortageKey = std::tuple<std::string, int64_t, int64_t>;           // executor, time, task attempt
using WorkerDeaths = KeptDeaths<WorkerDeathKey, proto::WorkerDeath, WorkerDeathRules>;
using HeapShortages = KeptDeaths<HeapShortageKey, proto::HeapShortage, HeapShortageRules>;

// visit(proto::WorkerDeath), of one executor.
template <typename Visit>
void ForEachWorkerDeathIn(const std::string& executor_id, const WorkerDeaths& deaths, Visit visit) {
  deaths.ForEachFrom(
      {executor_id, INT32_MIN, 0, INT64_MIN}, [&](const WorkerDeathKey& key) { return std::get<0>(key) == executor_id; },
      [&](const WorkerDeathKey&, const proto::WorkerDeath& death) { visit(death); });
}

// visit(proto::HeapShortage), of one executor, in the order of time.
template <typename Visit>
void ForEachShortageIn(const std::string& executor_id, const HeapShortages& shortages, Visit visit) {
  shortages.ForEachFrom(
      {executor_id, INT64_MIN, INT64_MIN}, [&](const HeapShortageKey& key) { return std::get<0>(key) == executor_id; },
      [&](const HeapShortageKey&, const proto::HeapShortage& shortage) { visit(shortage); });
}

}  // namespace memprof
