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

using Task = std::shared_ptr<std::packaged_task<void()>>;  // it keeps exceptions to itself

bool StartThread(const Task& task) {
  try {
    const BlockedSignals blocked;
    std::thread([task] { (*task)(); }).detach();
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

bool EndsWithin(std::chrono::milliseconds most, const std::future<void>& end) {
  // In pieces: while the whole process is paused clocks go on, and that is no time in which the work could have ended.
  for (std::chrono::milliseconds left = most; left > kPiece; left -= kPiece) {
    if (end.wait_for(kPiece) == std::future_status::ready) return true;
  }
  return end.wait_for(std::min(most, kPiece)) == std::future_status::ready;
}

}  // namespace

bool RunWithin(std::chrono::milliseconds most, std::function<void()> work) {
  const auto task = std::make_shared<std::packaged_task<void()>>(std::move(work));
  const std::future<void> end = task->get_future();
  if (!StartThread(task)) (*task)();
  return EndsWithin(most, end);
}

bool RunApartWithin(std::chrono::milliseconds most, std::function<void()> work) {
  const auto task = std::make_shared<std::packaged_task<void()>>(std::move(work));
  const std::future<void> end = task->get_future();
  return StartThread(task) && EndsWithin(most, end);
}

}  // namespace memprof
