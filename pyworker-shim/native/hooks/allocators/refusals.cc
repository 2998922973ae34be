// Records refused memory in the box, because a task may fail because of it.
#include "allocators/note.h"
#include "base/errno_keeper.h"
#include "frames/mixed_stack.h"

namespace memprof {

namespace {

void Record(size_t size, StackDetail detail) {
  Recorder* recorder = hook_state.recorder.load(std::memory_order_acquire);
  if (recorder == nullptr) return;
  const ErrnoKeeper errno_keeper;
  const ReentryGuard guard(hook_thread);
  const BoxStackId stack = CaptureMixedStack(hook_state.SourcesFor(*recorder), detail, kLargeBlock);
  recorder->NoteRefused(size, stack, hook_state.left_threads.Charge(0));
}

}  // namespace

void RecordRefused(size_t size, bool with_native) {
  if (hook_thread.guard == 0) Record(size, with_native ? StackDetail::kNative : StackDetail::kPython);
}

void RecordArenaRefused(size_t size) { Record(size, StackDetail::kPython); }

}  // namespace memprof
