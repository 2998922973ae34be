#include "frames/mixed_stack.h"

#include <Python.h>

#include <algorithm>
#include <atomic>
#include <optional>

#include "base/hash.h"
#include "frames/code_fields.h"
#include "frames/frame_cursor.h"
#include "hooking/native_stack.h"

namespace memprof {
namespace {

constexpr size_t kMaxPythonDepth = 1 << 14;  // Python frames looked at
constexpr size_t kBriefDepth = 48;           // likewise
// This many are mostly enough to reach the interpreter loop from within malloc.
constexpr size_t kUnwoundFirst = 40;
constexpr size_t kLeastUnwound = 8;
constexpr size_t kBetweenKept = 16;  // of the native frames between two Python frames, the innermost

constexpr uint64_t kMultiplier = 0x9fb21c651e98df25u;
// How many native frames were enough lately to reach the loop; falls slowly.
constinit std::atomic<size_t> usual_depth{kUnwoundFirst};

uint64_t Chain(uint64_t key, uint64_t word) {
  key = (key ^ word) * kMultiplier;
  return key ^ (key >> 32);
}

// Calls visit(frame, cursor) for each Python frame of a thread, innermost first.
template <typename Visit>
void VisitPython(PyThreadState* thread, StackDetail detail, Visit visit) {
  FrameCursor cursor(thread);
  PythonFrame frame;
  const size_t depth = detail == StackDetail::kBrief ? kBriefDepth : kMaxPythonDepth;
  for (size_t i = 0; i < depth && cursor.Next(&frame); ++i) {
    if (Py_REFCNT(frame.code) > 0) visit(frame, cursor);  // 0: the code object is just being destroyed
  }
}

struct PythonTrace {
  uint64_t key = 0;
  uint32_t names_generation = 0;           // RenamedCodes' before it was traced
  PyThreadState* thread = nullptr;         // the thread that has the frames; null: there are none
  bool own = false;                        // this thread's
  bool several_loops = false;              // several loops run its frames
  const void* interpreter_loop = nullptr;  // an address in the innermost loop's C frame, if it is needed and known
};

bool TraceThread(PyThreadState* thread, const RenamedCodes& renamed, StackDetail detail, PythonTrace* trace) {
  PythonFrame last = {nullptr, 0};
  VisitPython(thread, detail, [&](const PythonFrame& frame, const FrameCursor& cursor) {
    trace->several_loops |= cursor.in_next_loop();
    if (frame == last) return;  // recursion, which is folded
    last = frame;
    const uint64_t code = CodeWord(frame.code) ^ renamed.WordOf(frame.code);
    trace->key = Chain(trace->key, code + static_cast<uint64_t>(frame.instruction) * kMultiplier);
  });
  if (last.code != nullptr) trace->thread = thread;
  return last.code != nullptr;
}

// The only other thread that has Python frames; null if there are several. The frames can't change, because this thread holds the GIL.
PyThreadState* OnlyOtherWithFrames(PyThreadState* own) {
  PyThreadState* found = nullptr;
  PythonFrame frame;
  for (PyThreadState* thread = PyInterpreterState_ThreadHead(own->interp); thread != nullptr; thread = PyThreadState_Next(thread)) {
    if (thread == own || !FrameCursor(thread).Next(&frame)) continue;
    if (found != nullptr) return nullptr;
    found = thread;
  }
  return found;
}

PythonTrace TracePython(const RenamedCodes& renamed, StackDetail detail) {
  PythonTrace trace;
  trace.names_generation = renamed.generation();
  PyThreadState* own = PyGILState_GetThisThreadState();
  if (own == nullptr) return trace;
  trace.own = TraceThread(own, renamed, detail, &trace);
  if (trace.own) {
    if (detail == StackDetail::kNative) trace.interpreter_loop = FrameCursor(own).Loop();  // takes time to find
  } else if (HoldsGil(own)) {
    if (PyThreadState* other = OnlyOtherWithFrames(own)) TraceThread(other, renamed, detail, &trace);
  }
  return trace;
}

struct NativeTrace {
  size_t count = 0;    // of scratch.addresses
  size_t begin = 0;    // those before it are our own
  size_t end = 0;      // those from here on lie above the innermost interpreter loop
  bool whole = false;  // there are no more frames, or the bound was reached
};

// Up to `capacity` frames; more if these don't reach the innermost loop.
NativeTrace TraceNative(const StackSources& sources, const PythonTrace& python, size_t capacity, StackScratch& scratch) {
  const uintptr_t* addresses = scratch.addresses;
  for (;; capacity = StackScratch::kUnwound) {
    NativeTrace trace;
    trace.count = CaptureNativeStack(scratch.addresses, capacity, sources.loader.unloaded() > 0);
    while (trace.begin < trace.count && sources.interpreter.own.ContainsCallBefore(addresses[trace.begin])) ++trace.begin;
    trace.end = trace.count;
    if (python.interpreter_loop != nullptr) {
      FramePlaces places(addresses + trace.begin, trace.count - trace.begin);
      if (const std::optional<size_t> below = places.Below(python.interpreter_loop)) trace.end = trace.begin + *below;
    }
    trace.whole = capacity == StackScratch::kUnwound || trace.count + 1 < capacity;
    if (trace.end < trace.count || trace.whole) return trace;
  }
}

// The memo's key for native frames: the frames up to the first one in the interpreter loop's code. TraceNative() finds the loop by its
// place on the stack, which takes twice as long; for equal keys it would find the same.
uint64_t NativeKey(const StackSources& sources, const PythonTrace& python, StackScratch& scratch) {
  const uintptr_t* addresses = scratch.addresses;
  size_t capacity = usual_depth.load(std::memory_order_relaxed);
  for (;; capacity = capacity < kUnwoundFirst ? kUnwoundFirst : StackScratch::kUnwound) {
    const size_t count = CaptureNativeStack(scratch.addresses, capacity, sources.loader.unloaded() > 0);
    uint64_t key = sources.loader.unloaded() + 1;
    size_t i = 0;
    const CodeRange loop = python.thread == nullptr ? CodeRange() : sources.interpreter.loop;  // then no frame ends the search
    while (i < count && !loop.ContainsCallBefore(addresses[i])) key = Chain(key, addresses[i++]);
    if (i == count && capacity < StackScratch::kUnwound && count + 1 >= capacity) continue;  // there are more frames
    if (i < count) usual_depth.store(std::max({i + 2, capacity - 1, kLeastUnwound}), std::memory_order_relaxed);
    return key;
  }
}

void KeepNative(const Interpreter& interpreter, bool below_python, const NativeTrace& trace, StackScratch& scratch) {
  for (size_t i = trace.begin; i < trace.end; ++i) {
    const uintptr_t address = scratch.addresses[i];
    if (below_python) {
      // Two bounds against frames of outer calls: the place of the loop's C frame on the stack, and the loop's code.
      if (interpreter.loop.ContainsCallBefore(address)) break;
      if (interpreter.module.ContainsCallBefore(address)) continue;
    }
    scratch.native.Push(address);
  }
}

// Provides the native frames between Python frames, loop by loop from the innermost, as far as they were captured.
class NativesBetween {
 public:
  NativesBetween(const Interpreter& interpreter, const NativeTrace& trace, const uintptr_t* addresses, const void* innermost_loop)
      : interpreter_(interpreter), addresses_(addresses + trace.begin), places_(addresses_, trace.count - trace.begin) {
    reached_ = places_.Below(innermost_loop);
  }

