// CPython 3.11: frames are structs on the thread's data stack or inside generators, linked by `previous` from
// tstate->cframe; the _PyCFrame lies among the interpreter loop's locals.
#include <Python.h>

#if PY_VERSION_HEX >= 0x030B0000 && PY_VERSION_HEX < 0x030C0000

#define Py_BUILD_CORE 1
#include <internal/pycore_frame.h>
#undef Py_BUILD_CORE

#include "frames/frame_cursor.h"

namespace memprof {

FrameCursor::FrameCursor(PyThreadState* thread) : next_(thread->cframe->current_frame) {
  if (thread->cframe != &thread->root_cframe) interpreter_loop_ = thread->cframe;
}

bool FrameCursor::Next(PythonFrame* frame) {
  while (next_ != nullptr) {
    auto* current = static_cast<_PyInterpreterFrame*>(const_cast<void*>(next_));
    next_ = current->previous;
    if (_PyFrame_IsIncomplete(current)) continue;
    *frame = {current->f_code, _PyInterpreterFrame_LASTI(current) * static_cast<int>(sizeof(_Py_CODEUNIT))};
    return true;
  }
  return false;
}

}  // namespace memprof

#endif
