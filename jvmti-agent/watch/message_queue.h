// MessageQueue: envelopes that wait for Java to send them to the driver. At most kMaxMessages and kMaxBytes; when it is full, the
// oldest is dropped and counted, because later snapshots replace it. Thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

namespace memprof {

class MessageQueue {
 public:
  static constexpr size_t kMaxMessages = 64;
  static constexpr size_t kMaxBytes = 1u << 20;

  void Put(std::string envelope);
  // Waits for a message; nothing after `timeout`, or when the queue is closed and empty.
  std::optional<std::string> Take(std::chrono::milliseconds timeout);
  // One that could not be sent: it comes first again, unless newer ones have filled the queue.
  void PutBack(std::string envelope);
  // Waits until all were taken and the reader asks for more, which shows that it has sent the last one; false after `timeout`.
  bool WaitUntilTaken(std::chrono::milliseconds timeout);
  void Open();   // begins empty: messages of an earlier application are dropped
  void Close();  // what is in it can still be taken

  uint64_t dropped() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_, asked_;
  std::deque<std::string> messages_;
  size_t bytes_ = 0;
  uint64_t dropped_ = 0;
  size_t waiting_ = 0;  // in Take()
  bool open_ = false;
};

}  // namespace memprof
