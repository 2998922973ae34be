// CPython 3.12: as 3.11, but each interpreter loop also links an entry frame of its own (owned by the C stack) into the chain. That frame
// is one of the loop's locals, so its address shows where the loop's C frame is.
#include <Python.h>

#if PY_VERSION_HEX >= 0x030C0000 && PY_VERSION_HEX < 0x030D0000

#define Py_BUILD_CORE 1
#include <internal/pycore_frame.h>
#undef Py_BUILD_CORE

#include "frames/frame_cursor.h"

namespace memprof {

namespace {

// A thread that is just being created has no CFrame yet.
_PyInterpreterFrame* FirstFrame(const PyThreadState* thread) { return thread->cframe == nullptr ? nullptr : thread->cframe->current_frame; }

}  // namespace

FrameCursor::FrameCursor(PyThreadState* thread) : next_(FirstFrame(thread)) {}

bool FrameCursor::Next(PythonFrame* frame) {
  in_next_loop_ = false;
  while (next_ != nullptr) {
    auto* current = static_cast<_PyInterpreterFrame*>(const_cast<void*>(next_));
    next_ = current->previous;
    if (current->owner == FRAME_OWNED_BY_CSTACK) {
      in_next_loop_ = true;
      continue;
    }
    if (_PyFrame_IsIncomplete(current)) continue;
    *frame = {current->f_code, _PyInterpreterFrame_LASTI(current) * static_cast<int>(sizeof(_Py_CODEUNIT))};
    return true;
  }
  return false;
}

const void* FrameCursor::Loop() const {
  auto* frame = static_cast<const _PyInterpreterFrame*>(next_);
  while (frame != nullptr && frame->owner != FRAME_OWNED_BY_CSTACK) frame = frame->previous;
  return frame;
}

bool HoldsGil(const PyThreadState* own) { return _PyThreadState_UncheckedGet() == own; }

}  // namespace memprof

#endif
