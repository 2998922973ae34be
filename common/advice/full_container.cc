// A container that came close to the limit at which it is killed, and lived.
#include <fmt/format.h>

#include "advice/figures.h"
#include "advice/findings.h"
#include "report/units.h"
#include "report/verdict.h"

namespace memprof {
namespace {

constexpr double kRoomy = 0.8;  // of its limit, that a container may well use
constexpr const char* kOverhead = "spark.executor.memoryOverhead";

}  // namespace

std::optional<ReportFinding> FindFullContainer(const ReportExecutor& executor) {
  if (!executor.limit_enforced || ToneOf(executor) == Tone::kPlain) return std::nullopt;
  const uint64_t used = executor.at_peak->used_bytes, limit = *executor.limit_bytes;
  const auto needed = static_cast<uint64_t>(static_cast<double>(used) / kRoomy);
  ReportFinding finding;
  finding.executor_id = executor.id;
  finding.headline = fmt::format("{} used {} of its limit of {} ({}) and lived: a little more, and it is killed.",
                                 executor.id == "driver" ? "The driver" : "Executor " + executor.id, FormatBytes(used), FormatBytes(limit),
                                 FormatPercent(UseOf(executor), 1));
  const uint64_t overhead = BudgetOf({.executor = &executor}, "overhead");
  if (overhead != 0 && executor.id != "driver") {
    const uint64_t wanted = overhead + (needed - limit);
    finding.advice.push_back(
        {kOverhead, SparkSize(overhead), SparkSize(wanted),
         fmt::format("the container grows to {}, of which the same use is {}", FormatBytes(needed), FormatPercent(kRoomy, 1))});
  } else {
    finding.advice.push_back({"", "", "",
                              fmt::format("a container of {} instead of {}: the same use is {} of it", FormatBytes(needed),
                                          FormatBytes(limit), FormatPercent(kRoomy, 1))});
  }
  return finding;
}

}  // namespace memprof
