#include "frames/mixed_stack.h"

#include <Python.h>

#include "base/hash.h"
#include "frames/code_fields.h"
#include "frames/frame_cursor.h"
#include "hooking/native_stack.h"

namespace memprof {
namespace {

constexpr size_t kMaxPythonDepth = 1 << 14;  // Python frames looked at
constexpr size_t kBriefDepth = 48;           // likewise
// Mostly enough to reach the interpreter loop from within malloc.
constexpr size_t kUnwoundFirst = 40;

constexpr uint64_t kMultiplier = 0x9fb21c651e98df25u;
uint64_t Chain(uint64_t key, uint64_t word) {
  key = (key ^ word) * kMultiplier;
  return key ^ (key >> 32);
}

// Calls visit(frame) for each Python frame of this thread, innermost first; returns an address in the innermost interpreter
// loop's C frame, or null.
template <typename Visit>
const void* VisitPython(StackDetail detail, Visit visit) {
  PyThreadState* thread = PyGILState_GetThisThreadState();
  if (thread == nullptr) return nullptr;
  FrameCursor cursor(thread);
  PythonFrame frame;
  const size_t depth = detail == StackDetail::kBrief ? kBriefDepth : kMaxPythonDepth;
  for (size_t i = 0; i < depth && cursor.Next(&frame); ++i) {
    if (Py_REFCNT(frame.code) > 0) visit(frame);  // 0: its own destruction is what runs
  }
  return cursor.interpreter_loop();
}

struct PythonTrace {
  uint64_t key = 0;
  bool any = false;
  const void* interpreter_loop = nullptr;  // see VisitPython()
};

PythonTrace TracePython(StackDetail detail) {
  PythonTrace trace;
  PythonFrame last = {nullptr, 0};
  trace.interpreter_loop = VisitPython(detail, [&](const PythonFrame& frame) {
    if (frame == last) return;  // recursion, which is folded
    last = frame;
    trace.key = Chain(trace.key, CodeWord(frame.code) + static_cast<uint64_t>(frame.instruction) * kMultiplier);
  });
  trace.any = last.code != nullptr;
  return trace;
}

struct NativeTrace {
  size_t count = 0;  // of scratch.addresses
  size_t begin = 0;  // those before it are our own
  size_t end = 0;    // those from here on lie above the innermost interpreter loop
};

NativeTrace TraceNative(const StackSources& sources, const PythonTrace& python, StackScratch& scratch) {
  const uintptr_t* addresses = scratch.addresses;
  for (size_t capacity = python.interpreter_loop != nullptr ? kUnwoundFirst : StackScratch::kUnwound;; capacity = StackScratch::kUnwound) {
    NativeTrace trace;
    trace.count = CaptureNativeStack(scratch.addresses, capacity, sources.loader.unloaded() > 0);
    while (trace.begin < trace.count && sources.interpreter.own.ContainsCallBefore(addresses[trace.begin])) ++trace.begin;
    trace.end = trace.count;
    if (python.any && python.interpreter_loop != nullptr) {
      trace.end = trace.begin + FramesBelow(python.interpreter_loop, addresses + trace.begin, trace.count - trace.begin);
    }
    if (trace.end < trace.count || capacity == StackScratch::kUnwound || trace.count + 1 < capacity) return trace;
  }
}

uint64_t KeyOf(const StackSources& sources, const NativeTrace& native, const StackScratch& scratch) {
  uint64_t key = sources.loader.unloaded() + 1;
  for (size_t i = native.begin; i < native.end; ++i) key = Chain(key, scratch.addresses[i]);
  return key;
}

void KeepNative(const Interpreter& interpreter, bool below_python, const NativeTrace& trace, StackScratch& scratch) {
  for (size_t i = trace.begin; i < trace.end; ++i) {
    const uintptr_t address = scratch.addresses[i];
    if (below_python) {
      // Two fences against frames of calls further out: where the loop's C frame lies on the stack, and the loop's code.
      if (interpreter.loop.ContainsCallBefore(address)) break;
      if (interpreter.module.ContainsCallBefore(address)) continue;
    }
    scratch.native.Push(address);
  }
}

// Names the frames that were kept and interns them.
StackId Intern(const StackSources& sources, uint64_t block_bytes, StackScratch& scratch) {
  const auto& python = scratch.python;
  const auto& native = scratch.native;
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
  return sources.recorder.InternStack(scratch.stack, depth, block_bytes);
}

StackId CaptureIn(StackScratch& scratch, const StackSources& sources, const PythonTrace& python, uint64_t key, StackDetail detail,
                  bool with_native, uint64_t block_bytes) {
  NativeTrace native;
  if (with_native) {
    native = TraceNative(sources, python, scratch);
    key = HashPair(key, KeyOf(sources, native, scratch));
    if (const StackId known = sources.stacks.Find(key)) return known;
  }
  VisitPython(detail, [&](const PythonFrame& frame) { scratch.python.Push(frame); });
  if (with_native) KeepNative(sources.interpreter, python.any, native, scratch);
  const StackId stack = Intern(sources, block_bytes, scratch);
  sources.stacks.Remember(key, stack);
  return stack;
}

// Where more threads sample at once than there are scratches.
__attribute__((noinline)) StackId CaptureOnTheHosts(const StackSources& sources, const PythonTrace& python, uint64_t key,
                                                    StackDetail detail, bool with_native, uint64_t block_bytes) {
  StackScratch scratch;
  return CaptureIn(scratch, sources, python, key, detail, with_native, block_bytes);
}

}  // namespace

StackId CaptureMixedStack(const StackSources& sources, StackDetail detail, uint64_t block_bytes) {
  const PythonTrace python = TracePython(detail);
  // What is kept of the tables for large blocks makes room for them where others find none.
  const uint64_t key = HashPair(python.key, uint64_t{sources.recorder.intern_epoch()} << 1 | (block_bytes >= kLargeBlock ? 1 : 0));
  const bool with_native = detail == StackDetail::kNative || !python.any;
  if (!with_native) {
    if (const StackId known = sources.stacks.Find(key)) return known;
  }
  if (StackScratch* scratch = sources.scratches.Take()) {
    const StackId stack = CaptureIn(*scratch, sources, python, key, detail, with_native, block_bytes);
    sources.scratches.Give(scratch);
    return stack;
  }
  return CaptureOnTheHosts(sources, python, key, detail, with_native, block_bytes);
}

}  // namespace memprof
