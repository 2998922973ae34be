#include "heap/retained_message.h"

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "base/valid_utf8.h"
#include "stacks/message_names.h"

namespace memprof {
namespace {

uint64_t Rounded(double value) { return value <= 0 ? 0 : static_cast<uint64_t>(std::llround(std::min(value, 1e18))); }

// The sites so that their sum is at most `used`, heaviest first; without those that come down to nothing.
std::vector<RetainedSite> Within(double used, std::vector<RetainedSite> sites) {
  const auto reduce = [](RetainedSite& site, double bytes) {
    if (site.bytes > 0) site.objects *= bytes / site.bytes;
    site.bytes = bytes;
  };
  for (;;) {  // each round but the last brings a site down to 0
    double sum = 0, variance = 0;
    for (const RetainedSite& site : sites) {
      sum += site.bytes;
      if (site.bytes > 0) variance += site.variance;
    }
    if (sum <= used) break;
    bool done = true;
    for (RetainedSite& site : sites) {
      const double rest = variance > 0 ? site.bytes - (sum - used) * site.variance / variance : site.bytes * used / sum;
      if (site.bytes > 0 && rest < 0) done = false;
      reduce(site, std::max(0.0, rest));
    }
    if (done) break;
  }
  std::erase_if(sites, [](const RetainedSite& site) { return site.bytes < 1; });
  std::sort(sites.begin(), sites.end(), [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  return sites;
}

proto::RetainedHeap Built(const RetainedInputs& inputs, const std::vector<RetainedSite>& sites, size_t most) {
  proto::RetainedHeap message;
  message.set_time_ms(inputs.time_ms);
  message.set_clock_ms(MonotonicNs() / 1'000'000);
  message.set_collection(ValidUtf8(inputs.marking.collection));
  message.set_heap_used_after_bytes(inputs.marking.heap_used_bytes);
  if (inputs.marking.heap_max_bytes != 0) message.set_heap_max_bytes(inputs.marking.heap_max_bytes);
  message.set_interval_bytes(inputs.interval_bytes);
  MessageNames names(message.mutable_names());
  uint64_t total = 0;
  double variance = 0;
  for (size_t i = 0; i < sites.size(); ++i) {
    const RetainedSite& site = sites[i];
    const uint64_t bytes = static_cast<uint64_t>(std::max(0.0, site.bytes));  // rounded down: the sum keeps the bound
    total += bytes;
    variance += site.variance;
    if (i >= most) {
      message.set_other_sites(message.other_sites() + 1);
      message.set_other_bytes(message.other_bytes() + bytes);
      continue;
    }
    proto::RetainedSite* row = message.add_sites();
    if (site.origin.stacks != nullptr) row->set_stack(names.Stack(*site.origin.stacks, site.origin.stack));
    row->set_bytes(bytes);
    row->set_objects(std::max<uint64_t>(1, Rounded(site.objects)));
    row->set_variance(site.variance);
    row->set_stage_id(site.origin.stage_id);
    row->set_stage_attempt(site.origin.stage_attempt);
    if (site.origin.stage_id < 0) row->set_thread(names.String(inputs.thread_name(site.origin.bucket)));
  }
  message.set_total_bytes(total);
  message.set_variance(variance);
  return message;
}

}  // namespace

proto::RetainedHeap BuildRetained(const RetainedInputs& inputs, size_t max_bytes) {
  const std::vector<RetainedSite> sites = Within(static_cast<double>(inputs.marking.heap_used_bytes), inputs.sites);
  constexpr size_t kFirst = 64;
  for (size_t most = kFirst;; most -= (most + 3) / 4) {
    proto::RetainedHeap message = Built(inputs, sites, most);
    if (most == 0 || message.ByteSizeLong() <= max_bytes) return message;
  }
}

}  // namespace memprof
