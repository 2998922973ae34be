// A store that has seen a small job with all that a report shows: a UDF line with a native frame, JVM sites, attempts
// that do not count, executors against their limits, names with markup in them.
#pragma once

#include "facts/cached_data.h"
#include "facts/driver_actions.h"
#include "proto/envelope.h"
#include "report/profile_builder.h"
#include "store/profile_store.h"
#include "timeline/packing.h"

namespace memprof::testing {

inline constexpr uint64_t kScratchBytes = 399'999'971;
inline constexpr uint64_t kBatchBytes = 8'000'033;
inline constexpr const char* kHostile = "<script>alert(1)</script>\"'&";

inline proto::Process& AddProcess(proto::Process& process, int pid, const char* kind, uint64_t rss,
                                  std::initializer_list<std::pair<const char*, uint64_t>> rows) {
  process.set_pid(pid);
  process.set_kind(kind);
  process.set_peak_rss_bytes(rss);
  process.set_alive(true);
  for (const auto& [name, bytes] : rows) {
    proto::NamedBytes& row = *process.add_peak_rows();
    row.set_name(name);
    row.set_bytes(bytes);
  }
  return process;
}

inline void PutHeapUse(proto::HeapUse& use, uint64_t bytes, int64_t time_ms) {
  use.set_bytes(bytes);
  use.set_collection("G1 Young Generation (G1 Evacuation Pause)");
  use.set_time_ms(time_ms);
}

inline std::string SnapshotBytes(const std::string& executor, int pid, uint64_t worker_rss, uint64_t cgroup_limit) {
  constexpr uint64_t kMi = 1024 * 1024;
  proto::Envelope envelope = EnvelopeOf(executor);
  proto::ExecutorSnapshot& snapshot = *envelope.mutable_executor();
  snapshot.set_taken_ms(1'700'000'040'000);
  snapshot.set_jvm_pid(pid);
  snapshot.set_host("node-" + executor);
  if (cgroup_limit != 0) snapshot.set_cgroup_limit_bytes(cgroup_limit);
  snapshot.set_host_memory_bytes(24'576 * kMi);
  snapshot.set_heap_max_bytes(1024 * kMi);
  PutHeapUse(*snapshot.mutable_heap_after_gc(), 299 * kMi, 1'700'000'039'000);
  PutHeapUse(*snapshot.mutable_heap_after_gc_peak(), 301 * kMi, 1'700'000'038'000);
  snapshot.set_spark_storage_peak_bytes(12 * kMi + 345);
  snapshot.set_spark_execution_peak_bytes(64 * kMi + 77);
  snapshot.set_spark_unroll_peak_bytes(3 * kMi);
  snapshot.set_offheap_peak_bytes(19 * kMi);
  snapshot.set_java_version("17.0.15");
  snapshot.set_agent_loaded("agentpath");
  snapshot.set_gc_stopped_ms(4'217);
  snapshot.set_gc_watched_ms(40'000);
  proto::Collector& collector = *snapshot.add_collectors();
  collector.set_name("G1 Young Generation");
  collector.set_stops_the_world(true);
  collector.set_collections(113);
  collector.set_total_ms(4'009);
  collector.set_longest_ms(257);
  collector.set_longest_before_bytes(700 * kMi);
  collector.set_longest_after_bytes(301 * kMi);
  collector.set_last_before_bytes(650 * kMi);
  collector.set_last_after_bytes(299 * kMi);
  proto::Counter& cause = *collector.add_causes();
  cause.set_name("G1 Evacuation Pause");
  cause.set_value(113);
  proto::Moment& peak = *snapshot.mutable_at_peak();
  peak.set_time_ms(1'700'000'031'250);
  for (proto::Process* jvm : {snapshot.add_processes(), peak.add_processes()}) {
    AddProcess(*jvm, pid, "jvm", 612 * kMi, {{"Java heap", 388 * kMi}, {"metaspace", 71 * kMi}, {"direct buffers", 19 * kMi}});
  }
  for (int worker = 0; worker < 2; ++worker) {
    uint64_t rss = worker == 0 ? worker_rss : 133 * kMi;
    AddProcess(*snapshot.add_processes(), pid + 30 + worker, "python-worker", rss,
               {{"native blocks", rss / 10 * 8}, {"Python objects", 21 * kMi}});
    AddProcess(*peak.add_processes(), pid + 30 + worker, "python-worker", rss - 4096, {});
  }
  AddProcess(*snapshot.add_processes(), pid + 20, "python-daemon", 61 * kMi, {});
  uint64_t used = 612 * kMi + worker_rss + 133 * kMi;
  peak.set_used_bytes(used);
  peak.set_unattributed_bytes(8192);
  return envelope.SerializeAsString();
}

inline std::string DemoTask(int64_t id, int partition, const std::string& executor, uint64_t scratch) {
  ProfileBuilder task(id, 2, partition, executor);
  uint32_t udf = task.Udf("aggregate", "/jobs/job.py", 41, "SQL_MAP_PANDAS_ITER_UDF");
  TestFrame worker = Framework("main", "/pyspark/worker.py", 1200);
  TestFrame aggregate = Python("aggregate", "/jobs/job.py", 44);
  TestFrame library = Unnamed("/jobs/libweighted_average.so", "6a1f", 0x1230);
  proto::Site& hot = task.Site(proto::ORIGIN_PYTHON, {worker, aggregate, Python("with_cpp", "/jobs/averages.py", 27), library}, scratch, 1);
  hot.set_udf(udf);
  hot.set_live_at_peak_bytes(scratch);
  hot.set_resident_at_peak_bytes(scratch);
  proto::Site& batch =
      task.Site(proto::ORIGIN_PYTHON, {worker, aggregate, Python("to_arrays", "/jobs/averages.py", 14)}, 6 * kBatchBytes, 6);
  batch.set_udf(udf);
  batch.set_live_at_peak_bytes(kBatchBytes);
  batch.set_resident_at_peak_bytes(kBatchBytes - 4096);
  proto::Site& objects =
      task.Site(proto::ORIGIN_PYTHON, {worker, aggregate, Python("labels", "/jobs/averages.py", 19)}, 11'534'336, 180'224);
  objects.set_udf(udf);
  objects.set_sampled(true);
  objects.set_variance(7.5e11);
  objects.set_live_at_peak_bytes(5'111'808);
  objects.set_peak_variance(3.3e11);
  proto::Site& reader =
      task.Site(proto::ORIGIN_PYTHON, {worker, Framework("load_stream", "/pyspark/sql/pandas/serializers.py", 340)}, 31'457'281, 120);
  reader.set_live_at_peak_bytes(2'097'153);
  TestFrame run = Java("org.apache.spark.executor.Executor$TaskRunner", "run", "Executor.scala", 621);
  proto::Site& heap = task.Site(proto::ORIGIN_JVM_HEAP,
                                {run, Java("org.apache.spark.sql.execution.arrow.ArrowWriter", "write", "ArrowWriter.scala", 112),
                                 Java("java.util.Arrays", "copyOf", "Arrays.java", 3537)},
                                268'435'456, 60'000);
  heap.set_sampled(true);
  heap.set_variance(1.4e14);
  proto::Site& rows =
      task.Site(proto::ORIGIN_JVM_HEAP, {run, Java("org.apache.spark.sql.catalyst.expressions.UnsafeRow", "copy", "UnsafeRow.java", 480)},
                52'428'800, 9'000);
  rows.set_sampled(true);
  rows.set_variance(2.7e13);
  proto::Site& direct = task.Site(proto::ORIGIN_JVM_OFFHEAP,
                                  {run, Java("io.netty.buffer.PoolArena", "allocate", "PoolArena.java", 129),
                                   Java("java.nio.DirectByteBuffer", "<init>", "DirectByteBuffer.java", 127)},
                                  16'777'259, 4);
  direct.set_live_at_peak_bytes(16'777'259);
  proto::Remainder& rest = *task.profile().add_remainders();
  rest.set_origin(proto::ORIGIN_JVM_HEAP);
  rest.set_sites(31);
  rest.set_allocated_bytes(7'340'032);
  rest.set_allocations(400);
  proto::Session& session = *task.profile().add_sessions();
  session.set_python_version("3.11.7");
  proto::TaskMemory& memory = *task.profile().mutable_spark_memory();
  memory.set_peak_execution_bytes(23'068'529);
  memory.set_spilled_memory_bytes(37'748'447);
  memory.set_spilled_disk_bytes(5'347'873);
  proto::MemoryConsumer& sorter = *memory.add_consumers();
  sorter.set_name("org.apache.spark.util.collection.unsafe.sort.UnsafeExternalSorter");
  sorter.set_peak_bytes(23'068'528);
  proto::PoolUse& pool = *memory.add_fullest();
  pool.set_max_bytes(75'916'902);
  pool.set_storage_region_bytes(37'958'451);
  pool.set_storage_bytes(26'689'020);
  pool.set_execution_bytes(49'227'882);
  return task.Bytes();
}

// What an executor's heap retains: one site of stage 2, one of no task's thread, and a rest.
inline std::string RetainedBytes(const std::string& executor, int64_t time_ms, uint64_t bytes) {
  ProfileBuilder names(0, 0, 0);
  TestFrame run = Java("org.apache.spark.executor.Executor$TaskRunner", "run", "Executor.scala", 621);
  names.Site(proto::ORIGIN_JVM_HEAP, {run, Java("org.apache.spark.sql.catalyst.expressions.UnsafeRow", "copy", "UnsafeRow.java", 480)}, 1,
             1);
  const uint32_t stack = names.profile().sites(0).stack();
  names.profile().clear_sites();
  names.profile().add_strings("broadcast-exchange-#");
  proto::Envelope envelope = EnvelopeOf(executor);
  proto::RetainedHeap& heap = *envelope.mutable_retained_heap();
  heap.set_time_ms(time_ms);
  heap.set_collection("G1 Old Generation (System.gc())");
  heap.set_heap_used_after_bytes(101'000'003);
  heap.set_heap_max_bytes(1'073'741'824);
  heap.set_total_bytes(bytes + 5'000'011 + 70'001);
  heap.set_variance(4e12);
  *heap.mutable_names()->mutable_strings() = names.profile().strings();
  *heap.mutable_names()->mutable_frames() = names.profile().frames();
  *heap.mutable_names()->mutable_stacks() = names.profile().stacks();
  proto::RetainedSite& rows = *heap.add_sites();
  rows.set_stack(stack);
  rows.set_bytes(bytes);
  rows.set_objects(9'001);
  rows.set_variance(1e12);
  rows.set_stage_id(2);
  proto::RetainedSite& broadcast = *heap.add_sites();
  broadcast.set_bytes(5'000'011);
  broadcast.set_objects(2);
  broadcast.set_stage_id(-1);
  broadcast.set_stage_attempt(-1);
  broadcast.set_thread(static_cast<uint32_t>(names.profile().strings_size()) - 1);
  heap.set_other_sites(3);
  heap.set_other_bytes(70'001);
  return envelope.SerializeAsString();
}

// Off-heap memory of an executor that no running task holds: of ended tasks of stage 2, or of a thread of no task.
inline std::string LeftBytes(const std::string& executor, int64_t time_ms, uint64_t bytes, uint32_t stack = 1,
                             const char* thread = nullptr) {
  ProfileBuilder names(1, 1, 0, executor);
  names.Site(proto::ORIGIN_JVM_OFFHEAP, {Java("org.example.Cache", "put", "Cache.java", 9)}, 1, 1);
  proto::Envelope envelope = EnvelopeOf(executor);
  proto::LeftMemory& left = *envelope.mutable_left_off_heap();
  left.set_time_ms(time_ms);
  left.set_other_bytes(7);
  *left.mutable_names()->mutable_strings() = names.profile().strings();
  *left.mutable_names()->mutable_frames() = names.profile().frames();
  *left.mutable_names()->mutable_stacks() = names.profile().stacks();
  proto::LeftSite& site = *left.add_sites();
  site.set_stack(stack);
  site.set_bytes(bytes);
  site.set_blocks(3);
  site.set_variance(1e12);
  site.set_stage_id(thread == nullptr ? 2 : -1);
  site.set_tasks(thread == nullptr ? 12 : 0);
  if (thread != nullptr) {
    site.set_thread(static_cast<uint32_t>(left.names().strings_size()));
    left.mutable_names()->add_strings(thread);
  }
  return envelope.SerializeAsString();
}

// The last sample of an executor whose container is nearly full.
inline std::string DeathBedBytes(const std::string& executor, int pid, uint64_t cgroup_limit) {
  proto::Envelope envelope = EnvelopeOf(executor);
  proto::ExecutorSnapshot& snapshot = *envelope.mutable_executor();
  snapshot.set_taken_ms(1'700'000'043'970);
  snapshot.set_jvm_pid(pid);
  snapshot.set_host("node-" + executor);
  snapshot.set_cgroup_limit_bytes(cgroup_limit);
  snapshot.set_host_memory_bytes(25'769'803'776);
  proto::Moment& moment = *snapshot.mutable_last();
  moment.set_time_ms(1'700'000'043'970);
  moment.set_used_bytes(cgroup_limit / 100 * 97);
  AddProcess(*moment.add_processes(), pid, "jvm", 340'000'003, {});
  AddProcess(*moment.add_processes(), pid + 30, "python-worker", 710'000'011, {});
  *snapshot.mutable_at_peak() = moment;
  return envelope.SerializeAsString();
}

inline std::string TimeLineBytes(const std::string& executor, const std::vector<TimeSample>& samples) {
  proto::Envelope envelope = EnvelopeOf(executor);
  PackSamples(samples, envelope.mutable_time_line());
  return envelope.SerializeAsString();
}

// Half a minute in which two workers fill up while stage 2 runs, a second a sample.
inline std::vector<TimeSample> SampleLife(int pid, uint64_t limit) {
  constexpr uint64_t kMi = 1024 * 1024;
  std::vector<TimeSample> samples;
  for (uint64_t second = 1; second <= 40; ++second) {
    const bool in_stage = second > 2 && second < 31;
    const uint64_t worker = in_stage ? std::min<uint64_t>(second * 19, 520) * kMi : 41 * kMi;
    TimeSample sample;
    sample.time_ms = 1'700'000'000'250 + static_cast<int64_t>(second) * 1000;
    sample.Set(Gauge::kHeapUsedAfterGc, (140 + second * 37 % 160) * kMi);
    sample.Set(Gauge::kHeapCommitted, 388 * kMi);
    sample.Set(Gauge::kJvm, (480 + std::min<uint64_t>(second * 9, 132)) * kMi);
    sample.Set(Gauge::kPythonWorkers, 2 * worker);
    sample.Set(Gauge::kPythonOther, 61 * kMi);
    sample.Set(Gauge::kOffHeap, 19 * kMi);
    sample.Set(Gauge::kUsed, (480 + std::min<uint64_t>(second * 9, 132) + 61 + 8) * kMi + 2 * worker);
    if (limit != 0) sample.Set(Gauge::kLimit, limit);
    sample[Gauge::kPressure] = second == 30 ? 1207 : 0;
    sample.workers[0] = {pid + 30, TimeSample::ToKib(worker)};
    sample.workers[1] = {pid + 31, TimeSample::ToKib(worker)};
    if (in_stage) sample.stages[0] = {2, 2};
    sample.running_tasks = in_stage ? 2 : 0;
    sample.task_starts = second == 3 ? 2 : 0;
    sample.pauses = second == 5 ? 3 : 0;
    sample.stopped_us = second == 5 ? 41'003 : 0;
    samples.push_back(sample);
  }
  return samples;
}

inline void FillSample(ProfileStore& store) {
  constexpr int64_t kStart = 1'700'000'000'000;
  store.ApplicationStarted("app-20231114221320-0000", "weighted average", "4.3.0", "", "local-cluster[2,1,1024]", kStart);
  store.Configuration({{"spark.executor.memory", "1g"}, {"spark.app.secret", "not kept"}});
  store.ExecutorAdded({"0", "127.0.0.1", 1, 1024, -1, -1, -1, kStart + 900});
  store.ExecutorAdded({"1", "127.0.0.1", 1, 1024, -1, -1, -1, kStart + 950});
  store.StageSubmitted(0, 0, "parquet at NativeMethodAccessorImpl.java:0", "org.apache.spark.sql.DataFrameReader.parquet", 1,
                       kStart + 1000);
  store.StageCompleted(0, 0, "", kStart + 2000);
  JobStart collect;
  collect.job_id = 1;
  collect.stages = {2};
  collect.call_site = "collect at /jobs/job.py:51";
  collect.description = kHostile;
  collect.query_id = 9;
  collect.time_ms = kStart + 2400;
  store.JobStarted(collect);
  store.StageSubmitted(2, 0, "collect at /jobs/job.py:51", "job.py:51", 4, kStart + 2500);
  for (int task = 0; task < 4; ++task) {
    const std::string profile = DemoTask(10 + task, task, std::to_string(task % 2), kScratchBytes - static_cast<uint64_t>(task) * 1009);
    static_cast<void>(store.Ingest(profile));
    store.TaskEnded({10 + task, 2, 0, task, 0, std::to_string(task % 2), TaskOutcome::kSucceeded, "", kStart + 30'000 + task});
    store.TaskResult(2, 10 + task, profile.size() + 55'555 + static_cast<uint64_t>(task));
    store.QueryRows(9, 1009);
  }
  store.CachedRdd(4, std::string("In-memory table ") + kHostile, kHostile, {true, true, false, true, 1}, 2);
  store.BlockUpdated({false, 4, 0}, "0", 13'000'019, 0);
  store.BlockUpdated({false, 4, 1}, "1", 8'000'121, 77);
  store.BlockUpdated({true, 6, 0}, "driver", 4'321, 0);
  static_cast<void>(store.Ingest(DemoTask(20, 1, "1", 123'456'791)));
  store.TaskEnded({20, 2, 0, 1, 1, "1", TaskOutcome::kFailed, "java.io.IOException: Python worker exited unexpectedly (crashed)\n  at …",
                   kStart + 9000});
  store.StageCompleted(2, 0, "", kStart + 41'000);
  store.JobEnded(1, "", kStart + 41'001);
  ProfileBuilder hostile(30, 3, 0, "0");
  uint32_t udf = hostile.Udf(kHostile, std::string("/jobs/") + kHostile + ".py", 3, kHostile);
  proto::Site& site = hostile.Site(proto::ORIGIN_PYTHON, {Python(kHostile, kHostile, 5)}, 1'999'993, 1);
  site.set_udf(udf);
  site.set_live_at_peak_bytes(1'999'993);
  static_cast<void>(store.Ingest(hostile.Bytes()));
  store.StageSubmitted(3, 0, kHostile, kHostile, 1, kStart + 42'000);
  store.TaskEnded({30, 3, 0, 0, 0, "0", TaskOutcome::kSucceeded, "", kStart + 43'000});
  store.StageCompleted(3, 0, "", kStart + 43'500);
  static_cast<void>(store.Ingest(SnapshotBytes("0", 4211, 546'570'240, 0)));
  static_cast<void>(store.Ingest(SnapshotBytes("1", 4213, 541'990'912, 0)));
  static_cast<void>(store.Ingest(TimeLineBytes("0", SampleLife(4211, 0))));
  static_cast<void>(store.Ingest(RetainedBytes("0", kStart + 39'000, 33'000'007)));
  static_cast<void>(store.Ingest(RetainedBytes("1", kStart + 39'500, 44'000'009)));
  static_cast<void>(store.Ingest(LeftBytes("0", kStart + 39'600, 12'000'017, 1, "block transfer")));
  static_cast<void>(store.Ingest(SymbolBytes("6a1f", 0x1230, "weighted_average", "weighted_average.cc", 21)));
  // An executor that died of memory with a hostile UDF in it, and a worker on another.
  store.ExecutorAdded({"2", "127.0.0.1", 1, 1024, -1, -1, -1, kStart + 43'600});
  ProfileBuilder dying(31, 3, 0, "2");
  dying.profile().set_final(false);
  dying.profile().set_taken_ms(kStart + 43'990);
  proto::Site& last = dying.Site(proto::ORIGIN_PYTHON, {Python(kHostile, kHostile, 5)}, 700'000'033, 1);
  last.set_udf(dying.Udf(kHostile, std::string("/jobs/") + kHostile + ".py", 3, kHostile));
  last.set_live_bytes(700'000'033);
  last.set_live_at_peak_bytes(700'000'033);
  static_cast<void>(store.Ingest(dying.Bytes()));
  static_cast<void>(store.Ingest(DeathBedBytes("2", 4217, 1'100'000'000)));
  store.ExecutorRemoved("2", std::string("Command exited with code 137 ") + kHostile, kStart + 44'000);
  store.ApplicationEnded(kStart + 45'000);
}

}  // namespace memprof::testing
