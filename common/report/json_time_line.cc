#include "report/json_time_line.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "report/json_reader.h"
#include "report/json_writer.h"

namespace memprof {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostSamples = 10'000;  // of one executor; ours are far fewer
constexpr int64_t kKib = 1024;

// Lists have one entry for each sample; an entry for workers or stages is a list of pairs.
void Fields(Is<ReportTimeLine> auto& line, auto& visit) {
  visit.Times("timesMs");
  visit.Series("series");
  visit.Percents("pressurePercent", Gauge::kPressure);
  visit.Counts("runningTasks", &TimeSample::running_tasks);
  visit.Counts("taskStarts", &TimeSample::task_starts);
  visit.Counts("gcPauses", &TimeSample::pauses);
  visit.Counts("gcStoppedMicros", &TimeSample::stopped_us);
  visit.Pairs("workers", &TimeSample::workers);
  visit.Pairs("stages", &TimeSample::stages);
  visit.Value("thinnedSamples", line.thinned);
}

Json BytesOf(uint32_t kib) { return kib == kNoFigure ? Json(nullptr) : Json(kib * kKib); }

// What the container used and no process had: pages of tmpfs and of the kernel. Negative where processes share pages.
Json Unattributed(const TimeSample& sample) {
  int64_t left = sample[Gauge::kUsed];
  bool known = sample[Gauge::kUsed] != kNoFigure;
  for (Gauge part : {Gauge::kJvm, Gauge::kPythonWorkers, Gauge::kPythonOther}) {
    known = known && sample[part] != kNoFigure;
    left -= sample[part];
  }
  if (sample[Gauge::kPrograms] != kNoFigure) left -= sample[Gauge::kPrograms];
  return known ? Json(left * kKib) : Json(nullptr);
}

// What the workers held that a sample doesn't name.
std::optional<uint64_t> OtherWorkersKib(const TimeSample& sample) {
  if (sample[Gauge::kPythonWorkers] == kNoFigure) return std::nullopt;
  uint64_t named = 0;
  for (const TimeSample::Worker& worker : sample.workers) named += worker.kib;
  return sample[Gauge::kPythonWorkers] - std::min<uint64_t>(named, sample[Gauge::kPythonWorkers]);
}

void PutPair(const TimeSample::Worker& worker, Json& pairs) {
  if (worker.pid != 0) pairs.push_back({worker.pid, worker.kib * kKib});
}
void PutPair(const TimeSample::Stage& stage, Json& pairs) {
  if (stage.id >= 0) pairs.push_back({stage.id, stage.tasks});
}

class TimeLineWriter : public JsonWriter {
 public:
  explicit TimeLineWriter(const std::vector<TimeSample>& samples) : samples_(samples) {}

  void Times(std::string_view key) {
    Put(key, Each([](const TimeSample& sample) { return Json(sample.time_ms); }));
  }

  void Series(std::string_view key) {
    Json series = Json::array();
    for (size_t i = 0; i < kGauges; ++i) {
      const auto gauge = static_cast<Gauge>(i);
      if (gauge == Gauge::kPressure || !Measured(gauge)) continue;
      series.push_back(Json{{"name", kGaugeNames[i]}, {"bytes", Each([&](const TimeSample& sample) { return BytesOf(sample[gauge]); })}});
    }
    const auto others = [](const TimeSample& sample) { return OtherWorkersKib(sample).value_or(0) != 0; };
    if (std::any_of(samples_.begin(), samples_.end(), others)) {
      series.push_back(Json{{"name", "python.workers.others"}, {"bytes", Each([](const TimeSample& sample) {
                                                                  const std::optional<uint64_t> kib = OtherWorkersKib(sample);
                                                                  return kib ? Json(*kib * kKib) : Json(nullptr);
                                                                })}});
    }
    if (Measured(Gauge::kUsed)) series.push_back(Json{{"name", "unattributed"}, {"bytes", Each(Unattributed)}});
    Put(key, std::move(series));
  }

  void Percents(std::string_view key, Gauge gauge) {
    const auto percent = [&](const TimeSample& sample) { return sample[gauge] == kNoFigure ? Json(nullptr) : Json(sample[gauge] / 100.0); };
    Put(key, Measured(gauge) ? Each(percent) : Json(nullptr));
  }

  void Counts(std::string_view key, uint32_t TimeSample::*count) {
    Put(key, Each([&](const TimeSample& sample) { return Json(sample.*count); }));
  }

