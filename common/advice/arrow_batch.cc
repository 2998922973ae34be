// Batches of rows that Arrow carries to Python: if they hold much of its memory, batches of fewer rows hold less. Not for grouped
// functions: a group is sent as a whole, whatever the size of a batch.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "advice/figures.h"
#include "report/units.h"

namespace memprof {
namespace {

constexpr const char* kSetting = "spark.sql.execution.arrow.maxRecordsPerBatch";
constexpr uint64_t kDefaultRecords = 10'000;
constexpr double kWorthIt = 0.25;  // of all that Python held

bool TakesBatches(const std::optional<ReportUdf>& udf) {
  static constexpr std::array<std::string_view, 6> kKinds = {"SCALAR_PANDAS_UDF",  "SCALAR_PANDAS_ITER_UDF", "MAP_PANDAS_ITER_UDF",
                                                             "MAP_ARROW_ITER_UDF", "ARROW_BATCHED_UDF",      "SCALAR_ARROW_UDF"};
  return udf && std::any_of(kKinds.begin(), kKinds.end(), [&](std::string_view kind) { return udf->kind.find(kind) != udf->kind.npos; });
}

// PySpark's own code that turns a batch of Arrow into pandas and back.
bool IsBatch(const ReportSite& site) {
  return std::any_of(site.frames.begin(), site.frames.end(), [](const ReportFrame& frame) {
    return frame.language == Language::kPython && frame.file.find("pyspark/sql/") != frame.file.npos &&
           (frame.file.ends_with("/serializers.py") || frame.file.ends_with("/conversion.py"));
  });
}

uint64_t RecordsNow(const AdviceInput& input) {
  if (input.settings == nullptr) return kDefaultRecords;
  auto found = input.settings->find(kSetting);
  uint64_t records = 0;
  if (found == input.settings->end()) return kDefaultRecords;
  const std::string& text = found->second;
  bool number = std::from_chars(text.data(), text.data() + text.size(), records).ec == std::errc();
  return number ? records : 0;  // 0 and below: no bound
}

}  // namespace

std::optional<ReportAdvice> AdviseArrowBatch(const AdviceInput& input) {
  if (input.of_heap) return std::nullopt;
  bool batches_come =
      std::any_of(input.death->sites.begin(), input.death->sites.end(), [](const auto& site) { return TakesBatches(site.udf); });
  if (!batches_come) return std::nullopt;
  uint64_t batches = 0;
  for (const ReportSite& site : input.death->sites) {
    if (site.origin == Origin::kPython && IsBatch(site)) batches += site.live_at_peak_bytes.value_or(0);
  }
  PythonAtOnce python = LargestPythonSum(input);
  uint64_t limit = input.death->limit_bytes.value_or(0), jvm = JvmResident(input), records = RecordsNow(input);
  if (static_cast<double>(batches) < kWorthIt * static_cast<double>(python.bytes) || batches == 0 || records < 2) return std::nullopt;
  uint64_t rest = jvm + python.bytes - std::min(python.bytes, batches);  // this part does not shrink with the batch
  uint64_t room = limit > WithHeadroom(rest) ? limit - WithHeadroom(rest) : 0;
  uint64_t to =
      std::min(records / 2, static_cast<uint64_t>(static_cast<double>(records) * static_cast<double>(room) / static_cast<double>(batches)));
  if (to == 0) return std::nullopt;
  return ReportAdvice{kSetting, fmt::format("{}", records), fmt::format("{}", to),
                      fmt::format("batches of up to {} rows held {} of Python's {}; with {} rows they need {}", FormatCount(records),
                                  FormatBytes(batches), FormatBytes(python.bytes), FormatCount(to), FormatBytes(batches / records * to))};
}

}  // namespace memprof
