// CPython 3.13 and 3.14: the chain starts in the thread state itself. Each interpreter loop has an entry frame among its locals, whose
// address shows where the loop's C frame is. References in 3.14's frames are tagged; its headers' own functions take the tags off.
#include <Python.h>

#if PY_VERSION_HEX >= 0x030D0000 && PY_VERSION_HEX < 0x030F0000

#define Py_BUILD_CORE 1
#if PY_VERSION_HEX < 0x030E0000
#include <internal/pycore_frame.h>
#else
#include <internal/pycore_interpframe.h>
#endif
#undef Py_BUILD_CORE

#include "frames/frame_cursor.h"

namespace memprof {
namespace {

bool IsEntry(const _PyInterpreterFrame* frame) {
#if PY_VERSION_HEX < 0x030E0000
  return frame->owner == FRAME_OWNED_BY_CSTACK;
#else
  return frame->owner == FRAME_OWNED_BY_INTERPRETER;
#endif
}

}  // namespace

FrameCursor::FrameCursor(PyThreadState* thread) : next_(thread->current_frame) {}

bool FrameCursor::Next(PythonFrame* frame) {
  in_next_loop_ = false;
  while (next_ != nullptr) {
    auto* current = static_cast<_PyInterpreterFrame*>(const_cast<void*>(next_));
    next_ = current->previous;
    if (IsEntry(current)) {
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
  while (frame != nullptr && !IsEntry(frame)) frame = frame->previous;
  return frame;
}

bool HoldsGil(const PyThreadState* own) { return PyThreadState_GetUnchecked() == own; }

}  // namespace memprof

#endif
