// Batches of rows that Arrow carries to Python: if they hold much of its memory, smaller ones hold less. Not for grouped
// functions: a group is sent as a whole, whatever the size of a batch.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "advice/figures.h"
#include "budget/memory_size.h"
#include "report/units.h"

namespace memprof {
namespace {

constexpr const char *kRecords = "spark.sql.execution.arrow.maxRecordsPerBatch", *kBytes = "spark.sql.execution.arrow.maxBytesPerBatch";
constexpr uint64_t kDefaultRecords = 10'000;
constexpr double kWorthIt = 0.25;  // of all that Python held

bool TakesBatches(const std::string& of_kind) {
  static constexpr std::array<std::string_view, 6> kKinds = {"SCALAR_PANDAS_UDF",  "SCALAR_PANDAS_ITER_UDF", "MAP_PANDAS_ITER_UDF",
                                                             "MAP_ARROW_ITER_UDF", "ARROW_BATCHED_UDF",      "SCALAR_ARROW_UDF"};
  return std::any_of(kKinds.begin(), kKinds.end(), [&](std::string_view kind) { return of_kind.find(kind) != of_kind.npos; });
}

// PySpark's own code that turns a batch of Arrow into pandas and back. It also imports both when it is first called.
bool IsBatch(const ReportSite& site) {
  if (site.left_by_earlier_tasks) return false;  // somebody keeps it
  const auto imports = [](const ReportFrame& frame) { return frame.file.starts_with("<frozen importlib"); };
  if (std::any_of(site.frames.begin(), site.frames.end(), imports)) return false;
  return std::any_of(site.frames.begin(), site.frames.end(), [](const ReportFrame& frame) {
    return frame.language == Language::kPython && frame.file.find("pyspark/sql/") != frame.file.npos &&
           (frame.file.ends_with("/serializers.py") || frame.file.ends_with("/conversion.py"));
  });
}

// Spark 4 collects a batch in direct memory before it sends it.
bool IsBatchOfJvm(const ReportSite& site) {
  return site.origin == Origin::kJvmOffHeap && std::any_of(site.frames.begin(), site.frames.end(), [](const ReportFrame& frame) {
           return frame.function.starts_with("org.apache.spark.sql.execution.python.BatchedPythonArrowInput");
         });
}

// 0: no bound.
uint64_t RecordsNow(const AdviceInput& input) { return NumberOr(input.settings, kRecords, kDefaultRecords); }

// At most half of `now`, and so much less that what batches held fits into `room`.
uint64_t Smaller(uint64_t now, uint64_t batches, uint64_t room) {
  return std::min(now / 2, static_cast<uint64_t>(static_cast<double>(now) * static_cast<double>(room) / static_cast<double>(batches)));
}

}  // namespace

// Rows that came to more than the bound in bytes are cut there, so that a smaller number of rows changes nothing.
std::optional<ReportAdvice> AdviseArrowBatch(const AdviceInput& input) {
  if (input.of_heap) return std::nullopt;
  const std::vector<ReportSite>& sites = input.death->sites;
  bool batches_come =
      std::any_of(input.udf_kinds.begin(), input.udf_kinds.end(), TakesBatches) || std::any_of(sites.begin(), sites.end(), IsBatchOfJvm);
  if (!batches_come) return std::nullopt;
  uint64_t in_python = 0, in_jvm = 0;
  for (const ReportSite& site : sites) {
    if (site.origin == Origin::kPython && IsBatch(site)) in_python += site.live_at_peak_bytes.value_or(0);
    if (IsBatchOfJvm(site)) in_jvm += site.live_at_peak_bytes.value_or(0);
  }
  PythonAtOnce python = LargestPythonSum(input);
  const uint64_t batches = in_python + in_jvm, held = python.bytes + in_jvm;
  if (static_cast<double>(batches) < kWorthIt * static_cast<double>(held) || batches == 0) return std::nullopt;
  uint64_t limit = input.death->limit_bytes.value_or(0), jvm = JvmResident(input), records = RecordsNow(input);
  uint64_t bytes = SizeOr(input.settings, kBytes, 1, 0);                   // 0: Spark has no such bound (3.5), or it is off
  uint64_t all = jvm + python.bytes, rest = all - std::min(all, batches);  // this part does not shrink with the batch
  uint64_t room = limit > WithHeadroom(rest) ? limit - WithHeadroom(rest) : 0;
  std::string of_all;
  if (in_python != 0) of_all = fmt::format("{} of Python's {}", FormatBytes(in_python), FormatBytes(python.bytes));
  if (in_jvm != 0) of_all += fmt::format("{}{} of the JVM's direct memory", of_all.empty() ? "" : " and ", FormatBytes(in_jvm));
  // Each worker has batches of its own, and less than a bound can't have been cut by it.
  const uint64_t of_each = batches / std::max<uint64_t>(python.workers(), 1);
  if (bytes != 0 && of_each >= bytes) {
    uint64_t to = Smaller(bytes, batches, room) / kMib * kMib;
    if (to == 0) return std::nullopt;
    const auto needed = static_cast<uint64_t>(static_cast<double>(batches) / static_cast<double>(bytes) * static_cast<double>(to));
    const std::string or_rows = records < 2 ? ""
                                            : fmt::format("; where {} rows are less than {}, lower {} as much instead",
                                                          FormatCount(records), FormatBytes(bytes), kRecords);
    return ReportAdvice{kBytes, SparkSize(bytes), SparkSize(to),
                        fmt::format("batches of up to {} of Arrow's held {}; with {} they need {}{}", FormatBytes(bytes), of_all,
                                    FormatBytes(to), FormatBytes(needed), or_rows)};
  }
  if (records < 2) return std::nullopt;
  uint64_t to = Smaller(records, batches, room);
  if (to == 0) return std::nullopt;
  return ReportAdvice{kRecords, fmt::format("{}", records), fmt::format("{}", to),
                      fmt::format("batches of up to {} rows held {}; with {} rows they need {}", FormatCount(records), of_all,
                                  FormatCount(to), FormatBytes(batches / records * to))};
}

}  // namespace memprof
