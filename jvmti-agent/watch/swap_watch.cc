#include "watch/swap_watch.h"

#include <algorithm>

#include "base/clock.h"

namespace memprof {

void SwapWatch::Look(const std::optional<HostSwap>& host, const ProcFiles& proc, const ProcessWatch& processes,
                     const MemoryCgroup* limiting) {
  if (!host || host->bytes == 0) return;
  if (!use_) use_.emplace();
  const std::optional<uint64_t> left = limiting == nullptr ? std::nullopt : limiting->SwapLeft();
  use_->set_left_bytes(std::min(host->free_bytes, left.value_or(host->free_bytes)));
  use_->set_clock_ms(MonotonicNs() / 1'000'000);
  if (host->free_bytes == host->bytes) return;
  uint64_t all = 0, beside_jvm = 0;
  for (const auto& [pid, process] : processes.living()) {
    const Result<ProcessStatus> status = proc.ReadStatus(pid);
    if (!status.ok()) continue;
    all += status->swap_bytes;
    if (process.kind != ProcessKind::kJvm) beside_jvm += status->swap_bytes;
  }
  if (all <= use_->peak_bytes()) return;
  use_->set_peak_bytes(all);
  use_->set_beside_jvm_bytes(beside_jvm);
}

void SwapWatch::AddTo(proto::ExecutorSnapshot* snapshot) const {
  if (use_) *snapshot->mutable_swap() = *use_;
}

}  // namespace memprof
