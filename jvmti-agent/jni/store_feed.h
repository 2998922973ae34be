// StoreFeed: what brings messages and events into the driver's profile store, in the order in which they came. It waits in native
// memory, and a native thread brings it: a driver's heap that is full holds up neither. Thread-safe, except that Start and Close must not
// run at the same time.
//
// Spark's threads may still add while the application ends, so a feed is closed but never freed: it is small, and a JVM has few.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/work_queue.h"
#include "store/profile_store.h"

namespace memprof {

class StoreFeed {
 public:
  using Event = std::function<void(ProfileStore&)>;

  explicit StoreFeed(ProfileStore* store) : store_(store) {}

  Status Start() { return queue_.Start("memprof-store"); }
  void Close() { queue_.Close(); }  // afterwards the store may be closed

  // A message of an executor; it has arrived now.
  void Ingest(std::string envelope) {
    const size_t bytes = envelope.size();
    queue_.Add(WorkQueue::Kind::kMessage, bytes, [this, envelope = std::move(envelope), arrived = Now()] {
      const Status status = store_->Ingest(envelope, arrived);
      if (!status.ok()) Refused(std::string("a message was refused: ") + status.message());
    });
  }
  // `bytes`: of the texts that it holds.
  void Add(size_t bytes, Event event) {
    queue_.Add(WorkQueue::Kind::kEvent, bytes, [this, event = std::move(event)] { event(*store_); });
  }
  WorkQueue& queue() { return queue_; }
  const WorkQueue& queue() const { return queue_; }

  // How the first message was refused, once, for the log; the report says so anyway.
  std::optional<std::string> TakeRefusal() {
    const std::lock_guard lock(mutex_);
    return std::exchange(refusal_, std::nullopt);
  }
  // Into the report: what had no room.
  void TellDropped() const {
    for (const auto& [kind, what] :
         {std::pair(WorkQueue::Kind::kMessage, "messages of executors"), std::pair(WorkQueue::Kind::kEvent, "events of Spark")}) {
      const uint64_t dropped = queue_.dropped(kind);
      if (dropped != 0) store_->NotAvailable(what, std::to_string(dropped) + " were dropped, the driver's queue for them was full");
    }
  }

 private:
  void Refused(std::string how) {
    const std::lock_guard lock(mutex_);
    if (std::exchange(has_refused_, true)) return;
    store_->NotAvailable("part of the profile", how);
    refusal_ = std::move(how);
  }

  ProfileStore* store_;
  std::mutex mutex_;
  bool has_refused_ = false;
  std::optional<std::string> refusal_;
  WorkQueue queue_;  // last: it ends before what it uses
};

}  // namespace memprof
