// CPython 3.13: the chain starts in the thread state itself. Each interpreter loop has an entry frame (owned by the C stack) among its
// locals, whose address shows where the loop's C frame is.
#include <Python.h>

#if PY_VERSION_HEX >= 0x030D0000 && PY_VERSION_HEX < 0x030E0000

#define Py_BUILD_CORE 1
#include <internal/pycore_frame.h>
#undef Py_BUILD_CORE

#include "frames/frame_cursor.h"

namespace memprof {

FrameCursor::FrameCursor(PyThreadState* thread) : next_(thread->current_frame) {}

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
    *frame = {_PyFrame_GetCode(current), _PyInterpreterFrame_LASTI(current) * static_cast<int>(sizeof(_Py_CODEUNIT))};
    return true;
  }
  return false;
}

const void* FrameCursor::Loop() const {
  auto* frame = static_cast<const _PyInterpreterFrame*>(next_);
  while (frame != nullptr && frame->owner != FRAME_OWNED_BY_CSTACK) frame = frame->previous;
  return frame;
}

bool HoldsGil(const PyThreadState* own) { return PyThreadState_GetUnchecked() == own; }

}  // namespace memprof

#endif
