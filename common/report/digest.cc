#include "report/digest.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "report/titles.h"
#include "report/units.h"

namespace memprof {
namespace {

// The sites are sorted by weight; one UDF's are brought together at the place of its heaviest.
std::vector<const ReportSite*> ByUdf(const std::vector<const ReportSite*>& sites) {
  std::vector<const ReportSite*> order;
  for (const ReportSite* first : sites) {
    if (std::any_of(order.begin(), order.end(), [&](const ReportSite* site) { return site->udf == first->udf; })) continue;
    std::copy_if(sites.begin(), sites.end(), std::back_inserter(order), [&](const ReportSite* site) { return site->udf == first->udf; });
  }
  return order;
}

auto WeightOf(const ReportStage& stage) {
  uint64_t live = 0, allocated = 0;
  for (const ReportOriginSum& total : stage.totals) {
    live += total.live_at_peak_bytes.value_or(0);
    allocated += total.allocated_bytes;
  }
  return std::tuple(live, allocated);
}

double UseOf(const ReportExecutor& executor) {
  if (!executor.at_peak || !executor.limit_bytes || *executor.limit_bytes == 0) return -1;
  return static_cast<double>(executor.at_peak->used_bytes) / static_cast<double>(*executor.limit_bytes);
}

const ReportOriginSum* Find(const std::vector<ReportOriginSum>& sums, Origin origin) {
  auto found = std::find_if(sums.begin(), sums.end(), [&](const ReportOriginSum& sum) { return sum.origin == origin; });
  return found == sums.end() ? nullptr : &*found;
}

}  // namespace

StageDigest DigestOf(const ReportStage& stage, const std::vector<ReportSite>& sites) {
  StageDigest digest;
  digest.stage = &stage;
  for (const ReportSite& site : sites) {
    switch (site.origin) {
      case Origin::kPython:
        digest.python.push_back(&site);
        break;
      case Origin::kJvmHeap:
        digest.heap.push_back(&site);
        break;
      case Origin::kJvmOffHeap:
      case Origin::kJvmNative:
      case Origin::kUnknown:
        digest.off_heap.push_back(&site);
        break;
    }
  }
  digest.python = ByUdf(digest.python);
  return digest;
}

std::vector<const ReportStage*> StagesByWeight(const Report& report) {
  std::vector<const ReportStage*> stages;
  for (const ReportStage& stage : report.stages) {
    if (!stage.totals.empty() || !stage.other_attempts.totals.empty() || stage.other_attempts.tasks != 0) stages.push_back(&stage);
  }
  std::stable_sort(stages.begin(), stages.end(), [](const auto* a, const auto* b) { return WeightOf(*a) > WeightOf(*b); });
  return stages;
}

std::vector<const ReportExecutor*> ExecutorsByUse(const Report& report) {
  std::vector<const ReportExecutor*> executors;
  for (const ReportExecutor& executor : report.executors) executors.push_back(&executor);
  std::stable_sort(executors.begin(), executors.end(), [](const auto* a, const auto* b) { return UseOf(*a) > UseOf(*b); });
  return executors;
}

const ReportOriginSum* TotalOf(const ReportSiteGroup& group, Origin origin) { return Find(group.totals, origin); }
const ReportOriginSum* RemainderOf(const ReportSiteGroup& group, Origin origin) { return Find(group.remainders, origin); }

std::string LimitPhrase(const ReportExecutor& executor) {
  if (executor.limit_source == "cgroup") return executor.limit_shared ? "cgroup limit, shared with other executors" : "cgroup limit";
  if (executor.limit_source == "host") return "physical memory of the host";
  if (executor.limit_source == "spark") return executor.limit_enforced ? "requested by Spark" : "requested, not enforced";
  return "";
}

std::string OtherAttemptsPhrase(const ReportOtherAttempts& other) {
  std::string phrase;
  auto add = [&](uint64_t count, const char* what) {
    if (count != 0) phrase += fmt::format("{}{} {}", phrase.empty() ? "" : ", ", FormatCount(count), what);
  };
  add(other.failed, "failed");
  add(other.killed, "killed");
  add(other.lost, "lost");
  add(other.superseded, "superseded");
  add(other.unknown, "without a reported end");
  return phrase;
}

std::string UdfHeading(const ReportSite& site) { return site.udf ? UdfTitle(*site.udf) : "outside any UDF"; }

std::string ErrorPhrase(const ReportSite& site) {
  if (!site.error_bytes) return "± unknown";
  return *site.error_bytes == 0 ? "exact" : "± " + FormatBytes(*site.error_bytes);
}

}  // namespace memprof
