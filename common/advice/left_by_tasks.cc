// What earlier tasks had left in the reused workers: smaller batches or partitions make none of it smaller, and where it grows from task
// to task, no memory is enough.
#include <fmt/format.h>

#include <algorithm>

#include "advice/figures.h"
#include "report/digest.h"
#include "report/titles.h"
#include "report/units.h"

namespace memprof {
namespace {

constexpr double kWorthIt = 0.25;                // of all that Python held
constexpr double kOfAll = 0.1;                   // of all that was in use
constexpr uint64_t kLeast = uint64_t{16} << 20;  // bytes; below this it kills nobody

}  // namespace

std::optional<ReportAdvice> AdviseLeftByTasks(const AdviceInput& input) {
  if (input.of_heap || input.shortage) return std::nullopt;  // of the JVM's own
  const ReportSite* largest = nullptr;
  uint64_t left = 0;
  for (const ReportSite& site : input.death->sites) {
    if (!site.left_by_earlier_tasks) continue;
    if (largest == nullptr) largest = &site;  // they come by bytes
    left += site.live_at_peak_bytes.value_or(0);
  }
  const uint64_t held = LargestPythonSum(input).bytes;
  const uint64_t in_use = input.death->address_space ? 0 : input.death->used_bytes.value_or(0);  // address space is no memory
  const double least = std::max(kWorthIt * static_cast<double>(held), kOfAll * static_cast<double>(in_use));
  if (left < kLeast || static_cast<double>(left) < least) return std::nullopt;
  const ReportFrame* lead = LeadOf(*largest);
  const std::string where = lead == nullptr ? "" : fmt::format(", most of it at {} {}", FramePlace(*lead), FrameTitle(*lead));
  return ReportAdvice{
      "", "", "",
      fmt::format("earlier tasks had left {} of Python's {} in the workers{}: bound what is kept from task to task (a list "
                  "or dict of a module, a cache without a largest size), or set spark.python.worker.reuse to false, so "
                  "that a worker ends with its task; what each task needs anyway, like a model, takes memory in each worker",
                  FormatBytes(left), FormatBytes(held), where)};
}

}  // namespace memprof
