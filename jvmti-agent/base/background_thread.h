// BackgroundThread: a native thread of this agent that repeats a piece of work. It has a name and a priority of its own, has
// all signals blocked (the JVM's handlers must not run on it) and is unknown to the JVM. Thread-safe, except that Start and Stop must
// not run at the same time.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "base/status.h"

namespace memprof {

class BackgroundThread {
 public:
  // One round of work; returns how long to wait before the next. Exceptions end the round, not the thread.
  using Round = std::function<std::chrono::milliseconds()>;

  ~BackgroundThread() { Stop(); }

  // `name`: at most 15 characters. `nice`: 0 is the priority of the thread that starts it. kExhausted when the system gives no thread.
  Status Start(const char* name, int nice, Round round);
  void Wake();  // the next round begins now
  void Stop();  // waits for the round that runs

 private:
  void Run(const char* name, int nice);

  Round round_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool wanted_ = false, woken_ = false;
};

}  // namespace memprof
