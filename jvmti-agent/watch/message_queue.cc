#include "watch/message_queue.h"

#include <utility>

namespace memprof {

void MessageQueue::Put(std::string envelope) {
  const std::lock_guard lock(mutex_);
  bytes_ += envelope.size();
  messages_.push_back(std::move(envelope));
  while (messages_.size() > kMaxMessages || (bytes_ > kMaxBytes && messages_.size() > 1)) {
    bytes_ -= messages_.front().size();
    messages_.pop_front();
    ++dropped_;
  }
  changed_.notify_one();
}

std::optional<std::string> MessageQueue::Take(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  ++waiting_;
  if (messages_.empty()) asked_.notify_all();
  changed_.wait_for(lock, timeout, [&] { return !messages_.empty() || !open_; });
  --waiting_;
  if (messages_.empty()) return std::nullopt;
  std::string envelope = std::move(messages_.front());
  messages_.pop_front();
  bytes_ -= envelope.size();
  return envelope;
}

void MessageQueue::PutBack(std::string envelope) {
  const std::lock_guard lock(mutex_);
  if (messages_.size() >= kMaxMessages || bytes_ + envelope.size() > kMaxBytes) {
    ++dropped_;
    return;
  }
  bytes_ += envelope.size();
  messages_.push_front(std::move(envelope));
  changed_.notify_one();
}

bool MessageQueue::WaitUntilTaken(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  return asked_.wait_for(lock, timeout, [&] { return messages_.empty() && waiting_ != 0; });
}

void MessageQueue::Open() {
  const std::lock_guard lock(mutex_);
  messages_.clear();
  bytes_ = 0;
  open_ = true;
}

void MessageQueue::Close() {
  const std::lock_guard lock(mutex_);
  open_ = false;
  changed_.notify_all();
}

uint64_t MessageQueue::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

}  // namespace memprof
