#include "postmortem/regions_then.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace memprof {
namespace {

std::optional<uint64_t> RowOf(const proto::Moment& moment, std::string_view name) {
  const auto& rows = moment.regions();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const proto::Row& each) { return each.name() == name; });
  return row == rows.end() ? std::nullopt : std::optional<uint64_t>(row->bytes());
}

uint64_t PythonBytes(const proto::Moment& moment) {
  uint64_t sum = 0;
  for (const proto::Process& process : moment.processes()) {
    if (process.kind().starts_with("python")) sum += process.peak_rss_bytes();  // at this moment
  }
  return sum;
}

bool HasBudget(const ReportExecutor& executor, std::string_view name) {
  return std::any_of(executor.regions.begin(), executor.regions.end(),
                     [&](const ReportRegion& region) { return region.name == name && region.budget_bytes.value_or(0) != 0; });
}

}  // namespace

std::vector<ReportRegionUse> RegionsThen(const ReportExecutor& executor, const proto::Moment& moment) {
  std::vector<ReportRegionUse> regions;
  if (executor.regions.empty()) return regions;
  const std::optional<uint64_t> heap = RowOf(moment, "heap.used");
  const bool told = heap.value_or(0) != 0;  // a heap is never empty: Spark hadn't been asked yet
  const std::string_view of_python = HasBudget(executor, "pyspark") ? "pyspark" : "overhead";
  regions.push_back({"heap", executor.heap_max_bytes, told ? heap : std::nullopt});
  for (const ReportRegion& region : executor.regions) {
    ReportRegionUse& use = regions.emplace_back(ReportRegionUse{region.name, region.budget_bytes, std::nullopt});
    if (region.name == of_python) {
      if (!moment.processes().empty()) use.bytes = PythonBytes(moment);
    } else if (told || region.name == "offHeap") {
      use.bytes = RowOf(moment, region.name);
    }
  }
  return regions;
}

}  // namespace memprof
