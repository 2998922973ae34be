#include "frames/mixed_stack.h"

#include <Python.h>

#include "frames/frame_cursor.h"
#include "hooking/native_stack.h"
#include "sites/bounded_stack.h"

namespace memprof {
namespace {

// Of kMaxStackDepth frames, native ones may take at most half, so that the Python line above them always has a place.
constexpr size_t kOutermost = kOutermostKept;
constexpr size_t kInnermost = kInnermostKept;
constexpr size_t kNativeInner = 48, kNativeOuter = 16;
constexpr size_t kUnwound = 192;             // native frames looked at
constexpr size_t kMaxPythonDepth = 1 << 14;  // Python frames looked at

using PythonStack = BoundedStack<PythonFrame, kInnermost, kOutermost>;
using NativeStack = BoundedStack<uintptr_t, kNativeInner, kNativeOuter>;

// An address in the innermost interpreter loop's C frame, or null.
const void* WalkPython(PythonStack* python) {
  PyThreadState* thread = PyGILState_GetThisThreadState();
  if (thread == nullptr) return nullptr;
  FrameCursor cursor(thread);
  PythonFrame frame;
  for (size_t i = 0; i < kMaxPythonDepth && cursor.Next(&frame); ++i) {
    if (Py_REFCNT(frame.code) > 0) python->Push(frame);  // 0: its own destruction is what runs
  }
  return cursor.interpreter_loop();
}

void WalkNative(const StackSources& sources, bool below_python, const void* interpreter_loop, NativeStack* native) {
  const Interpreter& interpreter = sources.interpreter;
  uintptr_t addresses[kUnwound];
  const size_t count = CaptureNativeStack(addresses, kUnwound, sources.loader.unloaded() > 0);
  size_t i = 0;
  while (i < count && interpreter.own.ContainsCallBefore(addresses[i])) ++i;
  if (!below_python) {
    for (; i < count; ++i) native->Push(addresses[i]);
    return;
  }
  // Two fences against frames of calls further out: where the loop's C frame lies on the stack, and the loop's code.
  const size_t end = interpreter_loop != nullptr ? i + FramesBelow(interpreter_loop, addresses + i, count - i) : count;
  for (; i < end && !interpreter.loop.ContainsCallBefore(addresses[i]); ++i) {
    if (!interpreter.module.ContainsCallBefore(addresses[i])) native->Push(addresses[i]);
  }
}

}  // namespace

uint32_t CaptureMixedStack(const StackSources& sources, bool with_native, FrameId* stack) {
  PythonStack python;
  NativeStack native;
  const void* interpreter_loop = WalkPython(&python);
  const bool below_python = python.size() > 0;
  if (with_native || !below_python) WalkNative(sources, below_python, interpreter_loop, &native);

  uint32_t depth = 0;
  const auto add = [&](FrameId frame) {
    if (frame != kNoFrame) stack[depth++] = frame;
  };
  // Outermost first. Where both don't fit, Python's middle gives way.
  const size_t room = kMaxStackDepth - native.size();
  const size_t skipped = python.size() > room ? python.size() - room : 0;
  for (size_t i = python.size(); i-- > 0;) {
    const size_t from_outermost = python.size() - 1 - i;
    if (from_outermost >= kOutermost && from_outermost < kOutermost + skipped) continue;
    add(sources.names.OfPython(sources.recorder, python[i]));
  }
  for (size_t i = native.size(); i-- > 0;) add(sources.names.OfNative(sources.recorder, sources.loader, native[i]));
  return depth;
}

}  // namespace memprof
