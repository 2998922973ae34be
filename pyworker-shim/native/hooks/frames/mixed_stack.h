// The stack of a sample, outermost first: this thread's Python frames; between two of them, the native frames through which one
// has called the other; after them, those that the innermost Python line has called. Native frames are those of extension modules
// and libraries, without the interpreter's and our own.
//
// A thread that has no Python thread state (pools of Arrow or BLAS) or no Python frame gets its native stack alone: its
// bytes are charged to no other thread's line. But for one case: it holds the GIL, as for making objects, and one other thread alone
// has Python frames. These stand still, so that they can be read, and wait for what this thread does (Arrow's to_pandas() in its
// pool of threads): its stack is theirs, with its native frames below.
//
// Most samples come from a stack that was seen before. So a stack is walked for its key first, reading a word or two of
// each frame, and only if the memo doesn't know the key are its frames kept, named and interned. The key has no native frames
// from between Python's: the same calls of the same lines are taken to have gone the same way.
#pragma once

#include <cstdint>

#include "frames/frame_names.h"
#include "frames/interpreter.h"
#include "frames/memo.h"
#include "frames/stack_scratch.h"
#include "hooking/loader_watch.h"
#include "sites/recorder.h"

namespace memprof {

using StackMemo = Memo<8192>;

struct StackSources {
  Recorder& recorder;
  LoaderWatch& loader;
  FrameNames& names;
  StackMemo& stacks;
  ScratchPool& scratches;
  const Interpreter& interpreter;
};

enum class StackDetail {
  kNative,  // native frames below the Python line, too
  kPython,  // Python frames alone; native ones where there are none
  kBrief,   // likewise, and of Python frames the innermost 48: where every block counts and a call costs less than walking deep stacks
};

// HOOK. The calling thread's stack, for a block of `block_bytes`.
StackId CaptureMixedStack(const StackSources& sources, StackDetail detail, uint64_t block_bytes);

}  // namespace memprof
