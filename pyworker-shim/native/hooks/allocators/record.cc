#include "allocators/record.h"

#include <cerrno>

#include "base/origin.h"
#include "frames/mixed_stack.h"

namespace memprof {
namespace {

class ErrnoKeeper {
 public:
  ErrnoKeeper() : saved_(errno) {}
  ~ErrnoKeeper() { errno = saved_; }
  ErrnoKeeper(const ErrnoKeeper&) = delete;
  ErrnoKeeper& operator=(const ErrnoKeeper&) = delete;

 private:
  int saved_;
};

template <typename Use>
void UseWithStack(Recorder* recorder, bool with_native, StackScratch& scratch, Sample& sample, Use use) {
  sample.stack = scratch.stack;
  sample.depth = CaptureMixedStack({*recorder, hook_state.loader, hook_state.names, hook_state.interpreter}, with_native, scratch);
  use(sample);
}

// Where more threads sample at once than there are scratches.
template <typename Use>
__attribute__((noinline)) void UseWithStackOnTheHosts(Recorder* recorder, bool with_native, Sample& sample, Use use) {
  StackScratch scratch;
  UseWithStack(recorder, with_native, scratch, sample, use);
}

// Weighs the block and, if it is taken, calls use(sample).
template <typename Use>
bool WithSample(Recorder* recorder, void* block, size_t size, bool with_native, Use use) {
  const SampleWeight weight = hook_thread.sampler.Draw(size, hook_state.interval.load(std::memory_order_relaxed));
  if (!weight.taken()) return false;
  hook_state.loader.Refresh();
  Sample sample{Origin::kPython, reinterpret_cast<uintptr_t>(block), size, weight.bytes, weight.blocks, nullptr, 0};
  if (StackScratch* scratch = hook_state.scratches.Take()) {
    UseWithStack(recorder, with_native, *scratch, sample, use);
    hook_state.scratches.Give(scratch);
  } else {
    UseWithStackOnTheHosts(recorder, with_native, sample, use);
  }
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

void RecordFreeing(Recorder* recorder, void* block) {
  if (block == nullptr || hook_thread.guard != 0) return;
  const ErrnoKeeper errno_keeper;
  const ReentryGuard guard(hook_thread);
  recorder->Freeing(reinterpret_cast<uintptr_t>(block));
}

Recorder::Detached RecordDetached(Recorder* recorder, void* block) {
  if (block == nullptr) return {};
  const ErrnoKeeper errno_keeper;
  const ReentryGuard guard(hook_thread);
  return recorder->Detach(reinterpret_cast<uintptr_t>(block));
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

}  // namespace memprof
