// Blocks of shuffles that are fetched from other executors are held in direct buffers, up to a size from which they go to a file.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "advice/figures.h"
#include "report/units.h"

namespace memprof {
namespace {

constexpr const char* kConf = "spark.network.maxRemoteBlockSizeFetchToMem";
constexpr uint64_t kMi = 1 << 20, kDefault = 200 * kMi;  // Spark's, since 3.0
constexpr uint64_t kAtOnce = 4;                          // blocks of each task that fit

}  // namespace

std::optional<ReportAdvice> AdviseFetchedBlocks(const AdviceInput& input) {
  if (!input.shortage || !input.shortage->of_fetch || !input.shortage->limit_bytes) return std::nullopt;
  const uint64_t limit = *input.shortage->limit_bytes, now = SizeOr(input.settings, kConf, 1, kDefault);
  const uint64_t wanted = std::max(limit / kAtOnce / std::max<uint64_t>(TaskSlots(input).value_or(1), 1), kMi);
  if (wanted >= now) return std::nullopt;
  const std::string because = fmt::format(
      "a block of a shuffle that another executor sends is held in direct buffers, unless it is larger than this ({} now): then "
      "it is written to a file as it comes; direct buffers are bounded by {}, where each task that runs should find room for {} "
      "blocks; more partitions make smaller blocks",
      FormatBytes(now), FormatBytes(limit), kAtOnce);
  return ReportAdvice{kConf, TextOr(input.settings, kConf, SparkSize(kDefault).c_str()), SparkSize(wanted), because};
}

}  // namespace memprof
