// What every view shows first, and in which order: one reading of the model, so that HTML and terminal agree. Pointers
// refer to the report given.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/model.h"

namespace memprof {

struct StageDigest {
  const ReportStage* stage = nullptr;
  std::vector<const ReportSite*> python;    // by UDF: the heaviest UDF first, its sites together, heaviest first
  std::vector<const ReportSite*> heap;      // JVM heap, by bytes allocated
  std::vector<const ReportSite*> off_heap;  // Unsafe and native memory of the JVM
};

// Sites of one group by what they are, each list in the report's order (the heaviest first).
StageDigest DigestOf(const ReportStage& stage, const std::vector<ReportSite>& sites);

// Stages that have any site, the one that held most at a peak first; stages of other attempts alone come last.
std::vector<const ReportStage*> StagesByWeight(const Report& report);

// Executors by how close they came to their limit, closest first.
std::vector<const ReportExecutor*> ExecutorsByUse(const Report& report);

// The total of an origin in a group, or nullptr.
const ReportOriginSum* TotalOf(const ReportSiteGroup& group, Origin origin);
const ReportOriginSum* RemainderOf(const ReportSiteGroup& group, Origin origin);

// "cgroup limit", "requested, not enforced", … ; "" when unknown.
std::string LimitPhrase(const ReportExecutor& executor);

// "2 failed, 1 superseded".
std::string OtherAttemptsPhrase(const ReportOtherAttempts& other);

// "aggregate (job.py:41)", "outside any UDF".
std::string UdfHeading(const ReportSite& site);

// "± 3.1 MiB", "exact", "± unknown".
std::string ErrorPhrase(const ReportSite& site);

}  // namespace memprof
