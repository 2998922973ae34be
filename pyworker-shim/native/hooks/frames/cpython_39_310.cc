// CPython 3.9 and 3.10: frames are objects, linked by f_back from tstate->frame.
#include <Python.h>

#if PY_VERSION_HEX < 0x030B0000

#include <frameobject.h>

#include "frames/frame_cursor.h"

namespace memprof {

FrameCursor::FrameCursor(PyThreadState* thread) : next_(thread->frame) {
#if PY_VERSION_HEX >= 0x030A0000
  // 3.10: each interpreter loop has a CFrame among its locals; 3.9 has nothing of the kind.
  if (thread->cframe != &thread->root_cframe) interpreter_loop_ = thread->cframe;
#endif
}

bool FrameCursor::Next(PythonFrame* frame) {
  if (next_ == nullptr) return false;
  const auto* current = static_cast<const PyFrameObject*>(next_);
#if PY_VERSION_HEX >= 0x030A0000
  constexpr int kBytesPerInstruction = 2;  // f_lasti counts instructions since 3.10
#else
  constexpr int kBytesPerInstruction = 1;
#endif
  *frame = {current->f_code, current->f_lasti < 0 ? -1 : current->f_lasti * kBytesPerInstruction};
  next_ = current->f_back;
  return true;
}

}  // namespace memprof

#endif
