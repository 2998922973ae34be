// FrameNames: the recorder's number for a frame, looked up once and then remembered.
//
// A remembered Python frame is keyed by what its name, file and line are made of (hashes of the code's name, file name and
// line table, its first line, the instruction), never by the code object's address, which another function may get when
// the first one dies. Of a line table over 512 bytes both ends are hashed.
// A native frame is keyed by its address and by how many modules had been unloaded.
//
// The recorder's intern epoch is part of every key.
#pragma once

#include <cstdint>

#include "frames/frame_cursor.h"
#include "frames/memo.h"
#include "frames/stack_scratch.h"
#include "hooking/loader_watch.h"
#include "sites/recorder.h"

namespace memprof {

class FrameNames {
 public:
  // HOOK. kNoFrame when the recorder has no room.
  FrameId OfPython(Recorder& recorder, const PythonFrame& frame, TextScratch& texts);

  // HOOK. `return_address`: the call lies just before it, and so does the recorded offset. kNoFrame outside of any module.
  FrameId OfNative(Recorder& recorder, LoaderWatch& loader, uintptr_t return_address);

  // In a signal's handler: that instruction lies behind no call. All other addresses do.
  void Interrupted(uintptr_t instruction) { interrupted_at_ = instruction; }

  // For a new recorder. May run beside lookups.
  void Forget() { known_.Forget(); }

 private:
  Memo<8192> known_;
  uintptr_t interrupted_at_ = 0;
};

}  // namespace memprof
