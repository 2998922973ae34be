#include "agent/jvm_offheap.h"

namespace memprof {

void JvmOffHeap::Start(uint64_t interval_bytes) {
  tracker_.Start(interval_bytes);
  follows_ = true;
}

void JvmOffHeap::Allocated(JNIEnv* jni, uint64_t address, uint64_t size) {
  if (follows_.load(std::memory_order_relaxed)) tracker_.Allocated(ground_->jvm.jvmti(), jni, address, size);
}

void JvmOffHeap::Resized(JNIEnv* jni, uint64_t old_address, const std::optional<OffHeapBlock>& old_block, uint64_t address, uint64_t size) {
  if (address == 0) {
    if (old_block) blocks_.Reattach(old_address, *old_block);
    return;
  }
  if (old_block) blocks_.Release(*old_block);
  Allocated(jni, address, size);
}

}  // namespace memprof
