// KernelKills: shares out the kernel's kills in our cgroup among the processes that vanish. The counter rises before its
// victim is gone, so a rise is looked for at every tick, kept for a few seconds and explains one process. A rise that nobody
// of ours explains was somebody else in the same group, and is forgotten. Not thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>

namespace memprof {

class KernelKills {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kKept{5};

  void Reset(std::optional<uint64_t> counter);
  void Read(std::optional<uint64_t> counter, Clock::time_point now);  // at every tick
  // How many kills explain one process that has just vanished: 1 or 0; absent where the kernel doesn't count.
  std::optional<uint64_t> Take();

 private:
  std::optional<uint64_t> counter_;
  std::deque<Clock::time_point> unexplained_;
};

}  // namespace memprof
