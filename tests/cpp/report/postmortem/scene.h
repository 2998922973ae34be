// An executor with two tasks that run, and what had arrived of it when it dies.
#pragma once

#include "proto/envelope.h"
#include "report/profile_builder.h"
#include "report/sample_store.h"
#include "store/profile_store.h"

namespace memprof::testing {

inline constexpr int64_t kBegin = 1'700'000'000'000;
inline constexpr uint64_t kMi = 1024 * 1024;
inline constexpr uint64_t kDeadlyBytes = 811'041'797;  // live in task 40 at its last sample
inline constexpr uint64_t kOtherBytes = 99'999'989;    // in task 41
inline constexpr uint64_t kContainer = 1400 * kMi;

// Task 40 or 41 as it runs: interim, with what is live now; its peak was higher.
inline ProfileBuilder RunningTask(int64_t id, uint64_t live, const std::string& executor = "1") {
  ProfileBuilder task(id, 5, static_cast<int>(id - 40), executor);
  task.profile().set_final(false);
  task.profile().set_taken_ms(kBegin + 9'700);
  uint32_t udf = task.Udf("enrich", "/jobs/job.py", 12, "SQL_MAP_PANDAS_ITER_UDF");
  proto::Site& site = task.Site(
      proto::ORIGIN_PYTHON,
      {Framework("main", "/pyspark/worker.py", 1), Python("enrich", "/jobs/job.py", 17), Unnamed("/jobs/libx.so", "c0", 7)}, 2 * live, 2);
  site.set_udf(udf);
  site.set_live_bytes(live);
  site.set_live_at_peak_bytes(live + live / 2);
  proto::Site& gone = task.Site(proto::ORIGIN_PYTHON, {Python("enrich", "/jobs/job.py", 15)}, 5'000'011, 1);
  gone.set_live_bytes(0);
  gone.set_live_at_peak_bytes(5'000'011);
  proto::Site& heap = task.Site(proto::ORIGIN_JVM_HEAP, {Java("org.example.Rows", "read", "Rows.java", 9)}, 30'000'001, 100);
  heap.set_sampled(true);
  heap.set_variance(1e12);
  return task;
}

inline proto::Envelope LastSnapshot(uint64_t used, const std::string& executor = "1", uint64_t oom_kills = 3) {
  proto::Envelope envelope = EnvelopeOf(executor);
  proto::ExecutorSnapshot& snapshot = *envelope.mutable_executor();
  snapshot.set_taken_ms(kBegin + 9'500);
  snapshot.set_jvm_pid(4100);
  snapshot.set_host("node7");
  snapshot.set_cgroup("/sys/fs/cgroup/memory/box");
  snapshot.set_cgroup_limit_bytes(kContainer);
  snapshot.set_host_memory_bytes(64'000 * kMi);
  snapshot.set_heap_max_bytes(512 * kMi);
  snapshot.mutable_heap_after_gc_peak()->set_bytes(200 * kMi);
  snapshot.set_oom_kills(oom_kills);
  snapshot.set_oom_kills_at_start(3);
  proto::Moment& last = *snapshot.mutable_last();
  last.set_time_ms(kBegin + 9'500);
  last.set_used_bytes(used);
  AddProcess(*last.add_processes(), 4100, "jvm", 400 * kMi, {});
  AddProcess(*last.add_processes(), 4131, "python-worker", used / 2, {});
  AddProcess(*last.add_processes(), 4132, "python-worker", used / 10, {});
  snapshot.mutable_at_peak()->set_time_ms(kBegin + 4'000);
  snapshot.mutable_at_peak()->set_used_bytes(used);
  return envelope;
}

// The executor dies at kBegin + 10 s for `reason`; its tasks are lost with it. `said_before_ms`: how old its last word is then.
inline void FillScene(ProfileStore& store, const std::string& reason, uint64_t used, const std::string& master = "spark://m:7077",
                      bool cgroup_shared = false, int64_t said_before_ms = 500) {
  store.ApplicationStarted("app-1", "scene", "4.0.0", "3.11.7", master, kBegin);
  store.ExecutorAdded({"1", "node7", 2, 512, -1, -1, -1, kBegin + 100});
  store.StageSubmitted(5, 0, "collect", "job.py:30", 2, kBegin + 1000);
  static_cast<void>(store.Ingest(RunningTask(40, kDeadlyBytes).Bytes()));
  static_cast<void>(store.Ingest(RunningTask(41, kOtherBytes).Bytes()));
  proto::Envelope last = LastSnapshot(used);
  last.mutable_executor()->set_cgroup_shared(cgroup_shared);
  last.mutable_executor()->set_taken_ms(kBegin + 10'000 - said_before_ms);
  if (last.executor().has_last()) last.mutable_executor()->mutable_last()->set_time_ms(kBegin + 10'000 - said_before_ms);
  static_cast<void>(store.Ingest(last.SerializeAsString()));
  store.ExecutorRemoved("1", reason, kBegin + 10'000);
  for (int task : {40, 41}) store.TaskEnded({task, 5, 0, task - 40, 0, "1", TaskOutcome::kLost, "ExecutorLostFailure", kBegin + 10'001});
}

}  // namespace memprof::testing
