// The stack of a sample, outermost first: this thread's Python frames; between two of them, the native frames through which one
// has called the other; after them, those that the innermost Python line has called. Native frames are those of extension modules
// and libraries, without the interpreter's and our own.
//
// A thread that has no Python thread state (pools of Arrow or BLAS) or no Python frame has only its native stack: its bytes are
// charged to no other thread's line. There is one exception: the thread holds the GIL, for example to make objects, and exactly
// one other thread has Python frames. Those frames can't change meanwhile, so they can be read, and that thread waits for this
// one (Arrow's to_pandas() in its pool of threads). The stack is then that thread's Python frames, with this thread's native
// frames below.
//
// Most samples come from a stack that was seen before. So a stack is walked for its key first, reading a word or two of each
// frame, and only if the memo doesn't know the key are its frames kept, named and interned. The key has no native frames between
// Python frames: the same calls of the same lines are assumed to have the same native frames.
#pragma once

#include <cstdint>

#include "frames/frame_names.h"
#include "frames/interpreter.h"
#include "frames/memo.h"
#include "frames/renamed_codes.h"
#include "frames/stack_scratch.h"
#include "hooking/loader_watch.h"
#include "sites/recorder.h"

namespace memprof {

using StackMemo = Memo<8192>;

struct StackSources {
  Recorder& recorder;
  LoaderWatch& loader;
  FrameNames& names;
  const RenamedCodes& renamed;
  StackMemo& stacks;
  ScratchPool& scratches;
  const Interpreter& interpreter;
  uint32_t codes_lifetime;  // a part of the stack memo's key (HookState)
};

enum class StackDetail {
  kNative,  // native frames below the Python line, too
  kPython,  // Python frames alone; native ones where there are none
  kBrief,   // like kPython, with only the innermost 48 Python frames: for exact mode, where walking deep stacks would cost too much
};

// HOOK. The calling thread's stack, for a block of `block_bytes`.
BoxStackId CaptureMixedStack(const StackSources& sources, StackDetail detail, uint64_t block_bytes);

}  // namespace memprof
