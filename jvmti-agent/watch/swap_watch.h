// SwapWatch: how much of an executor lies in swap. A full container that may swap is not killed (unless swappiness is 0), and its use
// stands at the limit while its pages go there. Looks cost 20 µs for each process, and nothing where the host has no swap. Used by the
// watcher's thread only.
#pragma once

#include <optional>

#include "proto/memprof.pb.h"
#include "system/memory_cgroup.h"
#include "watch/process_watch.h"

namespace memprof {

class SwapWatch {
 public:
  // `host`: its swap as of now; absent: not known. `limiting`: the group that has the limit; null: none.
  void Look(const std::optional<HostSwap>& host, const ProcFiles& proc, const ProcessWatch& processes, const MemoryCgroup* limiting);
  void AddTo(proto::ExecutorSnapshot* snapshot) const;

 private:
  std::optional<proto::SwapUse> use_;  // absent: the host has none
};

}  // namespace memprof
