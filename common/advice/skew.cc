// One task that held far more than the others of its stage: its partition is larger and must be divided.
#include <fmt/format.h>

#include <cmath>

#include "advice/figures.h"
#include "report/units.h"

namespace memprof {

std::optional<ReportAdvice> AdviseSkew(const AdviceInput& input) {
  const std::optional<AgainstPeers> peers = TaskAgainstPeers(input);
  if (!peers || peers->times < kFarMore) return std::nullopt;
  std::string beside;
  if (input.once_bytes != 0)
    beside =
        fmt::format(" beside {} {}", FormatBytes(input.once_bytes), input.of_heap ? "of broadcast variables" : "that each worker keeps");
  auto parts = static_cast<uint64_t>(std::ceil(peers->times));
  return ReportAdvice{
      "", "", "",
      fmt::format("task {} {} {}{}, {:.0f}× the median of {} of {} finished tasks of its stage: divide its partition into "
                  "{} (salt the key it is grouped by, or repartition before it)",
                  input.death->task_attempt_id.value_or(-1), input.of_heap ? "allocated" : "held", FormatBytes(input.task_bytes), beside,
                  peers->times, FormatBytes(peers->median), input.peer_bytes.size(), parts)};
}

}  // namespace memprof
