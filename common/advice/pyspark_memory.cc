// A worker whose address space was full: spark.executor.pyspark.memory bounds it, divided by the executor's cores.
#include <fmt/format.h>

#include "advice/figures.h"
#include "advice/grant.h"
#include "report/units.h"

namespace memprof {
namespace {

constexpr const char* kSetting = "spark.executor.pyspark.memory";

// A container that is large enough can't be had: with fewer cores, by which Spark divides the same setting, each worker has more of it.
ReportAdvice WithinGrant(const AdviceInput& input, uint64_t whole, uint64_t needed, uint64_t cores, const std::string& sum) {
  const std::optional<Grant> grant = LargestGrant(input);
  const std::string bound = grant ? fmt::format("{} {} at most", grant->by, FormatBytes(grant->bytes)) : "no more is granted";
  const uint64_t fitting = whole / needed / TaskCpus(input) * TaskCpus(input);
  if (fitting == 0 || fitting >= cores)
    return {"", "", "", fmt::format("fewer rows in a batch, or smaller groups: {}, and {}", sum, bound)};
  return {"spark.executor.cores", fmt::format("{}", cores), fmt::format("{}", fitting),
          fmt::format("{}; {}, so {} can't be larger, but with {} cores each worker has {} of it", sum, bound, kSetting, fitting,
                      FormatBytes(whole / fitting))};
}

}  // namespace

std::optional<ReportAdvice> AdvisePysparkMemory(const AdviceInput& input) {
  if (!input.death->address_space) return std::nullopt;
  const ReportAddressSpace& space = *input.death->address_space;
  uint64_t host = input.executor->host_memory_bytes.value_or(UINT64_MAX);
  if (!space.limit_bytes || space.refused_bytes > host) {
    return ReportAdvice{"", "", "",
                        fmt::format("{} at once was more than the system gives: no setting helps but one that makes the task ask for less "
                                    "(fewer rows in a batch, smaller groups)",
                                    FormatBytes(space.refused_bytes))};
  }
  uint64_t needed = WithHeadroom(space.virtual_bytes + space.refused_bytes), whole = PysparkMemorySetting(input);
  std::string sum =
      fmt::format("a worker had {} reserved + {} asked for + 10 %", FormatBytes(space.virtual_bytes), FormatBytes(space.refused_bytes));
  if (whole < *space.limit_bytes) {
    return ReportAdvice{"", "", "",
                        fmt::format("an address space of {} instead of {}, which is not Spark's limit (ulimit -v?): {}",
                                    FormatBytes(needed), FormatBytes(*space.limit_bytes), sum)};
  }
  uint64_t workers = (whole + *space.limit_bytes / 2) / *space.limit_bytes;
  const bool is_reserved = BudgetOf(input, "pyspark") != 0;
  if (is_reserved && needed * workers > whole && !MayBeGranted(input, needed * workers - whole))
    return WithinGrant(input, whole, needed, workers, sum);
  if (workers > 1) sum += fmt::format(", times {}: Spark divides it by the executor's cores", workers);
  return ReportAdvice{kSetting, SparkSize(whole), SparkSize(needed * workers), sum};
}

}  // namespace memprof
