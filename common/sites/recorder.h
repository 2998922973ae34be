// Recorder: what a hook hands its samples to. It owns a process's black box and live set and keeps, per open session
// and site, bytes allocated, blocks, bytes live, and bytes live (and resident) at the session's peak.
//
// Room rules: every function marked HOOK may be called inside malloc, from any thread: it allocates nothing, throws
// nothing, calls nothing that may take a lock of the host's (its own lock is a futex; the caller holds the re-entry
// guard, so it cannot recurse). Everything is in memory reserved by Create().
//
// Live at peak, O(1) a sample: see sites/peak.h. Residency: `resident` of a large block is read (mincore) just before it is freed or
// shrunk, at session close and when a sample finds RSS 5 % above its last maximum; the largest reading is kept.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/origin.h"
#include "base/status.h"

namespace memprof {

// A frame as a hook sees it, to be interned once. Strings are UTF-8, not NUL-terminated, copied on first sight.
struct StringRef {
  const char* data = nullptr;
  uint32_t size = 0;
};

using FrameId = uint32_t;               // index into the box's frame table
inline constexpr FrameId kNoFrame = 0;  // table full, or nothing known
inline constexpr uint32_t kMaxStackDepth = 128;  // outermost 32 + innermost 96

struct RecorderOptions {
  const char* box_directory;   // exists, 0700, ours
  const char* application_id;  // become part of the box's name
  const char* executor_id;
  uint64_t interval_bytes;     // only recorded; sampling happens before
  const char* python_version;
  size_t box_bytes = 4u << 20;  // address space of the box
};

struct TaskIdentity {
  int64_t task_attempt_id = -1;
  int32_t stage_id = -1;
  int32_t stage_attempt = -1;
  int32_t partition = -1;
  int32_t attempt_number = -1;
};

struct Sample {
  Origin origin;
  uintptr_t address;     // 0: nothing to follow (never freed)
  uint64_t size;         // bytes asked for
  uint64_t weight;       // unbiased bytes this sample stands for; == size when the block was counted exactly
  uint64_t blocks;       // unbiased number of blocks it stands for, at least 1
  const FrameId* stack;  // outermost first
  uint32_t depth;
};

class Recorder {
 public:
  // Makes the box file (O_EXCL|O_NOFOLLOW, 0600, posix_fallocate, OFD lock) and all tables. One per process.
  // Never call inside a hook. On failure nothing is left behind.
  static Result<Recorder*> Create(const RecorderOptions& options);

  // Unmaps the inherited box without touching the parent's file; call in a forked child before anything else.
  // The child may then Create() its own. Async-signal-safe.
  static void AbandonInChild(Recorder* inherited);

  // Removes the box file when no closed session waits to be read. Orderly end of the process.
  void Finish();

  // Sessions. At most one is open; opening closes an open one. Not HOOK: call between tasks. Thread-safe.
  void OpenSession(const TaskIdentity& task);
  void SetTask(const TaskIdentity& task);  // for a session opened before its task was known
  void AddUdf(StringRef name, StringRef file, uint32_t line, StringRef kind);
  void CloseSession();  // reads residency of large live blocks, seals and checksums
  void SetCounter(StringRef name, uint64_t value);  // of the open session: e.g. arrowPoolPeakBytes

  // HOOK. Interning; kNoFrame when the table is full (counted).
  FrameId InternPythonFrame(StringRef function, StringRef file, uint32_t line, uint32_t first_line);
  FrameId InternNativeFrame(uint32_t module, uint64_t offset);
  uint32_t InternModule(StringRef path, StringRef build_id_hex);  // 0 when full

  // HOOK. `Allocated` after the block was obtained; `Freeing` before it is given back.
  void Allocated(const Sample& sample);
  void Freeing(uintptr_t address);
  // HOOK. realloc that moved or grew in place: Freeing(old) + Allocated(new) as one step of the live total.
  void Resized(uintptr_t old_address, const Sample& sample);
  // HOOK. False means certainly not in the live set: one load, for the free fast path.
  bool MayBeLive(uintptr_t address) const;
  // HOOK. Part of a mapping is going away: [begin, end) is cut out of every followed mapping that overlaps it.
  void UnmappingRange(uintptr_t begin, uintptr_t end);

  struct Counters {
    uint64_t samples, dropped_sites, dropped_frames, dropped_live, dropped_sessions, evicted_sites, interval_doublings;
  };
  Counters counters() const;

  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

 private:
  Recorder() = default;
};

}  // namespace memprof
