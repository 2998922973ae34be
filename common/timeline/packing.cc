#include "timeline/packing.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace memprof {
namespace {

constexpr int64_t kLastMs = int64_t{1} << 53;  // what JSON's numbers hold

// 0 means "not measured", so an unmeasured gauge costs one byte for each sample.
int64_t Shifted(uint32_t figure) { return figure == kNoFigure ? 0 : int64_t{figure} + 1; }

// Undoes PackSamples' differences; null if the result is outside [0, most].
std::optional<int64_t> Summed(int64_t before, int64_t difference, int64_t most) {
  if (difference > most || difference < -most) return std::nullopt;
  const int64_t sum = before + difference;
  return sum < 0 || sum > most ? std::nullopt : std::optional(sum);
}

// The workers of a message by their places in it, and what each held when it was last told.
class WorkersSoFar {
 public:
  void Pack(const TimeSample::Worker& worker, proto::TimeLine* message) {
    const auto [place, is_new] = places_.emplace(worker.pid, static_cast<uint32_t>(kib_.size()));
    if (is_new) {
      message->add_worker_pids(worker.pid);
      kib_.push_back(0);
    }
    message->add_worker_places(place->second);
    message->add_worker_differences(static_cast<int32_t>(worker.kib - kib_[place->second]));  // modulo 2³²
    kib_[place->second] = worker.kib;
  }

  // Its lists of places and differences are equally long.
  std::optional<TimeSample::Worker> Unpack(const proto::TimeLine& message, int at) {
    kib_.resize(static_cast<size_t>(message.worker_pids_size()));
    const uint32_t place = message.worker_places(at);
    if (place >= kib_.size()) return std::nullopt;
    kib_[place] += static_cast<uint32_t>(message.worker_differences(at));
    return TimeSample::Worker{message.worker_pids(static_cast<int>(place)), kib_[place]};
  }

 private:
  std::unordered_map<int32_t, uint32_t> places_;
  std::vector<uint32_t> kib_;
};

bool ReadGauge(const proto::TimeLine::Figures& figures, size_t gauge, std::vector<TimeSample>& samples) {
  if (figures.differences_size() != static_cast<int>(samples.size())) return false;
  int64_t value = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    const std::optional<int64_t> next = Summed(value, figures.differences(static_cast<int>(i)), kNoFigure);
    if (!next) return false;
    value = *next;
    samples[i].figures[gauge] = value == 0 ? kNoFigure : static_cast<uint32_t>(value - 1);
  }
  return true;
}

// The entries of all samples follow one another; `counts` says how many belong to each sample.
template <typename Put>
bool ReadLists(const google::protobuf::RepeatedField<uint32_t>& counts, int entries, size_t most, std::vector<TimeSample>& samples,
               Put put) {
  if (counts.size() != static_cast<int>(samples.size())) return false;
  int next = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    const uint32_t count = counts.Get(static_cast<int>(i));
    if (count > most || static_cast<int>(count) > entries - next) return false;
    for (uint32_t entry = 0; entry < count; ++entry) {
      if (!put(samples[i], entry, next++)) return false;
    }
  }
  return next == entries;
}

}  // namespace

void PackSamples(std::span<const TimeSample> samples, proto::TimeLine* message) {
  const bool any_pause = std::any_of(samples.begin(), samples.end(), [](const TimeSample& sample) { return sample.pauses != 0; });
  int64_t time_ms = 0;
  WorkersSoFar known;
  for (const TimeSample& sample : samples) {
    message->add_times_ms(sample.time_ms - time_ms);
    time_ms = sample.time_ms;
    message->add_running_tasks(sample.running_tasks);
    message->add_task_starts(sample.task_starts);
    if (any_pause) {
      message->add_pauses(sample.pauses);
      message->add_stopped_us(sample.stopped_us);
    }
    uint32_t workers = 0, stages = 0;
    for (const TimeSample::Worker& worker : sample.workers) {
      if (worker.pid == 0) continue;
      ++workers;
      known.Pack(worker, message);
    }
    for (const TimeSample::Stage& stage : sample.stages) {
      if (stage.id < 0) continue;
      ++stages;
      message->add_stage_ids(stage.id);
      message->add_stage_tasks(stage.tasks);
    }
    message->add_workers(workers);
    message->add_stages(stages);
  }
  for (size_t gauge = 0; gauge < kGauges; ++gauge) {
    const bool any = std::any_of(samples.begin(), samples.end(), [&](const TimeSample& each) { return each.figures[gauge] != kNoFigure; });
    if (!any) continue;
    proto::TimeLine::Figures& figures = *message->add_figures();
    figures.set_name(kGaugeNames[gauge]);
    int64_t value = 0;
    for (const TimeSample& sample : samples) {
      figures.add_differences(Shifted(sample.figures[gauge]) - value);
      value = Shifted(sample.figures[gauge]);
    }
  }
}

std::optional<std::vector<TimeSample>> UnpackSamples(const proto::TimeLine& message) {
  const auto count = static_cast<size_t>(message.times_ms_size());
  if (count > kMostSamplesOfMessage) return std::nullopt;
  std::vector<TimeSample> samples(count);
  if (message.running_tasks_size() != message.times_ms_size() || message.task_starts_size() != message.times_ms_size()) return std::nullopt;
  const bool with_pauses = message.pauses_size() != 0 || message.stopped_us_size() != 0;
  if (with_pauses && (message.pauses_size() != message.times_ms_size() || message.stopped_us_size() != message.times_ms_size())) {
    return std::nullopt;
  }
  int64_t time_ms = 0;
  for (size_t i = 0; i < count; ++i) {
    const auto at = static_cast<int>(i);
    const std::optional<int64_t> next = Summed(time_ms, message.times_ms(at), kLastMs);
    if (!next || (i > 0 && *next <= time_ms)) return std::nullopt;
    samples[i].time_ms = time_ms = *next;
    samples[i].running_tasks = message.running_tasks(at);
    samples[i].task_starts = message.task_starts(at);
    if (with_pauses) {
      samples[i].pauses = message.pauses(at);
      samples[i].stopped_us = message.stopped_us(at);
    }
  }
  if (message.worker_differences_size() != message.worker_places_size() || message.stage_tasks_size() != message.stage_ids_size()) {
    return std::nullopt;
  }
  WorkersSoFar known;
  const auto put_worker = [&](TimeSample& sample, uint32_t entry, int at) {
    const std::optional<TimeSample::Worker> worker = known.Unpack(message, at);
    if (worker) sample.workers[entry] = *worker;
    return worker.has_value();
  };
  const auto put_stage = [&](TimeSample& sample, uint32_t entry, int at) {
    sample.stages[entry] = {message.stage_ids(at), message.stage_tasks(at)};
    return true;
  };
  const bool lists = ReadLists(message.workers(), message.worker_places_size(), TimeSample::kWorkers, samples, put_worker) &&
                     ReadLists(message.stages(), message.stage_ids_size(), TimeSample::kStages, samples, put_stage);
  if (!lists) return std::nullopt;
  for (const proto::TimeLine::Figures& figures : message.figures()) {
    const auto name = std::find(kGaugeNames.begin(), kGaugeNames.end(), figures.name());
    if (name == kGaugeNames.end()) continue;
    if (!ReadGauge(figures, static_cast<size_t>(name - kGaugeNames.begin()), samples)) return std::nullopt;
  }
  return samples;
}

}  // namespace memprof
