// One task that held far more than the others of its stage: its partition is larger and must be divided.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "advice/figures.h"
#include "report/units.h"

namespace memprof {
namespace {

constexpr size_t kFewestPeers = 3;
constexpr double kSkewed = 3;

}  // namespace

std::optional<ReportAdvice> AdviseSkew(const AdviceInput& input) {
  if (input.peer_bytes.size() < kFewestPeers) return std::nullopt;
  std::vector<uint64_t> peers = input.peer_bytes;
  auto middle = peers.begin() + static_cast<ptrdiff_t>(peers.size() / 2);
  std::nth_element(peers.begin(), middle, peers.end());
  uint64_t median = *middle;
  if (median == 0) return std::nullopt;
  double times = static_cast<double>(input.task_bytes) / static_cast<double>(median);
  if (times < kSkewed) return std::nullopt;
  auto parts = static_cast<uint64_t>(std::ceil(times));
  return ReportAdvice{"", "", "",
                      fmt::format("task {} {} {}, {:.0f}× the median of {} of {} finished tasks of its stage: divide its partition into "
                                  "{} (salt the key it is grouped by, or repartition before it)",
                                  input.death->task_attempt_id.value_or(-1), input.of_heap ? "allocated" : "held",
                                  FormatBytes(input.task_bytes), times, FormatBytes(median), peers.size(), parts)};
}

}  // namespace memprof
