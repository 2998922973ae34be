#include "report/exports/stacks.h"

#include <fmt/format.h>

#include "report/digest.h"
#include "report/titles.h"
#include "report/words.h"

namespace memprof {

std::optional<uint64_t> ExportedStack::Value(Measure measure) const {
  switch (measure) {
    case Measure::kAllocated:
      return allocated_bytes;
    case Measure::kLiveAtPeak:
      return live_at_peak_bytes;
    case Measure::kResidentAtPeak:
      return resident_at_peak_bytes;
  }
  return std::nullopt;
}

std::vector<ExportedStack> StacksOf(const Report& report) {
  std::vector<ExportedStack> stacks;
  for (const ReportStage& stage : report.stages) {
    for (const ReportSite& site : stage.sites) {
      stacks.push_back(
          {&stage, site.origin, &site, site.allocated_bytes, site.allocations, site.live_at_peak_bytes, site.resident_at_peak_bytes});
    }
    for (const ReportOriginSum& rest : stage.remainders) {
      if (rest.allocated_bytes == 0 && rest.live_at_peak_bytes.value_or(0) == 0) continue;
      stacks.push_back({&stage, rest.origin, nullptr, rest.allocated_bytes, rest.allocations, rest.live_at_peak_bytes, std::nullopt});
    }
  }
  if (!report.other_stages) return stacks;
  for (const ReportOriginSum& total : report.other_stages->totals) {
    stacks.push_back({nullptr, total.origin, nullptr, total.allocated_bytes, total.allocations, total.live_at_peak_bytes, std::nullopt});
  }
  return stacks;
}

std::string StageFrame(const ExportedStack& stack) {
  if (stack.stage == nullptr) return "other stages";
  const ReportStage& stage = *stack.stage;
  const std::string title = StageTitle(stage);
  const std::string attempt = stage.attempt == 0 ? "" : fmt::format(".{}", stage.attempt);
  return fmt::format("stage {}{}{}{}", stage.stage_id, attempt, title.empty() ? "" : " ", title);
}

std::string RestFrame(Origin origin) { return fmt::format("[{}: sites without a place of their own]", OriginWord(origin)); }

std::string FrameWithPlace(const ReportFrame& frame) {
  const std::string place = FramePlace(frame);
  return place.empty() ? FrameTitle(frame) : fmt::format("{} ({})", FrameTitle(frame), place);
}

}  // namespace memprof
