// A pool of the JVM other than the heap ran out: a JVM option bounds it.
#include <fmt/format.h>

#include <algorithm>

#include "advice/figures.h"
#include "budget/driver.h"
#include "report/units.h"

namespace memprof {
namespace {

std::string DirectOption(uint64_t bytes) { return "-XX:MaxDirectMemorySize=" + SparkSize(bytes); }

}  // namespace

std::optional<ReportAdvice> AdviseJvmPools(const AdviceInput& input) {
  if (!input.shortage) return std::nullopt;
  const bool driver = input.executor->id == "driver";
  const char* conf = driver ? "spark.driver.extraJavaOptions" : "spark.executor.extraJavaOptions";
  if (input.shortage->pool == JvmPool::kArray) {
    return ReportAdvice{"", "", "",
                        "an array of a JVM has 2^31 - 1 entries at most, and no larger heap changes that: make smaller what was to become "
                        "one array, such as a row, a group that is collected, a broadcast variable, or a batch"};
  }
  if (input.shortage->pool == JvmPool::kClassSpace) {
    return ReportAdvice{conf, "", "-XX:CompressedClassSpaceSize=3g",
                        "the JVM's space for compressed class pointers is full, a part of Metaspace with 1 GiB by default, less where "
                        "-XX:MaxMetaspaceSize is set, which must then be larger, too; 3 GiB is the most; beside the other options that "
                        "are set there"};
  }
  if (input.shortage->pool == JvmPool::kMetaspace) {
    return ReportAdvice{conf, "", "",
                        "the JVM's space for classes is full: raise -XX:MaxMetaspaceSize there, or take it away, for without it there is "
                        "no bound"};
  }
  if (input.shortage->pool != JvmPool::kDirectBuffers) return std::nullopt;
  const JvmShortage& direct = *input.shortage;
  // Without the option the bound is the heap's size.
  const std::optional<uint64_t> limit = direct.limit_bytes ? direct.limit_bytes : input.executor->heap_max_bytes;
  if (!limit)
    return ReportAdvice{conf, "", "", "direct buffers ran out; raise -XX:MaxDirectMemorySize there: what bounds them is not known"};
  const uint64_t wanted = std::max(2 * *limit, WithHeadroom(direct.held_bytes.value_or(0) + direct.asked_bytes.value_or(0)));
  std::string because = direct.asked_bytes
                            ? fmt::format("direct buffers held {} of {} when {} more were asked for; ",
                                          FormatBytesOr(direct.held_bytes, "part"), FormatBytes(*limit), FormatBytes(*direct.asked_bytes))
                            : fmt::format("direct buffers filled their bound of {}; ", FormatBytes(*limit));
  // Elsewhere nothing is reserved, and the setting does nothing.
  const bool reserves_overhead = driver ? SettingsSizeDriversContainer(input.settings) : BudgetOf(input, "overhead") != 0;
  because += fmt::format(
      "how many more the job wants is not measured, so the next size to try is {}, beside the other options that are set there; they are "
      "outside the heap: {} must have room for {} more",
      wanted == 2 * *limit ? "twice that" : "what was wanted + 10 %",
      !reserves_overhead ? "its container or machine"
      : driver           ? "spark.driver.memoryOverhead"
                         : "spark.executor.memoryOverhead",
      FormatBytes(wanted - *limit));
  const bool bounded_by_option = direct.limit_bytes && direct.limit_bytes != input.executor->heap_max_bytes;
  return ReportAdvice{conf, bounded_by_option ? DirectOption(*limit) : "", DirectOption(wanted), because};
}

}  // namespace memprof
