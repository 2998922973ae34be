#include "advice/advice.h"

namespace memprof {

std::vector<ReportAdvice> Advise(const AdviceInput& input) {
  std::vector<ReportAdvice> pieces;
  auto add = [&](std::optional<ReportAdvice> piece) {
    if (piece) pieces.push_back(std::move(*piece));
    return piece.has_value();
  };
  if (add(AdvisePysparkMemory(input)) ||
      add(AdviseJvmPools(input))) {  // no container was full, so that no rule for one has anything to say
    add(AdviseSkew(input));
    return pieces;
  }
  bool more_memory = add(AdviseMemoryOverhead(input));
  more_memory = add(AdviseExecutorMemory(input)) || more_memory;
  add(AdviseExecutorCores(input));
  add(AdviseArrowBatch(input));
  add(AdviseSkew(input));
  if (!more_memory && !input.of_heap) pieces.push_back(AdviseContainerSize(input));
  return pieces;
}

}  // namespace memprof
