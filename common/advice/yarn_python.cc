// On YARN, spark.executor.pyspark.memory is reserved only for applications that are known to be Python. spark-submit knows it from the
// script; a session that is started otherwise (Spark Connect, a JVM of one's own) must set spark.yarn.isPython itself.
#include <fmt/format.h>

#include "advice/figures.h"
#include "advice/grant.h"
#include "report/units.h"

namespace memprof {

std::optional<ReportAdvice> AdviseYarnPython(const AdviceInput& input) {
  if (input.of_heap || !IsOnYarn(input.settings) || BudgetOf(input, "pyspark") != 0) return std::nullopt;
  const uint64_t bytes = PysparkMemorySetting(input);
  const PythonAtOnce python = LargestPythonSum(input);
  if (bytes == 0 || !MayBeGranted(input, bytes)) return std::nullopt;
  if (WithHeadroom(python.bytes + JvmNative(input)) <= BudgetOf(input, "overhead")) return std::nullopt;  // it wasn't Python
  return ReportAdvice{"spark.yarn.isPython", "false", "true",
                      fmt::format("{}; the container has no room for the {} of spark.executor.pyspark.memory, for YARN adds them only with "
                                  "this setting, which Spark Connect doesn't make",
                                  PythonPhrase(python), FormatBytes(bytes))};
}

}  // namespace memprof
