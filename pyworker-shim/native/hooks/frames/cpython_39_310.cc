// CPython 3.9 and 3.10: frames are objects, linked by f_back from tstate->frame. In 3.10 each interpreter loop has a CFrame among
// its locals. 3.9 has none, so the places of its loops are unknown.
#include <Python.h>

#if PY_VERSION_HEX < 0x030B0000

#include <frameobject.h>

#include "frames/frame_cursor.h"

namespace memprof {

#if PY_VERSION_HEX >= 0x030A0000
constexpr int kBytesPerInstruction = 2;  // f_lasti counts instructions since 3.10

FrameCursor::FrameCursor(PyThreadState* thread) : next_(thread->frame), loop_(thread->cframe), root_(&thread->root_cframe) {}

const void* FrameCursor::Loop() const { return loop_ == root_ ? nullptr : loop_; }
#else
constexpr int kBytesPerInstruction = 1;

FrameCursor::FrameCursor(PyThreadState* thread) : next_(thread->frame) {}

const void* FrameCursor::Loop() const { return nullptr; }
#endif

bool FrameCursor::Next(PythonFrame* frame) {
  if (next_ == nullptr) return false;
  const auto* current = static_cast<const PyFrameObject*>(next_);
  *frame = {current->f_code, current->f_lasti < 0 ? -1 : current->f_lasti * kBytesPerInstruction};
  next_ = current->f_back;
#if PY_VERSION_HEX >= 0x030A0000
  // Each frame has a loop of its own.
  in_next_loop_ = ends_loop_;
  if (ends_loop_ && loop_ != root_) loop_ = loop_->previous;
  ends_loop_ = true;
#endif
  return true;
}

bool HoldsGil(const PyThreadState* own) { return _PyThreadState_UncheckedGet() == own; }

}  // namespace memprof

#endif