  void Pairs(std::string_view key, auto TimeSample::*entries) {
    Put(key, Each([&](const TimeSample& sample) {
          Json pairs = Json::array();
          for (const auto& entry : sample.*entries) PutPair(entry, pairs);
          return pairs;
        }));
  }

 private:
  bool Measured(Gauge gauge) const {
    return std::any_of(samples_.begin(), samples_.end(), [&](const TimeSample& sample) { return sample[gauge] != kNoFigure; });
  }

  Json Each(auto make) const {
    Json list = Json::array();
    for (const TimeSample& sample : samples_) list.push_back(make(sample));
    return list;
  }

  const std::vector<TimeSample>& samples_;
};

// KiB, as samples have them, of a whole number of bytes.
uint32_t Kib(const Json& bytes) { return bytes.is_number_unsigned() ? TimeSample::ToKib(bytes.get<uint64_t>()) : kNoFigure; }

uint32_t Count(const Json& count) { return count.is_number_unsigned() ? static_cast<uint32_t>(count.get<uint64_t>()) : 0; }

void TakePair(int32_t pid, const Json& bytes, TimeSample::Worker& worker) { worker = {pid, Kib(bytes)}; }
void TakePair(int32_t id, const Json& tasks, TimeSample::Stage& stage) { stage = {id, Count(tasks)}; }

class TimeLineReader : public JsonReader {
 public:
  TimeLineReader(const Json& json, std::vector<TimeSample>& samples) : JsonReader(json), samples_(samples) {}

  // Impossible times give no samples, and then there is nothing for the other lists to fill.
  void Times(std::string_view key) {
    const Json& times = At(key);
    if (!times.is_array() || times.size() > kMostSamples) return;
    for (const Json& time : times) {
      const bool good = time.is_number_unsigned() && time.get<uint64_t>() <= uint64_t{1} << 53 &&
                        (samples_.empty() || time.get<int64_t>() > samples_.back().time_ms);
      if (!good) return samples_.clear();
      samples_.emplace_back().time_ms = time.get<int64_t>();
    }
  }

  void Series(std::string_view key) {
    for (const Json& series : At(key)) {
      const JsonReader reader(series);
      const auto name = std::find(kGaugeNames.begin(), kGaugeNames.end(), reader.Text("name"));
      if (name == kGaugeNames.end() || *name == kGaugeNames[static_cast<size_t>(Gauge::kPressure)]) continue;  // others are computed
      const auto gauge = static_cast<Gauge>(name - kGaugeNames.begin());
      Each(reader.At("bytes"), [&](TimeSample& sample, const Json& value) { sample[gauge] = Kib(value); });
    }
  }

  void Percents(std::string_view key, Gauge gauge) {
    Each(At(key), [&](TimeSample& sample, const Json& value) {
      if (value.is_number() && value.get<double>() >= 0 && value.get<double>() <= 100) {
        sample[gauge] = static_cast<uint32_t>(std::lround(value.get<double>() * 100));
      }
    });
  }

  void Counts(std::string_view key, uint32_t TimeSample::*count) {
    Each(At(key), [&](TimeSample& sample, const Json& value) { sample.*count = Count(value); });
  }

  void Pairs(std::string_view key, auto TimeSample::*entries) {
    Each(At(key), [&](TimeSample& sample, const Json& pairs) {
      auto entry = (sample.*entries).begin();
      for (const Json& pair : pairs) {
        const bool good = pair.is_array() && pair.size() == 2 && pair[0].is_number_unsigned() && pair[1].is_number_unsigned() &&
                          pair[0].get<uint64_t>() <= INT32_MAX;
        if (good && entry != (sample.*entries).end()) TakePair(pair[0].get<int32_t>(), pair[1], *entry++);
      }
    });
  }

 private:
  void Each(const Json& list, auto put) {
    for (size_t i = 0; list.is_array() && i < std::min(list.size(), samples_.size()); ++i) put(samples_[i], list[i]);
  }

  std::vector<TimeSample>& samples_;
};

}  // namespace

Json TimeLineJson(const ReportTimeLine& line) {
  TimeLineWriter writer(line.samples);
  Fields(line, writer);
  return std::move(writer).Take();
}

std::optional<ReportTimeLine> ReadTimeLine(const Json& json) {
  ReportTimeLine line;
  TimeLineReader reader(json, line.samples);
  Fields(line, reader);
  return line.samples.empty() ? std::nullopt : std::optional(std::move(line));
}

}  // namespace memprof
