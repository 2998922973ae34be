#include "advice/advice.h"

#include "advice/figures.h"
#include "advice/resource_profile.h"

namespace memprof {
namespace {

std::vector<ReportAdvice> BySettings(const AdviceInput& input) {
  std::vector<ReportAdvice> pieces;
  auto add = [&](std::optional<ReportAdvice> piece) {
    if (piece) pieces.push_back(std::move(*piece));
    return piece.has_value();
  };
  add(AdviseFetchedBlocks(input));
  add(AdviseLeftByTasks(input));
  if (add(AdvisePysparkMemory(input)) || add(AdviseJvmPools(input)) || add(AdviseVirtualMemory(input))) {
    add(AdviseSkew(input));  // no container was full, so the rules for containers don't apply
    return pieces;
  }
  bool enough = false, fewer = false;
  if (!FilledSharedLimit(input) && !input.of_host) {      // else no setting of one executor gives it more
    const bool of_python = add(AdviseYarnPython(input));  // then the overhead's rule would give Python the same bytes again
    enough = of_python || add(AdviseMemoryOverhead(input));
    enough = add(AdviseExecutorMemory(input)) || enough;
    const bool splits = !of_python && add(AdviseSplit(input));
    std::optional<ReportAdvice> cores = splits ? std::nullopt : AdviseExecutorCores(input);
    if (cores && enough) cores->because = "in place of more memory: " + cores->because;
    fewer = add(std::move(cores));
    enough = add(AdviseOffHeap(input)) || splits || enough;
  }
  add(AdviseBroadcasts(input));
  add(AdviseCaching(input));
  add(AdviseArrowBatch(input));
  add(AdviseSkew(input));
  if (enough || input.of_heap) return pieces;
  pieces.push_back(AdviseContainerSize(input, fewer));
  return pieces;
}

}  // namespace

std::vector<ReportAdvice> Advise(const AdviceInput& input) {
  std::vector<ReportAdvice> pieces = BySettings(input);
  AdviseByProfile(*input.executor, pieces);
  return pieces;
}

}  // namespace memprof
