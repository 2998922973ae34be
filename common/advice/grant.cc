#include "advice/grant.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "advice/figures.h"
#include "budget/driver.h"
#include "budget/memory_size.h"

namespace memprof {
namespace {

// Of one container, and of one node. Mebibytes.
struct YarnBound {
  const char *key, *phrase;
};
constexpr YarnBound kYarnBounds[] = {{"yarn.scheduler.maximum-allocation-mb", "yarn.scheduler.maximum-allocation-mb grants"},
                                     {"yarn.nodemanager.resource.memory-mb", "yarn.nodemanager.resource.memory-mb grants"}};

std::optional<uint64_t> Mebibytes(const SparkSettings& settings, const char* key) {
  const auto found = settings.find(key);
  if (found == settings.end()) return std::nullopt;
  const std::string& text = found->second;
  uint64_t mebibytes = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), mebibytes);
  constexpr uint64_t kMost = UINT64_MAX / kMib;
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || mebibytes == 0 || mebibytes > kMost) return std::nullopt;
  return mebibytes * kMib;
}

}  // namespace

std::optional<Grant> LargestGrant(const GrantBounds& bounds) {
  std::optional<Grant> least;
  const auto bound = [&](std::optional<uint64_t> bytes, const char* by) {
    if (bytes && (!least || *bytes < least->bytes)) least = {*bytes, by};
  };
  bound(bounds.host_memory_bytes, bounds.host_is_group ? "its NodeManager's control group has" : "the host it ran on has");
  if (bounds.of_driver && !SettingsSizeDriversContainer(bounds.settings)) bound(bounds.cgroup_limit_bytes, "its cgroup has");
  if (bounds.settings != nullptr && (!bounds.of_driver || DriverHasContainer(bounds.settings))) {
    for (const YarnBound& each : kYarnBounds) bound(Mebibytes(*bounds.settings, each.key), each.phrase);
  }
  return least;
}

std::optional<Grant> LargestContainer(const AdviceInput& input) {
  return LargestGrant(GrantBounds{input.settings, input.executor->id == "driver", input.executor->host_memory_bytes, std::nullopt,
                                  input.executor->host_is_group});
}

std::optional<Grant> LargestGrant(const AdviceInput& input) {
  GrantBounds bounds{input.settings, input.executor->id == "driver", input.executor->host_memory_bytes, std::nullopt,
                     input.executor->host_is_group};
  if (input.executor->limit_source == "cgroup") bounds.cgroup_limit_bytes = input.executor->limit_bytes;
  return LargestGrant(bounds);
}

std::optional<Grant> WorkersMemory(const AdviceInput& input) {
  if (input.settings == nullptr) return std::nullopt;
  const std::string master = TextOr(input.settings, "spark.master", "");
  if (master.starts_with("local-cluster[")) {  // [workers, cores, MiB of a worker]
    uint64_t mebibytes = 0;
    const size_t first = master.find_first_not_of(' ', master.rfind(',') + 1);
    if (first == master.npos) return std::nullopt;
    if (std::from_chars(master.data() + first, master.data() + master.size(), mebibytes).ec != std::errc()) return std::nullopt;
    return Grant{mebibytes * kMib, "a worker of this local-cluster has"};
  }
  std::optional<uint64_t> all = input.executor->host_memory_bytes;
  if (input.executor->limit_source == "cgroup") all = std::min(all.value_or(UINT64_MAX), input.executor->limit_bytes.value_or(UINT64_MAX));
  if (!master.starts_with("spark://") || !all || *all <= 2 * kGib) return std::nullopt;
  const uint64_t most = *all - kGib;
  if (input.executor->requested_bytes.value_or(0) > most) return std::nullopt;
  return Grant{most, "a standalone worker there has, unless SPARK_WORKER_MEMORY is set,"};
}

bool MayBeGranted(const AdviceInput& input, uint64_t more) {
  const std::optional<Grant> grant = LargestGrant(input);
  return !grant || !input.executor->requested_bytes || *input.executor->requested_bytes + more <= grant->bytes;
}

uint64_t RequestBesideOverhead(const AdviceInput& input) {
  const uint64_t requested = input.executor->requested_bytes.value_or(0);
  return requested - std::min(requested, BudgetOf(input, "overhead"));
}

uint64_t OverheadFor(const AdviceInput& input, uint64_t python_bytes) {
  return WithHeadroom(python_bytes - std::min(python_bytes, BudgetOf(input, "pyspark")) + JvmNative(input) + OfNoProcess(input) +
                      InSwap(input));
}

std::optional<TasksThatFit> LargestFit(const AdviceInput& input) {
  const std::optional<Grant> grant = LargestGrant(input);
  if (!grant || !input.executor->requested_bytes) return std::nullopt;
  const uint64_t beside = RequestBesideOverhead(input);
  const PythonAtOnce python = LargestPythonSum(input);
  for (uint64_t tasks = python.tasks; tasks > 0; --tasks) {
    const uint64_t overhead = OverheadFor(input, BytesOfTasks(python, tasks));
    if (beside + overhead <= grant->bytes) return TasksThatFit{tasks, overhead};
  }
  return std::nullopt;
}

}  // namespace memprof
