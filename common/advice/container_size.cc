// For a limit that no setting of Spark changes: the size that the container would need.
#include <fmt/format.h>

#include <algorithm>

#include "advice/figures.h"
#include "advice/grant.h"
#include "report/units.h"

namespace memprof {
namespace {

constexpr const char* kOrFewer = " for all that share it, or fewer executors there";

}  // namespace

ReportAdvice AdviseContainerSize(const AdviceInput& input, bool or_fewer) {
  uint64_t jvm = JvmResident(input), limit = input.death->limit_bytes.value_or(0);
  PythonAtOnce python = LargestPythonSum(input);
  uint64_t sum = jvm + python.bytes, used = UsedInAll(input);
  uint64_t needed = WithHeadroom(used);
  std::string parts = fmt::format("{} + JVM {}", PythonPhrase(python), FormatBytes(jvm));
  const bool shared = FilledSharedLimit(input), of_host = LimitIsHosts(input);
  if (input.of_host || (of_host && needed <= limit)) return AdviseFullHost(input);
  const char* for_all = or_fewer ? "for as many tasks at once, " : "";
  const char* hosts = input.executor->host_is_group ? "a NodeManager's control group with" : "a host with";
  const char* what = of_host ? hosts : "a container of";
  if (used > sum) {
    parts += fmt::format(" + {} {}", FormatBytes(used - sum), shared ? "of what shares the limit" : "that no process explains");
  }
  if (needed <= limit) {  // use after the last sample was not seen
    return {"", "", "",
            fmt::format("a container of more than {}{}: at the last sample {}, which fitted; what was asked for after it is not known",
                        FormatBytes(limit), shared ? kOrFewer : "", parts)};
  }
  const uint64_t overhead = BudgetOf(input, "overhead"), requested = input.executor->requested_bytes.value_or(limit);
  const uint64_t more = needed - std::min(needed, requested);  // YARN rounds what is requested up
  if (!shared && !of_host && LimitIsAsRequested(*input.executor, limit) && MayBeGranted(input, more)) {
    return {"spark.executor.memoryOverhead", SparkSize(overhead), SparkSize(overhead + more),
            fmt::format("{}the container grows from {} to {}: {} + 10 %", for_all, FormatBytes(limit), FormatBytes(needed), parts)};
  }
  const std::optional<Grant> grant = LargestContainer(input);
  const std::string beyond = grant && needed > grant->bytes ? fmt::format("; but {} {}", grant->by, FormatBytes(grant->bytes)) : "";
  return {"", "", "",
          fmt::format("{}{} {} instead of {}{}: {} + 10 %{}", for_all, what, FormatBytes(needed), FormatBytes(limit),
                      shared ? kOrFewer : "", parts, of_host ? "" : beyond)};
}

}  // namespace memprof
