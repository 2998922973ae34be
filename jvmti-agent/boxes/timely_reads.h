// Reading black boxes on a thread that may not wait for them: a task's own. Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "boxes/python_sessions.h"

namespace memprof {

// Whether the file system of an executor's boxes answers. Once it didn't within the time given, it isn't asked again until the reads that
// hang have come back.
class TimelyReads {
 public:
  // Runs work that may hang, as RunWithin() does.
  using Within = std::function<bool(std::chrono::milliseconds most, std::function<void()> work)>;

  TimelyReads(Within within, std::chrono::milliseconds most);
  TimelyReads(const TimelyReads&) = delete;
  TimelyReads& operator=(const TimelyReads&) = delete;

  // As FindSessions(), with its exceptions. Absent: there was no answer in time.
  std::optional<FoundSessions> Find(const BoxPlace& place, int64_t task_attempt_id, Leftovers leftovers);
  // As memprof::Acknowledge(), if there is an answer in time; otherwise the BoxKeeper does it.
  void Acknowledge(std::vector<SessionReceipt> receipts);
  bool ever_late() const { return ever_late_; }
  bool TakeFirstLate() { return ever_late_ && !is_told_.exchange(true); }  // true once, for a warning

 private:
  template <typename Work>
  bool InTime(Work work);

  class Unfinished;
  struct Reads {
    std::atomic<int> unfinished = 0;
    std::atomic<bool> late = false;
  };

  const Within within_;
  const std::chrono::milliseconds most_;
  std::atomic<bool> ever_late_ = false, is_told_ = false;
  const std::shared_ptr<Reads> reads_ = std::make_shared<Reads>();  // a read that hangs outlives this
};

}  // namespace memprof
