// KernelKills: assigns the kernel's kills in our cgroup, or on our host, to the processes that disappear. The counter rises before the
// killed process is gone. Each kill is kept for a few seconds and explains one process, the youngest kill first. A kill that explains none
// of our processes was of another one, and is forgotten. Not thread-safe.
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
  static constexpr std::chrono::milliseconds kLate{300};  // how late the counter may be read: a slow tick, and a little

  // How late a process is found gone that no tick has seen: by its box, which is looked at twice a second, and a little.
  static constexpr std::chrono::milliseconds kFoundLate{1000};

  // Of one process that has vanished.
  struct Explained {
    uint64_t kills = 0;                     // 1 or 0
    std::chrono::milliseconds outlived{0};  // it lived for so long after that kill was counted: the longer, the more doubtful
  };

  void Reset(std::optional<uint64_t> counter);
  // The counter, which had come to `before`, is another one's from now on, which has counted this many: kills that are not explained yet
  // stay.
  void Move(std::optional<uint64_t> before, std::optional<uint64_t> counter, Clock::time_point now);
  // Other executors are in the cgroup: its kills may be of their processes, and explain none of ours any more.
  void SetShared() { shared_ = true; }
  // In its cgroup at every tick; on its host when a process has disappeared. Absent: the counter could not be read this time.
  void Read(std::optional<uint64_t> counter, Clock::time_point now);
  // What explains a process that was alive when the counter was last read but once, and is gone; absent where the kernel doesn't count.
  // `gone`: when it was found gone, if no tick has seen it; a later kill was another's.
  std::optional<Explained> Take(std::optional<Clock::time_point> gone = std::nullopt);
  // Whether one that was counted since then explains a process that need not have been killed; it is taken.
  bool TakeSince(Clock::time_point since);
  // False: between the last two readings, and within the last seconds, the kernel has killed nothing.
  bool MayHaveKilled() const { return !counter_ || !was_read_ || !unexplained_.empty(); }

 private:
  void Count(std::optional<uint64_t> counter, Clock::time_point now);

  std::optional<uint64_t> counter_;
  bool was_read_ = true;
  bool shared_ = false;
  Clock::time_point read_at_{}, read_before_{};
  std::deque<Clock::time_point> unexplained_;
};

}  // namespace memprof
