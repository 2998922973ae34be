#include "base/run_within.h"

#include <future>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include "base/blocked_signals.h"

namespace memprof {

bool RunWithin(std::chrono::milliseconds most, std::function<void()> work) {
  const auto task = std::make_shared<std::packaged_task<void()>>(std::move(work));  // it keeps exceptions to itself
  const std::future<void> end = task->get_future();
  try {
    const BlockedSignals blocked;
    std::thread([task] { (*task)(); }).detach();
  } catch (const std::system_error&) {
    (*task)();
  }
  return end.wait_for(most) == std::future_status::ready;
}

}  // namespace memprof
