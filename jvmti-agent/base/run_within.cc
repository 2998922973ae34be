#include "base/run_within.h"

#include <algorithm>
#include <future>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include "base/blocked_signals.h"

namespace memprof {

namespace {

constexpr std::chrono::milliseconds kPiece{100};

}  // namespace

bool RunWithin(std::chrono::milliseconds most, std::function<void()> work) {
  const auto task = std::make_shared<std::packaged_task<void()>>(std::move(work));  // it keeps exceptions to itself
  const std::future<void> end = task->get_future();
  try {
    const BlockedSignals blocked;
    std::thread([task] { (*task)(); }).detach();
  } catch (const std::system_error&) {
    (*task)();
  }
  // In pieces: while the whole process is paused clocks go on, and that is no time in which the work could have ended.
  for (std::chrono::milliseconds left = most; left > kPiece; left -= kPiece) {
    if (end.wait_for(kPiece) == std::future_status::ready) return true;
  }
  return end.wait_for(std::min(most, kPiece)) == std::future_status::ready;
}

}  // namespace memprof
