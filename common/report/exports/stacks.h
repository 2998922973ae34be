// A report as stacks with figures: the base of every export for another tool. Only attempts that count, as in the report's
// stages; failed and superseded ones are never added in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/model.h"

namespace memprof {

enum class Measure { kAllocated, kLiveAtPeak, kResidentAtPeak };
inline constexpr Measure kMeasures[] = {Measure::kAllocated, Measure::kLiveAtPeak, Measure::kResidentAtPeak};

constexpr std::string_view MeasureWord(Measure measure) {
  switch (measure) {
    case Measure::kAllocated:
      return "allocated";
    case Measure::kLiveAtPeak:
      return "live at peak";
    case Measure::kResidentAtPeak:
      return "resident at peak";
  }
  return "";
}

// Pointers refer to the report. A site, or (site null) the rest of an origin that has no site in the stage, so that allocated
// bytes add up to the stage's. Live and resident bytes are the largest of any one task, so their sum means nothing.
struct ExportedStack {
  const ReportStage* stage = nullptr;  // null: all stages without a row of the report, then without a site, too
  Origin origin = Origin::kUnknown;
  const ReportSite* site = nullptr;
  uint64_t allocated_bytes = 0, allocations = 0;
  std::optional<uint64_t> live_at_peak_bytes, resident_at_peak_bytes;

  std::optional<uint64_t> Value(Measure measure) const;  // bytes; nullopt: not measured
};
std::vector<ExportedStack> StacksOf(const Report& report);  // in the report's order

// The frame that stands for the stage, outermost of all: "stage 3 aggregate (job.py:41)", "other stages".
std::string StageFrame(const ExportedStack& stack);
// The frame for the rest of an origin: "[python: sites without a place of their own]".
std::string RestFrame(Origin origin);
// "with_cpp (averages.py:27)".
std::string FrameWithPlace(const ReportFrame& frame);

}  // namespace memprof
