// CPython 3.12 to 3.14: each interpreter loop links an entry frame of its own into the chain. That frame is one of the loop's locals, so
// its address shows where the loop's C frame is. 3.13 starts the chain in the thread state itself. References in 3.14's frames are tagged;
// its headers' own functions take the tags off.
#include <Python.h>

#if PY_VERSION_HEX >= 0x030C0000 && PY_VERSION_HEX < 0x030F0000

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

#if PY_VERSION_HEX < 0x030D0000
// A thread that is just being created has no CFrame yet.
_PyInterpreterFrame* FirstFrame(const PyThreadState* thread) { return thread->cframe == nullptr ? nullptr : thread->cframe->current_frame; }
PyCodeObject* CodeOf(_PyInterpreterFrame* frame) { return frame->f_code; }
PyThreadState* HolderOfGil() { return _PyThreadState_UncheckedGet(); }
#else
_PyInterpreterFrame* FirstFrame(const PyThreadState* thread) { return thread->current_frame; }
PyCodeObject* CodeOf(_PyInterpreterFrame* frame) { return _PyFrame_GetCode(frame); }
PyThreadState* HolderOfGil() { return PyThreadState_GetUnchecked(); }
#endif

bool IsEntry(const _PyInterpreterFrame* frame) {
#if PY_VERSION_HEX < 0x030E0000
  return frame->owner == FRAME_OWNED_BY_CSTACK;
#else
  return frame->owner == FRAME_OWNED_BY_INTERPRETER;
#endif
}

}  // namespace

FrameCursor::FrameCursor(PyThreadState* thread) : next_(FirstFrame(thread)) {}

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
    *frame = {CodeOf(current), _PyInterpreterFrame_LASTI(current) * static_cast<int>(sizeof(_Py_CODEUNIT))};
    return true;
  }
  return false;
}

const void* FrameCursor::Loop() const {
  auto* frame = static_cast<const _PyInterpreterFrame*>(next_);
  while (frame != nullptr && !IsEntry(frame)) frame = frame->previous;
  return frame;
}

bool HoldsGil(const PyThreadState* own) { return HolderOfGil() == own; }

}  // namespace memprof

#endif
