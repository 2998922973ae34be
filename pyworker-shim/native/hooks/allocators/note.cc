#include "allocators/note.h"

#include "base/errno_keeper.h"
#include "base/origin.h"
#include "frames/mixed_stack.h"

namespace memprof {
namespace {

constexpr uint64_t kRefreshedEach = 16 << 10;        // bytes
constexpr uint64_t kDetailedInExactMode = 16 << 10;  // bytes; below this, walking the whole stack would cost more than everything else

// Weighs the block and, if it is taken, calls use(sample).
template <typename Use>
bool WithSample(Recorder* recorder, void* block, size_t size, bool with_native, Use use) {
  const uint64_t interval = hook_state.interval.load(std::memory_order_relaxed);
  const SampleWeight weight = hook_thread.sampler.Draw(size, interval);
  if (!weight.taken()) return false;
  StackDetail detail = with_native ? StackDetail::kNative : StackDetail::kPython;
  if (interval <= 1 && size < kDetailedInExactMode) detail = StackDetail::kBrief;
  const uintptr_t address = reinterpret_cast<uintptr_t>(block);
  recorder->Prefetch(address);
  if ((hook_thread.unrefreshed += weight.bytes) >= kRefreshedEach) {
    hook_thread.unrefreshed = 0;
    hook_state.loader.Refresh();
  }
  const BoxStackId stack = CaptureMixedStack(hook_state.SourcesFor(*recorder), detail, size);
  use(Sample{Origin::kPython, address, size, weight.bytes, weight.blocks, stack, hook_state.left_threads.Charge(weight.bytes)});
  return true;
}

}  // namespace

void RecordAllocated(void* block, size_t size, bool with_native) {
  Recorder* recorder = hook_state.recorder.load(std::memory_order_acquire);
  if (recorder == nullptr) return;
  const ErrnoKeeper errno_keeper;
  const ReentryGuard guard(hook_thread);
  WithSample(recorder, block, size, with_native, [&](const Sample& sample) { recorder->Allocated(sample); });
}

void RecordFreeing(void* block) {
  Recorder* recorder = hook_state.recorder.load(std::memory_order_acquire);
  if (recorder == nullptr || block == nullptr || hook_thread.guard != 0) return;
  const ErrnoKeeper errno_keeper;
  const ReentryGuard guard(hook_thread);
  recorder->Freeing(reinterpret_cast<uintptr_t>(block));
}

Recorder::Detached RecordDetached(Recorder* recorder, void* block, size_t size) {
  if (block == nullptr) return {};
  const ErrnoKeeper errno_keeper;
  const ReentryGuard guard(hook_thread);
  return recorder->Detach(reinterpret_cast<uintptr_t>(block), size);
}

Recorder::Detached RecordDetachedRange(Recorder* recorder, void* begin, size_t size) {
  const ErrnoKeeper errno_keeper;
  const ReentryGuard guard(hook_thread);
  const uintptr_t address = reinterpret_cast<uintptr_t>(begin);
  return recorder->DetachRange(address, address + size);
}

void RecordResized(Recorder* recorder, const Recorder::Detached& old, void* block, size_t size, bool with_native) {
  const ErrnoKeeper errno_keeper;
  const ReentryGuard guard(hook_thread);
  if (block == nullptr) {
    recorder->Reattach(old);
  } else if (!hook_thread.sampler.Crosses(size) ||
             !WithSample(recorder, block, size, with_native, [&](const Sample& sample) { recorder->Resized(old, sample); })) {
    recorder->Release(old);
  }
}

void RecordUnmapping(Recorder* recorder, void* begin, size_t size) {
  if (hook_thread.guard != 0) return;
  const ErrnoKeeper errno_keeper;
  const ReentryGuard guard(hook_thread);
  const uintptr_t address = reinterpret_cast<uintptr_t>(begin);
  recorder->UnmappingRange(address, address + size);
}

void RecordDropping(Recorder* recorder, size_t size) {
  if (hook_thread.guard != 0) return;
  const ErrnoKeeper errno_keeper;
  const ReentryGuard guard(hook_thread);
  recorder->DroppingPages(size);
}

}  // namespace memprof
