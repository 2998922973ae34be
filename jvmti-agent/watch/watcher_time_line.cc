// Which of the watcher's ticks become samples of the executor's life.
#include <algorithm>
#include <utility>

#include "watch/native_now.h"
#include "watch/watcher.h"

namespace memprof {
namespace {

using std::chrono::seconds;

constexpr seconds kPressureEvery{1};
constexpr int64_t kLongPauseNs = 20'000'000;  // pauses of this length in total make a sample of their own

}  // namespace

void Watcher::FindPressure() {
  Result<MemoryPressure> pressure = MemoryPressure::Find(cgroup_ == nullptr ? "" : cgroup_->path());
  pressure_file_ = pressure.ok() ? std::optional(*pressure) : std::nullopt;
  if (!pressure.ok()) shortcomings_.Add("pressure on memory over time", pressure.status().message());
  pressure_.reset();
}

// Uses what the tick has read already; only the pressure is read here.
void Watcher::TakeSample(bool anyhow) {
  if (last_.time_ms() == 0) return;  // nothing has been read yet
  const uint64_t starts = task_starts_, ends = seen_ends_;
  const PauseSums pauses = options_.pauses();
  const int64_t stopped_ns = pauses.total_ns - sampled_pauses_.total_ns;
  const bool moved = starts != sampled_starts_ || ends != sampled_ends_ || stopped_ns >= kLongPauseNs;
  const TimeLine::Tick tick{last_.used_bytes(), limit_, moved, Clock::now()};
  const TimeLine::Wanted wanted = anyhow ? TimeLine::Wanted::kYes : time_line_.Wants(tick);
  if (wanted == TimeLine::Wanted::kNo) return;
  if (pressure_file_ && tick.at - pressure_at_ >= kPressureEvery) {
    pressure_at_ = tick.at;
    pressure_ = pressure_file_->Read();
  }
  TimeSample sample = SampleNow();
  if (wanted == TimeLine::Wanted::kYes) {
    sample.task_starts = static_cast<uint32_t>(starts - sampled_starts_);
    sample.pauses = static_cast<uint32_t>(pauses.count - sampled_pauses_.count);
    sample.stopped_us = static_cast<uint32_t>(std::clamp<int64_t>(stopped_ns / 1000, 0, UINT32_MAX));
    sampled_starts_ = starts;
    sampled_ends_ = ends;
    sampled_pauses_ = pauses;
  }
  time_line_.Add(tick, sample, wanted);
}

TimeSample Watcher::SampleNow() const {
  TimeSample sample;
  sample.time_ms = last_.time_ms();
  sample.Set(Gauge::kUsed, last_.used_bytes());
  if (limit_) sample.Set(Gauge::kLimit, *limit_);
  uint64_t jvm = 0, workers = 0, other = 0, programs = 0;
  std::vector<TimeSample::Worker> each;
  std::optional<uint64_t> python_native;
  for (const auto& [pid, process] : processes_->living()) {
    if (process.kind == ProcessKind::kJvm) {
      jvm += process.rss_bytes;
    } else if (process.kind == ProcessKind::kPythonWorker) {
      workers += process.rss_bytes;
      each.push_back({pid, TimeSample::ToKib(process.rss_bytes)});
      if (const std::optional<uint64_t> native = NativeNow(process)) python_native = python_native.value_or(0) + *native;
    } else if (process.kind == ProcessKind::kProgram) {
      programs += process.rss_bytes;
    } else {
      other += process.rss_bytes;
    }
  }
  sample.Set(Gauge::kJvm, jvm);
  sample.Set(Gauge::kPythonWorkers, workers);
  sample.Set(Gauge::kPythonOther, other);
  if (programs != 0) sample.Set(Gauge::kPrograms, programs);
  const size_t largest = std::min(each.size(), sample.workers.size());
  std::partial_sort(each.begin(), each.begin() + static_cast<ptrdiff_t>(largest), each.end(),
                    [](const auto& a, const auto& b) { return std::pair(b.kib, a.pid) < std::pair(a.kib, b.pid); });
  std::copy_n(each.begin(), largest, sample.workers.begin());
  if (const std::optional<uint64_t> used = options_.heap_used_after_gc()) sample.Set(Gauge::kHeapUsedAfterGc, *used);
  if (spark_.now.heap_max != 0) {  // 0: nothing reported yet
    sample.Set(Gauge::kHeapCommitted, spark_.now.heap_committed);
    sample.Set(Gauge::kHeapStorage, spark_.now.storage);
    sample.Set(Gauge::kHeapExecution, spark_.now.execution);
  }
  sample.Set(Gauge::kOffHeap, options_.offheap_live_bytes());
  if (const std::optional<uint64_t> native = options_.native_live_bytes()) sample.Set(Gauge::kNative, *native);
  if (python_native) sample.Set(Gauge::kPythonNative, *python_native);
  if (pressure_) sample[Gauge::kPressure] = *pressure_;
  // Also of a task that ended since the look: what the look found may be its memory. One that ended meanwhile is sampled once more.
  std::map<int32_t, uint32_t> running = stages_;
  for (const auto& [stage, tasks] : options_.running_stages()) running[stage] = std::max(running[stage], tasks);
  std::vector<TimeSample::Stage> stages;
  for (const auto& [stage, tasks] : running) {
    stages.push_back({stage, tasks});
    sample.running_tasks += tasks;
  }
  std::stable_sort(stages.begin(), stages.end(), [](const auto& a, const auto& b) { return a.tasks > b.tasks; });
  std::copy_n(stages.begin(), std::min(stages.size(), sample.stages.size()), sample.stages.begin());
  return sample;
}

void Watcher::SendTimeLine() {
  if (std::optional<proto::TimeLine> samples = time_line_.Take(Clock::now())) options_.send_time_line(*std::move(samples));
}

}  // namespace memprof
