#include "postmortem/regions_then.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "postmortem/last_moment.h"
#include "rollup/executor_rows.h"

namespace memprof {
namespace {

bool HasBudget(const ReportExecutor& executor, std::string_view name) {
  return std::any_of(executor.regions.begin(), executor.regions.end(),
                     [&](const ReportRegion& region) { return region.name == name && region.budget_bytes.value_or(0) != 0; });
}

}  // namespace

std::vector<ReportRegionUse> RegionsThen(const ReportExecutor& executor, const proto::Moment& moment) {
  std::vector<ReportRegionUse> regions;
  if (executor.regions.empty()) return regions;
  const std::string_view of_python = HasBudget(executor, "pyspark") ? "pyspark" : "overhead";
  regions.push_back({"heap", executor.heap_max_bytes, RegionOf(moment, "heap.usedAfterGc")});
  for (const ReportRegion& region : executor.regions) {
    ReportRegionUse& use = regions.emplace_back(ReportRegionUse{region.name, region.budget_bytes, std::nullopt});
    if (region.name == of_python) {
      if (!moment.processes().empty()) use.bytes = BesideJvm(moment);
    } else {
      use.bytes = RegionOf(moment, region.name);
    }
  }
  return regions;
}

}  // namespace memprof
