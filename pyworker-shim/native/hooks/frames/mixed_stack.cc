#include "frames/mixed_stack.h"

#include <Python.h>

#include "frames/frame_cursor.h"
#include "hooking/native_stack.h"

namespace memprof {
namespace {

constexpr size_t kMaxPythonDepth = 1 << 14;  // Python frames looked at

// An address in the innermost interpreter loop's C frame, or null.
const void* WalkPython(StackScratch& scratch) {
  PyThreadState* thread = PyGILState_GetThisThreadState();
  if (thread == nullptr) return nullptr;
  FrameCursor cursor(thread);
  PythonFrame frame;
  for (size_t i = 0; i < kMaxPythonDepth && cursor.Next(&frame); ++i) {
    if (Py_REFCNT(frame.code) > 0) scratch.python.Push(frame);  // 0: its own destruction is what runs
  }
  return cursor.interpreter_loop();
}

void WalkNative(const StackSources& sources, bool below_python, const void* interpreter_loop, StackScratch& scratch) {
  const Interpreter& interpreter = sources.interpreter;
  const uintptr_t* addresses = scratch.addresses;
  const size_t count = CaptureNativeStack(scratch.addresses, StackScratch::kUnwound, sources.loader.unloaded() > 0);
  size_t i = 0;
  while (i < count && interpreter.own.ContainsCallBefore(addresses[i])) ++i;
  if (!below_python) {
    for (; i < count; ++i) scratch.native.Push(addresses[i]);
    return;
  }
  // Two fences against frames of calls further out: where the loop's C frame lies on the stack, and the loop's code.
  const size_t end = interpreter_loop != nullptr ? i + FramesBelow(interpreter_loop, addresses + i, count - i) : count;
  for (; i < end && !interpreter.loop.ContainsCallBefore(addresses[i]); ++i) {
    if (!interpreter.module.ContainsCallBefore(addresses[i])) scratch.native.Push(addresses[i]);
  }
}

}  // namespace

uint32_t CaptureMixedStack(const StackSources& sources, bool with_native, StackScratch& scratch) {
  const auto& python = scratch.python;
  const auto& native = scratch.native;
  const void* interpreter_loop = WalkPython(scratch);
  const bool below_python = python.size() > 0;
  if (with_native || !below_python) WalkNative(sources, below_python, interpreter_loop, scratch);

  uint32_t depth = 0;
  const auto add = [&](FrameId frame) {
    if (frame != kNoFrame) scratch.stack[depth++] = frame;
  };
  // Outermost first. Where both don't fit, Python's middle gives way.
  const size_t room = kMaxStackDepth - native.size();
  const size_t skipped = python.size() > room ? python.size() - room : 0;
  for (size_t i = python.size(); i-- > 0;) {
    const size_t from_outermost = python.size() - 1 - i;
    if (from_outermost >= kOutermostKept && from_outermost < kOutermostKept + skipped) continue;
    add(sources.names.OfPython(sources.recorder, python[i], scratch.texts));
  }
  for (size_t i = native.size(); i-- > 0;) add(sources.names.OfNative(sources.recorder, sources.loader, native[i]));
  return depth;
}

}  // namespace memprof
