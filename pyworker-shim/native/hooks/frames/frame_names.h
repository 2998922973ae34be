// FrameNames: the recorder's number for a frame, looked up once and then remembered.
//
// A remembered Python frame is keyed by the sources of its name, file and line: hashes of the code's name, file name and line
// table, its first line, and the instruction, and of the name that its function was given instead. The code object's address is not
// used, because another function may get it when the first one is freed. Of a line table over 512 bytes both ends are hashed. A native
// frame is keyed by its address and by how many modules had been unloaded.
//
// The recorder's intern epoch is part of every key.
#pragma once

#include <cstdint>

#include "frames/frame_cursor.h"
#include "frames/memo.h"
#include "frames/renamed_codes.h"
#include "frames/stack_scratch.h"
#include "hooking/loader_watch.h"
#include "sites/recorder.h"

namespace memprof {

class FrameNames {
 public:
  // HOOK. kNoFrame when the recorder has no room.
  FrameId OfPython(Recorder& recorder, const RenamedCodes& renamed, const PythonFrame& frame, TextScratch& texts);

  // HOOK. `return_address`: the call is just before it, and so is the recorded offset. kNoFrame outside of any module.
  FrameId OfNative(Recorder& recorder, LoaderWatch& loader, uintptr_t return_address);

  // For a signal handler: the interrupted instruction, which is not preceded by a call. All other addresses are return addresses.
  void Interrupted(uintptr_t instruction) { interrupted_at_ = instruction; }

  // For a new recorder. May run at the same time as look-ups.
  void Forget() { known_.Forget(); }

 private:
  Memo<8192> known_;
  uintptr_t interrupted_at_ = 0;
};

}  // namespace memprof
