#include "agent/jvm_offheap.h"

#include <utility>

#include "base/clock.h"
#include "offheap/left_message.h"

namespace memprof {

void JvmOffHeap::Start(uint64_t interval_bytes) {
  tracker_.SetInterval(interval_bytes);
  follows_ = true;
}

void JvmOffHeap::Allocated(JNIEnv* jni, uint64_t address, uint64_t size) {
  if (follows_.load(std::memory_order_relaxed)) tracker_.Allocated(ground_->jvm.jvmti(), jni, address, size);
}

void JvmOffHeap::Resized(JNIEnv* jni, uint64_t old_address, const std::optional<OffHeapBlock>& old_block, uint64_t address, uint64_t size) {
  if (address == 0) {
    if (old_block) tracker_.Reattach(old_address, *old_block);
    return;
  }
  if (old_block) tracker_.Release(*old_block);
  Allocated(jni, address, size);
}

void JvmOffHeap::SendLeftBehind(const Application& application) {
  const std::vector<LeftSite> sites = left_behind_.Sites(ground_->tasks);
  if (sites.empty() && !std::exchange(said_left_, false)) return;
  said_left_ = !sites.empty();
  ground_->Send(application, [&](proto::Envelope* envelope) { *envelope->mutable_left_off_heap() = BuildLeft(sites, EpochMs()); });
}

}  // namespace memprof
