// Writes what the executors of a large application send, for LargeReport.java: each message behind its length (4 bytes, big-endian).
//
//   large_profiles EXECUTORS STAGES TASKS_OF_A_STAGE SITES_OF_A_STAGE
//
// First a snapshot of each executor, then stage by stage the profiles of its tasks. Every site of every stage is another line.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "cpp/report/profile_builder.h"
#include "proto/envelope.h"

namespace memprof::testing {
namespace {

constexpr uint64_t kMiB = 1 << 20;

void Put(const std::string& message) {
  const auto size = static_cast<uint32_t>(message.size());
  for (int shift = 24; shift >= 0; shift -= 8) std::putchar(static_cast<int>(size >> shift & 0xff));
  std::fwrite(message.data(), 1, message.size(), stdout);
}

void AddProcess(int pid, const char* kind, uint64_t bytes, proto::Process* process) {
  process->set_pid(pid);
  process->set_kind(kind);
  process->set_peak_rss_bytes(bytes);
  proto::NamedBytes* row = process->add_peak_rows();
  row->set_name("mapped files");
  row->set_bytes(bytes / 2);
}

std::string Snapshot(int executor) {
  proto::Envelope envelope = EnvelopeOf(std::to_string(executor));
  proto::ExecutorSnapshot& snapshot = *envelope.mutable_executor();
  snapshot.set_taken_ms(1'700'000'000'000 + executor);
  snapshot.set_jvm_pid(1000 + executor);
  snapshot.set_host(fmt::format("node-{}.example", executor));
  snapshot.set_cgroup_limit_bytes(2048 * kMiB);
  snapshot.set_host_memory_bytes(65536 * kMiB);
  snapshot.set_heap_max_bytes(1024 * kMiB);
  snapshot.mutable_heap_after_gc_peak()->set_bytes((400 + executor) * kMiB);
  proto::Moment& moment = *snapshot.mutable_at_peak();
  moment.set_time_ms(snapshot.taken_ms());
  moment.set_used_bytes((1000 + executor) * kMiB);
  for (int process = 0; process < 5; ++process) {
    const char* kind = process == 0 ? "jvm" : "python-worker";
    AddProcess(1000 + 10 * executor + process, kind, (200 + executor) * kMiB, snapshot.add_processes());
    AddProcess(1000 + 10 * executor + process, kind, (200 + executor) * kMiB, moment.add_processes());
  }
  return envelope.SerializeAsString();
}

std::string Profile(int task, int stage, int partition, int executors, int sites) {
  ProfileBuilder builder(task, stage, partition, std::to_string(task % executors));
  const uint32_t udf = builder.Udf("features", "/jobs/job.py", 7, "SCALAR_PANDAS_UDF");
  for (int site = 0; site < sites; ++site) {
    const auto line = static_cast<uint32_t>(1 + stage * sites + site);
    const uint64_t bytes = kMiB + static_cast<uint64_t>(task % 977) * 1024 + static_cast<uint64_t>(site);
    proto::Site& row =
        builder.Site(proto::ORIGIN_PYTHON,
                     {Framework("main", "/spark/python/pyspark/worker.py", 100), Python("features", "/jobs/job.py", line)}, bytes, 3);
    row.set_udf(udf);
    row.set_live_at_peak_bytes(bytes / 2);
  }
  return builder.Bytes();
}

}  // namespace
}  // namespace memprof::testing

int main(int count, char** words) {
  if (count != 5) {
    std::fputs("large_profiles EXECUTORS STAGES TASKS_OF_A_STAGE SITES_OF_A_STAGE\n", stderr);
    return 2;
  }
  const int executors = std::atoi(words[1]), stages = std::atoi(words[2]), tasks = std::atoi(words[3]), sites = std::atoi(words[4]);
  for (int executor = 0; executor < executors; ++executor) memprof::testing::Put(memprof::testing::Snapshot(executor));
  for (int stage = 0; stage < stages; ++stage) {
    for (int task = 0; task < tasks; ++task) {
      memprof::testing::Put(memprof::testing::Profile(stage * tasks + task, stage, task, executors, sites));
    }
  }
  return std::fflush(stdout) == 0 ? 0 : 1;
}
