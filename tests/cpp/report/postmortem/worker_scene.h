// What a store is told, deaths as a report has them, and those of a worker of the executor in scene.h.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "proto/envelope.h"
#include "report/postmortem/scene.h"

namespace memprof::testing {

using Json = nlohmann::ordered_json;

inline constexpr uint64_t kFull = kContainer / 100 * 97;
inline constexpr const char* kCode137 = "Command exited with code 137";

inline void Tell(ProfileStore& store, const proto::Envelope& envelope) { ASSERT_TRUE(store.Ingest(envelope.SerializeAsString()).ok()); }

inline Json Deaths(const ProfileStore& store) { return Json::parse(store.ReportJson(false))["postMortems"]; }

inline Json TheDeath(const ProfileStore& store) {
  Json deaths = Deaths(store);
  EXPECT_EQ(deaths.size(), 1u) << deaths;
  return deaths.empty() ? Json::object() : deaths[0];
}

inline std::string WorkerDeath(std::optional<uint64_t> oom_kills, int64_t task = 40, uint64_t used = kFull) {
  proto::Envelope envelope = EnvelopeOf("1");
  proto::WorkerDeath& death = *envelope.mutable_worker_death();
  death.set_time_ms(kBegin + 9'800);
  death.set_pid(4131);
  death.set_task_attempt_id(task);
  death.set_stage_id(5);
  if (oom_kills) death.set_oom_kills(*oom_kills);
  death.set_limit_bytes(kContainer);
  death.mutable_before()->set_time_ms(kBegin + 9'783);
  death.mutable_before()->set_used_bytes(used);
  AddProcess(*death.mutable_before()->add_processes(), 4131, "python-worker", 700 * kMi, {});
  AddProcess(*death.mutable_before()->add_processes(), 4100, "jvm", 400 * kMi, {});
  return envelope.SerializeAsString();
}

inline void FillWorkerScene(ProfileStore& store) {
  store.ApplicationStarted("app-1", "scene", "4.0.0", "3.11.7", "spark://m:7077", kBegin);
  store.ExecutorAdded({"1", "node7", 2, 512, -1, -1, -1, kBegin + 100});
  ProfileBuilder task = RunningTask(40, kDeadlyBytes);
  task.profile().set_final(true);
  task.profile().set_partial(true);
  static_cast<void>(store.Ingest(task.Bytes()));
  static_cast<void>(store.Ingest(LastSnapshot(kFull / 2).SerializeAsString()));
}

// Task 40's worker records how it ended; then the task fails.
inline proto::Incident& AddIncident(ProfileBuilder& task, int64_t at_ms, int signal) {
  proto::Incident& incident = *task.profile().add_incidents();
  incident.set_pid(4131);
  incident.set_time_ms(kBegin + at_ms);
  incident.set_signal(signal);
  incident.set_stack(task.Stack({Framework("main", "/pyspark/worker.py", 1), Python("enrich", "/jobs/job.py", 18),
                                 Unnamed("/jobs/libx.so", "c0", 9), Unnamed("/lib/x86_64-linux-gnu/libc.so.6", "c1", 3)}));
  return incident;
}

inline ProfileBuilder EndedTask() {
  ProfileBuilder task = RunningTask(40, kDeadlyBytes);
  task.profile().set_sequence(2);
  task.profile().set_final(true);
  task.profile().set_partial(true);
  return task;
}

inline void FailTask40(ProfileStore& store, const char* error) {
  store.TaskEnded({40, 5, 0, 0, 0, "1", TaskOutcome::kFailed, error, kBegin + 9'900});
}

}  // namespace memprof::testing
