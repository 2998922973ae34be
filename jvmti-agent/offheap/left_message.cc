#include "offheap/left_message.h"

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "stacks/message_names.h"

namespace memprof {
namespace {

uint64_t Rounded(double value) { return value <= 0 ? 0 : static_cast<uint64_t>(std::llround(std::min(value, 1e18))); }

proto::LeftMemory Built(const std::vector<LeftSite>& sites, int64_t time_ms, const NativeNamesAt& native, size_t most) {
  proto::LeftMemory message;
  message.set_time_ms(time_ms);
  message.set_clock_ms(MonotonicNs() / 1'000'000);
  MessageNames names(message.mutable_names(), native);
  for (size_t i = 0; i < sites.size(); ++i) {
    const LeftSite& site = sites[i];
    if (i >= most || site.stacks == nullptr) {
      message.set_other_bytes(message.other_bytes() + Rounded(site.live.bytes));
      continue;
    }
    proto::LeftSite* row = message.add_sites();
    row->set_stack(names.Stack(*site.stacks, site.stack));
    row->set_bytes(Rounded(site.live.bytes));
    row->set_blocks(std::max<uint64_t>(1, Rounded(site.live.blocks)));
    row->set_variance(std::max(0.0, site.live.variance));
    row->set_stage_id(site.stage_id);
    row->set_tasks(site.tasks);
    if (!site.thread.empty()) row->set_thread(names.String(site.thread));
  }
  return message;
}

}  // namespace

proto::LeftMemory BuildLeft(const std::vector<LeftSite>& sites, int64_t time_ms, const NativeNamesAt& native, size_t max_bytes) {
  constexpr size_t kFirst = 16;
  for (size_t most = kFirst;; most -= (most + 3) / 4) {
    proto::LeftMemory message = Built(sites, time_ms, native, most);
    if (most == 0 || message.ByteSizeLong() <= max_bytes) return message;
  }
}

}  // namespace memprof
