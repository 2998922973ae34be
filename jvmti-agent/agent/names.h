// Names: the names of native frames, and the text of the user's lines. They are found after a message was sent, and sent after it.
// Thread-safe, except that Start and Stop must not run at the same time.
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
  // Requests the names that this message lacks; it is about to be sent.
  void Want(const BuiltProfile& profile);
  // Likewise, of the native frames of a message that has no more than frames.
  void WantNative(const proto::TaskProfile& names);

  const NativeNames& native() const { return native_; }
  uint64_t modules_without_lines() const { return namer_.modules_without_lines(); }

 private:
  Ground* ground_;
  NativeNames native_;
  NativeNamer namer_{&native_};
  SourceReader source_reader_;
};

}  // namespace memprof
