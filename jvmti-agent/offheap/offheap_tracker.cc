#include "offheap/offheap_tracker.h"

namespace memprof {
namespace {

constexpr uint64_t kWord = 8;

// The last exactly counted block of this thread, until it has been filled to its end.
struct FreshBlock {
  uint64_t address, size;
};

__attribute__((tls_model("initial-exec"))) thread_local constinit FreshBlock fresh_block{0, 0};
__attribute__((tls_model("initial-exec"))) thread_local PoissonSampler sampler;

}  // namespace

void OffHeapTracker::Allocated(jvmtiEnv* jvmti, JNIEnv* jni, uint64_t address, uint64_t size) {
  if (!sampler.Crosses(size)) return;
  const SampleWeight weight = sampler.Draw(size, interval_.load(std::memory_order_relaxed));
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
