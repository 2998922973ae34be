#include "advice/heap_bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "advice/figures.h"
#include "advice/grant.h"
#include "budget/driver.h"
#include "budget/memory_size.h"
#include "report/units.h"

namespace memprof {
namespace {

using Needed = std::function<uint64_t(uint64_t heap)>;  // in all, with such a heap

bool IsOfDriver(const AdviceInput& input) { return input.executor->id == "driver"; }

bool SettingsSizeIt(const AdviceInput& input) {
  if (IsOfDriver(input)) return SettingsSizeDriversContainer(input.settings);
  return BudgetOf(input, "overhead") != 0 || SettingsSizeContainers(input.settings);
}

uint64_t LargestWithin(uint64_t bytes, const Needed& needed) {
  uint64_t fits = 0, beyond = bytes / kMib + 1;
  while (beyond - fits > 1) {
    const uint64_t middle = fits + (beyond - fits) / 2;
    (needed(middle * kMib) <= bytes ? fits : beyond) = middle;
  }
  return fits * kMib;
}

// What was requested grows with the heap and with the overhead that follows it. None follows the heap of a ResourceProfile.
Needed OfSizedContainer(const AdviceInput& input, uint64_t heap) {
  const SparkSettings* settings = input.settings;
  const ReportResourceProfile& profile = input.executor->resource_profile;
  const bool is_fixed = profile.AsksFor(ReportResourceProfile::kMemory) || profile.AsksFor(ReportResourceProfile::kMemoryOverhead);
  const auto overhead = [settings, of_driver = IsOfDriver(input), is_fixed](uint64_t of_heap) -> uint64_t {
    if (of_driver) return BesideDriversHeap(settings, of_heap);
    return is_fixed || settings == nullptr ? 0 : OverheadWithHeap(*settings, of_heap);
  };
  const uint64_t now = heap + overhead(heap), requested = input.executor->requested_bytes.value_or(now);
  const uint64_t rest = requested - std::min(requested, now);
  return [=](uint64_t next) { return next + overhead(next) + rest; };
}

// Nothing is reserved beside the heap: about what a JVM takes, or what was measured, where that is more.
struct Beside {
  uint64_t measured = 0;
  std::string phrase;
};

Beside MeasuredBeside(const AdviceInput& input) {
  const PythonAtOnce python = ResidentPythonSum(input);
  const uint64_t native = JvmNative(input), off_heap = SparksOffHeap(input);
  return {WithHeadroom(python.bytes + native + off_heap),
          fmt::format("{} + JVM native {}{}", PythonPhrase(python), FormatBytes(native),
                      off_heap == 0 ? "" : fmt::format(" + off-heap {}", FormatBytes(off_heap)))};
}

uint64_t OfJvmAlone(const AdviceInput& input, uint64_t heap, uint64_t next) {
  if (IsOfDriver(input)) return next + BesideDriversHeap(input.settings, next);
  const uint64_t requested = input.executor->requested_bytes.value_or(heap);
  return next < heap ? requested - std::min(requested, heap - next) : requested + WithHeadroom(next - heap);
}

}  // namespace

std::optional<HeapBound> LargestHeap(const AdviceInput& input, uint64_t heap) {
  std::optional<HeapBound> least;
  const auto bound = [&](const Grant& grant, const Needed& needed, const std::string& beside = "") {
    const uint64_t largest = LargestWithin(grant.bytes, needed);
    if (!least || largest < least->heap) least = {largest, fmt::format("{} {} at most{}", grant.by, FormatBytes(grant.bytes), beside)};
  };
  const std::optional<Grant> grant = LargestGrant(input);
  if (SettingsSizeIt(input)) {
    if (grant && (input.executor->requested_bytes || IsOfDriver(input))) bound(*grant, OfSizedContainer(input, heap));
    return least;
  }
  const Needed of_jvm = [&](uint64_t next) { return OfJvmAlone(input, heap, next); };
  const Beside beside = MeasuredBeside(input);
  const auto bound_all = [&](const Grant& all) {
    if (IsOfDriver(input) || input.executor->requested_bytes) bound(all, of_jvm);
    const Needed with_rest = [&](uint64_t next) { return next + beside.measured; };
    bound(all, with_rest, fmt::format(" (beside the heap: {} + 10 %)", beside.phrase));
  };
  if (grant) bound_all(*grant);
  const bool in_cgroup = input.executor->limit_source == "cgroup" && input.executor->limit_bytes;
  if (in_cgroup && !IsOfDriver(input)) bound_all({*input.executor->limit_bytes, "its cgroup has"});
  // A worker counts heaps alone.
  if (const std::optional<Grant> worker = IsOfDriver(input) ? std::nullopt : WorkersMemory(input);
      worker && input.executor->requested_bytes)
    bound(*worker, of_jvm);
  return least;
}

}  // namespace memprof
