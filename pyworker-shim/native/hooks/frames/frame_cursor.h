// FrameCursor: walks this thread's own Python frames, innermost first, by reading the interpreter's structures. No reference is
// taken, nothing is allocated, and the GIL need not be held: only the thread itself changes its frames, and a running frame keeps
// its code object alive. A holder of the GIL may walk another thread's frames, because that thread changes none without the GIL.
//
// One implementation per CPython variant, in cpython_<version>.cc; SelfCheck() compares it with the public API at start.
#pragma once

#include <Python.h>

#ifdef Py_GIL_DISABLED
#error "free-threaded CPython isn't supported: its frames can't be read without synchronisation"
#endif

namespace memprof {

struct PythonFrame {
  PyCodeObject* code;  // borrowed: alive as long as the frame runs
  int instruction;     // byte offset, as PyCode_Addr2Line takes it; -1: not started
  bool operator==(const PythonFrame&) const = default;
};

class FrameCursor {
 public:
  // HOOK. `thread` is the calling thread's own state; with the GIL held, any thread's (but Loop() is only useful for one's own stack).
  explicit FrameCursor(PyThreadState* thread);

  // HOOK. False: no more frames. Frames that aren't a running function (incomplete ones, the interpreter's own) are skipped.
  bool Next(PythonFrame* frame);

  // The last frame runs in another call of the interpreter loop than the one before it, so that native frames may lie between them.
  bool in_next_loop() const { return in_next_loop_; }

  // HOOK. An address inside the C stack frame of the loop that runs the last frame (before the first: the innermost loop); null
  // where this CPython leaves no trace of it.
  const void* Loop() const;

 private:
  const void* next_;
  bool in_next_loop_ = false;
#if PY_VERSION_HEX >= 0x030A0000 && PY_VERSION_HEX < 0x030C0000
  // The loops' CFrames, which are among their locals; the root belongs to no loop.
  decltype(PyThreadState::cframe) loop_, root_;
  bool ends_loop_ = false;  // it began with the last frame
#endif
};

// HOOK. `own`: the calling thread's state. The answer is right in any code that the thread runs.
bool HoldsGil(const PyThreadState* own);

// True when the cursor sees what the public API sees on the calling thread. Needs the GIL; not HOOK (makes frame objects).
bool SelfCheck();

}  // namespace memprof
