// The stack of a sample: this thread's Python frames, outermost first, and after them the native frames that the
// innermost Python line has called: extension modules and libraries, without the interpreter's and our own.
//
// A thread that has no Python thread state (pools of Arrow or BLAS) or no Python frame gets its native stack alone: its
// bytes are never charged to another thread's line.
#pragma once

#include <cstdint>

#include "frames/frame_names.h"
#include "frames/interpreter.h"
#include "frames/stack_scratch.h"
#include "hooking/loader_watch.h"
#include "sites/recorder.h"

namespace memprof {

struct StackSources {
  Recorder& recorder;
  LoaderWatch& loader;
  FrameNames& names;
  const Interpreter& interpreter;
};

// HOOK. Fills `scratch.stack` and returns its depth. `with_native`: false leaves out native frames below a Python line. `scratch`
// is fresh.
__attribute__((noinline)) uint32_t CaptureMixedStack(const StackSources& sources, bool with_native, StackScratch& scratch);

}  // namespace memprof
