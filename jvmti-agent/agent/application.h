// What is profiled between Start() and Stop() of the Agent.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "agent/options.h"
#include "base/clock.h"
#include "base/run_within.h"
#include "boxes/executor_boxes.h"
#include "boxes/timely_reads.h"

namespace memprof {

struct StartRequest {
  std::string application_id, executor_id, host, box_directory;
  std::vector<std::string> options;  // key=value
};

inline constexpr std::chrono::seconds kMostRead{5};  // for the boxes, at a task's end
inline constexpr const char* kSilentBoxes = "the file system of the black boxes does not answer, or did not for a time";

// How often a bound was reached since the process began.
struct Bounds {
  uint64_t java_frames = 0, offheap_blocks = 0, native_blocks = 0, messages = 0, tasks = 0;
};

// Never changed after it was made, so a holder may read it at any time.
struct Application {
  uint64_t number = 0;  // from 1 in this process
  StartRequest request;
  AgentOptions options;
  Bounds before;                               // what was counted before this application
  int64_t stopped_before_ns = 0;               // likewise, of pauses
  bool exits_on_out_of_memory = false;         // -XX:+ExitOnOutOfMemoryError
  bool kills_itself_on_out_of_memory = false;  // by SIGKILL: -XX:OnOutOfMemoryError
  int64_t began_ns = MonotonicNs();
  std::shared_ptr<GivenUpBoxes> given_up = std::make_shared<GivenUpBoxes>();
  std::shared_ptr<LastSeen> last_seen = std::make_shared<LastSeen>();
  std::shared_ptr<TimelyReads> reads = std::make_shared<TimelyReads>(RunWithin, kMostRead* options.patience);

  BoxPlace Boxes() const { return {request.box_directory, request.application_id, request.executor_id, given_up, last_seen}; }
  bool withheld() const { return options.source == Source::kNone; }
};
using ApplicationRef = std::shared_ptr<const Application>;

// The application that is profiled now. Thread-safe.
class CurrentApplication {
 public:
  bool running() const { return running_.load(std::memory_order_relaxed); }
  ApplicationRef Get() const {  // null: nothing is profiled
    const std::lock_guard lock(mutex_);
    return application_;
  }

  void Begin(ApplicationRef application) {
    {
      const std::lock_guard lock(mutex_);
      application_ = std::move(application);
    }
    running_.store(true, std::memory_order_release);
  }
  ApplicationRef End() {  // null: nothing was profiled
    running_ = false;
    const std::lock_guard lock(mutex_);
    return std::exchange(application_, nullptr);
  }

 private:
  std::atomic<bool> running_{false};
  mutable std::mutex mutex_;
  ApplicationRef application_;
};

}  // namespace memprof
