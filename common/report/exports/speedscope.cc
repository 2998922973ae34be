// speedscope's file format (www.speedscope.app/file-format-schema.json): one profile for each measure, over all stages.
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "report/exports/exports.h"
#include "report/exports/stacks.h"
#include "report/json.h"
#include "report/titles.h"

namespace memprof {
namespace {

using Json = nlohmann::ordered_json;

class SharedFrames {
 public:
  size_t Add(const std::string& name, const std::string& file = "", uint32_t line = 0) {
    const auto [entry, added] = known_.try_emplace({name, file, line}, frames_.size());
    if (added) {
      Json frame = {{"name", name}};
      if (!file.empty()) frame["file"] = file;
      if (line != 0) frame["line"] = line;
      frames_.push_back(std::move(frame));
    }
    return entry->second;
  }
  const Json& frames() const { return frames_; }

 private:
  std::map<std::tuple<std::string, std::string, uint32_t>, size_t> known_;
  Json frames_ = Json::array();
};

Json ProfileOf(const std::vector<ExportedStack>& stacks, Measure measure, SharedFrames* frames) {
  Json samples = Json::array(), weights = Json::array();
  uint64_t total = 0;
  for (const ExportedStack& stack : stacks) {
    const uint64_t bytes = stack.Value(measure).value_or(0);
    if (bytes == 0) continue;
    Json sample = {frames->Add(StageFrame(stack))};
    if (stack.site == nullptr) sample.push_back(frames->Add(RestFrame(stack.origin)));
    if (stack.site != nullptr) {
      for (const ReportFrame& frame : stack.site->frames) {
        sample.push_back(frames->Add(FrameTitle(frame), frame.file.empty() ? frame.module : frame.file, frame.line));
      }
    }
    samples.push_back(std::move(sample));
    weights.push_back(bytes);
    total += bytes;
  }
  return {{"type", "sampled"},
          {"name", MeasureWord(measure)},
          {"unit", "bytes"},
          {"startValue", 0},
          {"endValue", total},
          {"samples", std::move(samples)},
          {"weights", std::move(weights)}};
}

}  // namespace

Result<std::string> RenderSpeedscope(std::string_view report_json) {
  const Result<Report> report = ReadReportJson(report_json);
  if (!report.ok()) return report.status();
  const std::vector<ExportedStack> stacks = StacksOf(*report);
  SharedFrames frames;
  Json profiles = Json::array();
  for (const Measure measure : kMeasures) profiles.push_back(ProfileOf(stacks, measure, &frames));
  const Json file = {{"$schema", "https://www.speedscope.app/file-format-schema.json"},
                     {"exporter", "sparkmemprof"},
                     {"name", report->application.name.empty() ? report->application.id : report->application.name},
                     {"activeProfileIndex", 0},
                     {"shared", {{"frames", frames.frames()}}},
                     {"profiles", std::move(profiles)}};
  return file.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace memprof
