// CallsInFlight: the calls that run just now, so that whoever ends what they use can wait for them first. Thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace memprof {

class CallsInFlight {
 public:
  // A call, as long as this object lives.
  class Call {
   public:
    explicit Call(CallsInFlight* calls) : calls_(calls) { calls_->Begin(); }
    ~Call() { calls_->End(); }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    CallsInFlight* calls_;
  };

  // Waits until none runs. False: after that time some still did.
  bool WaitForEnd(std::chrono::milliseconds most) {
    std::unique_lock lock(mutex_);
    return ended_.wait_for(lock, most, [this] { return running_ == 0; });
  }

 private:
  void Begin() {
    const std::lock_guard lock(mutex_);
    ++running_;
  }
  void End() {
    const std::lock_guard lock(mutex_);
    if (--running_ == 0) ended_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable ended_;
  int running_ = 0;
};

}  // namespace memprof
