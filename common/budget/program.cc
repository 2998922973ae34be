// A Python program without Spark: no memory was requested for it, so there are no regions, and its limit is the cgroup's or the
// machine's.
#include "budget/container_budget.h"

namespace memprof {
namespace {

class PlainProgram final : public ClusterManager {
 public:
  Budget BudgetOf(const BudgetInput& input) const override {
    Budget budget;
    budget.limit_bytes = input.cgroup_limit_bytes ? input.cgroup_limit_bytes : input.host_memory_bytes;
    if (budget.limit_bytes) budget.limit_source = input.cgroup_limit_bytes ? LimitSource::kCgroup : LimitSource::kHost;
    return budget;
  }
};

}  // namespace

std::unique_ptr<ClusterManager> MakeProgram() { return std::make_unique<PlainProgram>(); }

}  // namespace memprof
