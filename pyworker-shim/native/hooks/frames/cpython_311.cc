// CPython 3.11: frames are structs on the thread's data stack or inside generators, linked by `previous` from
// tstate->cframe; the _PyCFrame lies among the interpreter loop's locals.
#include <Python.h>

#if PY_VERSION_HEX >= 0x030B0000 && PY_VERSION_HEX < 0x030C0000

#define Py_BUILD_CORE 1
#include <internal/pycore_frame.h>
#undef Py_BUILD_CORE

#include "frames/frame_cursor.h"

namespace memprof {

namespace {

// A thread that is just being created has no CFrame yet.
_PyInterpreterFrame* FirstFrame(const PyThreadState* thread) { return thread->cframe == nullptr ? nullptr : thread->cframe->current_frame; }

}  // namespace

FrameCursor::FrameCursor(PyThreadState* thread) : next_(FirstFrame(thread)), loop_(thread->cframe), root_(&thread->root_cframe) {}

bool FrameCursor::Next(PythonFrame* frame) {
  in_next_loop_ = false;
  while (next_ != nullptr) {
    auto* current = static_cast<_PyInterpreterFrame*>(const_cast<void*>(next_));
    next_ = current->previous;
    if (ends_loop_) {
      if (loop_ != root_) loop_ = loop_->previous;
      in_next_loop_ = true;
    }
    ends_loop_ = current->is_entry;
    if (_PyFrame_IsIncomplete(current)) continue;
    *frame = {current->f_code, _PyInterpreterFrame_LASTI(current) * static_cast<int>(sizeof(_Py_CODEUNIT))};
    return true;
  }
  return false;
}

const void* FrameCursor::Loop() const { return loop_ == root_ ? nullptr : loop_; }

bool HoldsGil(const PyThreadState* own) { return _PyThreadState_UncheckedGet() == own; }

}  // namespace memprof

#endif
