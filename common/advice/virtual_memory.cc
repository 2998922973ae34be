// YARN's bound on address space, most of which nobody touches: its check is best switched off, as Spark's documentation advises.
#include "advice/advice.h"

namespace memprof {

std::optional<ReportAdvice> AdviseVirtualMemory(const AdviceInput& input) {
  if (!input.of_address_space) return std::nullopt;
  return ReportAdvice{"", "", "",
                      "yarn.nodemanager.vmem-check-enabled=false, a setting of the node managers, not of Spark: they count address space, "
                      "which threads and malloc reserve and don't use; where the check must stay, a larger "
                      "yarn.nodemanager.vmem-pmem-ratio (2.1 by default)"};
}

}  // namespace memprof