  // Keeps the frames between the loop reached so far and the next one, `loop`.
  void Keep(const void* loop, StackScratch& scratch) {
    if (!reached_) return;
    const std::optional<size_t> below = loop == nullptr ? std::nullopt : places_.Below(loop);
    size_t kept = 0;
    for (size_t i = *reached_; below && i < *below && kept < kBetweenKept; ++i) {
      if (interpreter_.module.ContainsCallBefore(addresses_[i])) continue;
      scratch.calls.Push(MixedFrame::OfNative(addresses_[i]));
      ++kept;
    }
    reached_ = below;
  }

 private:
  const Interpreter& interpreter_;
  const uintptr_t* addresses_;
  FramePlaces places_;
  std::optional<size_t> reached_;  // how many of the addresses; nothing: the rest is unknown
};

void KeepPython(const PythonTrace& python, StackDetail detail, StackScratch& scratch) {
  if (python.thread == nullptr) return;
  VisitPython(python.thread, detail,
              [&](const PythonFrame& frame, const FrameCursor&) { scratch.calls.Push(MixedFrame::OfPython(frame)); });
}

// False: the frames couldn't be unwound. `native` is what was traced so far. It is traced to the outermost frame only here, for a new
// stack.
bool KeepPythonAndBetween(const StackSources& sources, const PythonTrace& python, NativeTrace native, StackDetail detail,
                          StackScratch& scratch) {
  if (!native.whole) native = TraceNative(sources, python, StackScratch::kUnwound, scratch);
  NativesBetween between(sources.interpreter, native, scratch.addresses, python.interpreter_loop);
  VisitPython(python.thread, detail, [&](const PythonFrame& frame, const FrameCursor& cursor) {
    if (cursor.in_next_loop()) between.Keep(cursor.Loop(), scratch);
    scratch.calls.Push(MixedFrame::OfPython(frame));
  });
  return native.count != 0;
}

// Names the frames that were kept and interns them.
BoxStackId Intern(const StackSources& sources, uint64_t block_bytes, StackScratch& scratch) {
  const auto& calls = scratch.calls;
  const auto& native = scratch.native;
  uint32_t depth = 0;
  const auto add = [&](FrameId frame) {
    if (frame != kNoFrame) scratch.stack[depth++] = frame;
  };
  const auto add_native = [&](uintptr_t address) { add(sources.names.OfNative(sources.recorder, sources.loader, address)); };
  // Outermost first. If both don't fit, the middle of the calls is left out.
  const size_t room = kMaxStackDepth - native.size();
  const size_t skipped = calls.size() > room ? calls.size() - room : 0;
  for (size_t i = calls.size(); i-- > 0;) {
    const size_t from_outermost = calls.size() - 1 - i;
    if (from_outermost >= kOutermostKept && from_outermost < kOutermostKept + skipped) continue;
    const MixedFrame& call = calls[i];
    if (call.code == nullptr) {
      add_native(static_cast<uintptr_t>(call.position));
    } else {
      add(sources.names.OfPython(sources.recorder, sources.renamed, {call.code, static_cast<int>(call.position)}, scratch.texts));
    }
  }
  for (size_t i = native.size(); i-- > 0;) add_native(native[i]);
  return sources.recorder.InternStack(scratch.stack, depth, block_bytes);
}

BoxStackId CaptureIn(StackScratch& scratch, const StackSources& sources, const PythonTrace& python, uint64_t key, StackDetail detail,
                     bool with_native, uint64_t block_bytes) {
  bool whole = true;  // false during a fork: nothing is unwound then, and the incomplete stack must not be kept
  if (with_native) {
    key = HashPair(key, NativeKey(sources, python, scratch));
    if (const BoxStackId known = sources.stacks.Find(key)) return known;
    const bool may_be_brief = python.interpreter_loop != nullptr;
    const NativeTrace native = TraceNative(sources, python, may_be_brief ? kUnwoundFirst : StackScratch::kUnwound, scratch);
    KeepNative(sources.interpreter, python.thread != nullptr, native, scratch);
    whole = native.count != 0;
    if (python.several_loops && python.interpreter_loop != nullptr) {
      whole &= KeepPythonAndBetween(sources, python, native, detail, scratch);
    } else {
      KeepPython(python, detail, scratch);
    }
  } else {
    KeepPython(python, detail, scratch);
  }
  const BoxStackId stack = Intern(sources, block_bytes, scratch);
  if (whole && sources.renamed.IsStill(python.names_generation)) sources.stacks.Remember(key, stack);
  return stack;
}

// Used when more threads sample at once than there are scratches.
__attribute__((noinline)) BoxStackId CaptureOnTheHosts(const StackSources& sources, const PythonTrace& python, uint64_t key,
                                                       StackDetail detail, bool with_native, uint64_t block_bytes) {
  StackScratch scratch;
  return CaptureIn(scratch, sources, python, key, detail, with_native, block_bytes);
}

}  // namespace

BoxStackId CaptureMixedStack(const StackSources& sources, StackDetail detail, uint64_t block_bytes) {
  const PythonTrace python = TracePython(sources.renamed, detail);
  // Large blocks have room reserved in the tables, so a stack that found no room for a small block may find some for a large one.
  const uint64_t tables = uint64_t{sources.recorder.intern_epoch()} << 1 | (block_bytes >= kLargeBlock ? 1 : 0);
  const uint64_t key = HashPair(python.key ^ uint64_t{sources.codes_lifetime} * kMultiplier, tables);
  const bool with_native = detail == StackDetail::kNative || !python.own;
  if (!with_native) {
    if (const BoxStackId known = sources.stacks.Find(key)) return known;
  }
  if (StackScratch* scratch = sources.scratches.Take()) {
    const BoxStackId stack = CaptureIn(*scratch, sources, python, key, detail, with_native, block_bytes);
    sources.scratches.Give(scratch);
    return stack;
  }
  return CaptureOnTheHosts(sources, python, key, detail, with_native, block_bytes);
}

}  // namespace memprof
