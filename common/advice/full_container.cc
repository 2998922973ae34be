// A container that came close to its limit, but was not killed.
#include <fmt/format.h>

#include "advice/figures.h"
#include "advice/findings.h"
#include "advice/grant.h"
#include "advice/resource_profile.h"
#include "report/titles.h"
#include "report/units.h"
#include "report/verdict.h"

namespace memprof {
namespace {

constexpr double kRoomy = 0.8;  // share of its limit that a container should use at most
constexpr const char* kOverhead = "spark.executor.memoryOverhead";

// A container that may swap is not killed when it is full: its use stands at the limit. YARN's own limit is on resident memory alone.
std::string WhatIsNext(const ReportExecutor& executor) {
  const uint64_t left = executor.swap && executor.limit_source == "cgroup" ? executor.swap->left_bytes : 0;
  const std::string in_swap = executor.swap && executor.swap->peak_bytes != 0
                                  ? fmt::format("{} more lay in swap, which is slow", FormatBytes(executor.swap->peak_bytes))
                                  : "";
  // A cluster manager may have granted more than what was requested, and Spark doesn't know that figure.
  const char* then =
      executor.limit_source == "spark" ? "a little more, and its cluster manager may end it" : "a little more, and it is killed";
  if (left < executor.limit_bytes.value_or(0) / 20) return in_swap.empty() ? then : fmt::format("{}; {}", in_swap, then);
  return fmt::format("{} and has room for {} more", in_swap.empty() ? "what is too much goes to swap, which is slow" : in_swap,
                     FormatBytes(left));
}

uint64_t Roomy(uint64_t used) { return static_cast<uint64_t>(static_cast<double>(used) / kRoomy); }

ReportFinding OfSharedLimit(const ReportExecutor& executor) {
  const uint64_t used = executor.at_peak->used_bytes, limit = *executor.limit_bytes;
  ReportFinding finding;
  finding.executor_id = executor.id;
  finding.headline = fmt::format("All that shares the limit of executor {} used {} of {} ({}): a little more, and something is killed.",
                                 executor.id, FormatBytes(used), FormatBytes(limit), FormatPercent(UseOf(executor), 1));
  finding.advice.push_back({"", "", "",
                            fmt::format("fewer executors there, or a limit of {} instead of {}: the same use is {} of it",
                                        FormatBytes(Roomy(used)), FormatBytes(limit), FormatPercent(kRoomy, 1))});
  return finding;
}

ReportAdvice MoreRoom(const ReportExecutor& executor, const SparkSettings* settings) {
  const uint64_t in_swap = executor.swap ? executor.swap->peak_bytes : 0;
  const uint64_t limit = *executor.limit_bytes, needed = Roomy(executor.at_peak->used_bytes + in_swap);
  const AdviceInput input{.executor = &executor, .settings = settings};
  const uint64_t overhead = BudgetOf(executor, "overhead"), requested = executor.requested_bytes.value_or(limit);
  const std::string why = fmt::format("the same use is {} of it", FormatPercent(kRoomy, 1));
  const uint64_t more = needed - std::min(needed, requested);
  const std::optional<Grant> grant = LargestContainer(input);
  if (grant && executor.requested_bytes && requested + more > grant->bytes) {
    const bool runs_tasks = executor.id != "driver" || IsLocal(TextOr(settings, "spark.master", ""));
    return {
        "", "", "",
        fmt::format("{}: a container of {}, where {}, is more than what {} ({})", runs_tasks ? "fewer tasks at once" : "less in the driver",
                    FormatBytes(needed), why, grant->by, FormatBytes(grant->bytes))};
  }
  if (LimitIsAsRequested(executor, limit) && more != 0) {
    return {kOverhead, SparkSize(overhead), SparkSize(overhead + more),
            fmt::format("the container grows to {}: {}", FormatBytes(requested + more), why)};
  }
  return {"", "", "", fmt::format("a container of {} instead of {}: {}", FormatBytes(needed), FormatBytes(limit), why)};
}

}  // namespace

std::optional<ReportFinding> FindFullContainer(const ReportExecutor& executor, const SparkSettings* settings) {
  const bool enforced = executor.limit_enforced && executor.limit_source != "host";
  if (!enforced || ToneOf(executor) == Tone::kPlain) return std::nullopt;
  if (executor.limit_shared) return OfSharedLimit(executor);
  ReportFinding finding;
  finding.executor_id = executor.id;
  finding.headline = fmt::format("{} used {} of its limit of {} ({}) and lived: {}.", ExecutorTitle(executor.id),
                                 FormatBytes(executor.at_peak->used_bytes), FormatBytes(*executor.limit_bytes),
                                 FormatPercent(UseOf(executor), 1), WhatIsNext(executor));
  finding.advice.push_back(MoreRoom(executor, settings));
  AdviseByProfile(executor, finding.advice);
  return finding;
}

}  // namespace memprof
