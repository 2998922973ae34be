// Names: what native frames are called, and the text of the user's lines: found after a message has left, and sent after it.
// Thread-safe; Start and Stop not against each other.
#pragma once

#include <cstdint>

#include "agent/ground.h"
#include "naming/native_namer.h"
#include "naming/native_names.h"
#include "naming/source_reader.h"
#include "tasks/task_profile.h"

namespace memprof {

class Names {
 public:
  explicit Names(Ground* ground) : ground_(ground) {}

  void Start(const ApplicationRef& application);
  void Stop();
  // Of a message that is on its way.
  void Want(const BuiltProfile& profile);

  const NativeNames& native() const { return native_; }
  uint64_t modules_without_lines() const { return namer_.modules_without_lines(); }

 private:
  Ground* ground_;
  NativeNames native_;
  NativeNamer namer_{&native_};
  SourceReader source_reader_;
};

}  // namespace memprof
