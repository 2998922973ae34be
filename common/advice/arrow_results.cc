// toPandas without Arrow holds all rows in the driver's heap; by Arrow it passes what tasks bring on to Python (decision 0509).
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "advice/collected_results.h"
#include "advice/figures.h"
#include "report/units.h"

namespace memprof {
namespace {

// As Spark reads it: PySpark writes "False".
bool IsFalse(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char each) { return std::tolower(each); });
  return text == "false";
}

}  // namespace

std::optional<ReportAdvice> AdviseArrowResults(const CollectedResults& results) {
  constexpr const char* kArrow = "spark.sql.execution.arrow.pyspark.enabled";
  constexpr uint64_t kAtOnce = 4, kEnoughTasks = 8 * kAtOnce;  // spark.resultGetter.threads as it is by default: fetched at once
  if (results.broadcast || !IsFalse(TextOr(results.settings, kArrow, ""))) return std::nullopt;
  const uint64_t tasks = std::max(results.tasks, results.partitions.value_or(0));
  const std::string first = tasks >= kEnoughTasks
                                ? ""
                                : fmt::format(
                                      "; what {} tasks bring may be in the heap at once, and there {} only {}: call repartition({}) "
                                      "before it, which changes the order of rows",
                                      kAtOnce, tasks == 1 ? "is" : "are", FormatCount(tasks), 2 * kEnoughTasks);
  return ReportAdvice{kArrow, "false", "true",
                      "toPandas then passes rows on to Python as record batches, instead of holding all of them in the heap" + first};
}

}  // namespace memprof
