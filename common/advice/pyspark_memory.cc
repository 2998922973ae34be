// A worker whose address space was full: spark.executor.pyspark.memory bounds it, divided by the executor's cores.
#include <fmt/format.h>

#include "advice/figures.h"
#include "report/units.h"

namespace memprof {
namespace {

constexpr const char* kSetting = "spark.executor.pyspark.memory";

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
  if (workers > 1) sum += fmt::format(", times {}: Spark divides it by the executor's cores", workers);
  return ReportAdvice{kSetting, SparkSize(whole), SparkSize(needed * workers), sum};
}

}  // namespace memprof
