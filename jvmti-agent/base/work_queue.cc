#include "base/work_queue.h"

#include <exception>
#include <utility>

namespace memprof {

Status WorkQueue::Start(const char* name) {
  {
    const std::lock_guard lock(mutex_);
    open_ = true;
  }
  const Status status = thread_.Start(name, 0, [this] { return Round(); });
  if (!status.ok()) Close();
  return status;
}

std::chrono::milliseconds WorkQueue::Round() {
  {
    const std::lock_guard lock(mutex_);
    awake_ = true;
  }
  bool any = false;
  while (EndNext(End::kDone)) any = true;
  const std::lock_guard lock(mutex_);
  awake_ = any || !entries_.empty();  // what was added since has woken nobody
  return awake_ ? kLooksAgain : std::chrono::hours(1);
}

void WorkQueue::Add(Kind kind, size_t payload_bytes, std::function<void()> work) {
  const size_t bytes = payload_bytes + kEntryBytes;
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    if (!open_) return;
    Share& share = ShareOf(kind);
    if (share.bytes + bytes > kMostBytes) {
      ++share.dropped;
      return;
    }
    entries_.push_back({kind, bytes, std::move(work)});
    share.bytes += bytes;
    ++added_;
    wake = !awake_ || share.bytes > kMostBytes / 4;
  }
  if (wake) thread_.Wake();
}

void WorkQueue::CountDropped(Kind kind) {
  const std::lock_guard lock(mutex_);
  ++ShareOf(kind).dropped;
}

bool WorkQueue::EndNext(End how) {
  Entry entry;
  {
    const std::lock_guard lock(mutex_);
    if (how == End::kForgotten) open_ = false;
    if (entries_.empty()) return false;
    entry = std::move(entries_.front());
    entries_.pop_front();
  }
  try {
    if (how == End::kDone) entry.work();
  } catch (const std::exception&) {
  }
  entry.work = nullptr;  // without the lock, and before it counts as done
  const std::lock_guard lock(mutex_);
  ShareOf(entry.kind).bytes -= entry.bytes;
  ++ended_pieces_;
  ended_.notify_all();
  return true;
}

bool WorkQueue::Idle() {
  {
    const std::lock_guard lock(mutex_);
    if (ended_pieces_ == added_) return true;
  }
  thread_.Wake();
  return false;
}

bool WorkQueue::WaitUntilDone(std::chrono::milliseconds timeout) {
  if (Idle()) return true;
  std::unique_lock lock(mutex_);
  return ended_.wait_for(lock, timeout, [this, wanted = added_] { return ended_pieces_ >= wanted; });
}

uint64_t WorkQueue::dropped(Kind kind) const {
  const std::lock_guard lock(mutex_);
  return shares_[static_cast<size_t>(kind)].dropped;
}

void WorkQueue::Close() {
  while (EndNext(End::kForgotten)) {
  }
  thread_.Stop();
}

}  // namespace memprof
