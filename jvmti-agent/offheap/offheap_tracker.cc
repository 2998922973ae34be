#include "offheap/offheap_tracker.h"

#include "sampling/thread_sampler.h"

namespace memprof {
namespace {

constexpr uint64_t kWord = 8;

// The last exactly counted block of this thread, until it has been filled to its end.
struct FreshBlock {
  uint64_t address, size;
};

__attribute__((tls_model("initial-exec"))) thread_local constinit FreshBlock fresh_block{0, 0};
__attribute__((tls_model("initial-exec"))) thread_local constinit ThreadSampler sampler{};

}  // namespace

void OffHeapTracker::Start(uint64_t interval_bytes) {
  interval_ = interval_bytes;
  starts_.fetch_add(1, std::memory_order_release);
}

void OffHeapTracker::Allocated(jvmtiEnv* jvmti, JNIEnv* jni, uint64_t address, uint64_t size) {
  const uint32_t start = starts_.load(std::memory_order_acquire);
  if (!sampler.Crosses(size, start)) return;
  const SampleWeight weight = sampler.Draw(size, interval_.load(std::memory_order_relaxed), start);
  if (!weight.taken()) return;
  if (weight.bytes == size) fresh_block = {address, size};
  CapturedStack stack;
  CaptureStack(jvmti, nullptr, &stack);
  blocks_->Allocated({jvmti, jni, stack}, address, size, weight);
}

void OffHeapTracker::Filled(uint64_t begin, uint64_t end) {
  const uint64_t rounded_end = fresh_block.address + fresh_block.size;
  if (fresh_block.size == 0 || begin < fresh_block.address || end > rounded_end || rounded_end - end >= kWord) return;
  const uint64_t address = fresh_block.address;
  const uint64_t excess = rounded_end - end;
  fresh_block = {0, 0};
  if (excess != 0) blocks_->Shrink(address, excess);
}

}  // namespace memprof
