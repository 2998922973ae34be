// Recorder: receives the samples of the hooks. It owns a process's black box and live set and keeps, for each open session and
// site, bytes allocated, blocks, bytes live, and bytes live (and resident) at the session's peak.
//
// Room rules: every function marked HOOK may be called inside malloc, from any thread: it allocates nothing, throws
// nothing, calls nothing that may take a lock of the host's (its own lock is a futex; the caller holds the re-entry
// guard, so it cannot recurse) and keeps errno. Everything is in memory reserved by Create().
//
// Live at peak, O(1) a sample: see sampling/peak.h. Residency: `resident` of a large block (>= 1 MiB, counted exactly) is read
// (mincore) at session close and when a sample finds RSS 5 % above its last maximum. If the block was live at the peak, it is
// also read just before it is freed or shrunk. The largest reading is kept.
//
// Sessions: what is allocated while no task's session is open, or by a thread of no task, goes to the process-level session
// (task_attempt_id -1). A block's later fate belongs to the session it was allocated in. What a closing session leaves live passes to the
// process-level session, under the same stacks (as live bytes, not as allocated ones). So caches that live longer than their task stay
// visible, and nothing ever writes to a closed session.
//
// Bounds: `box_bytes` covers the file, the live set and the indexes. Samples for which there is no room go to the session's
// overflow site (no stack), so that totals add up, and are counted. A full live set is thinned: every block below the threshold
// of exact counting is kept with probability 1/2 and twice its weight. Later blocks are treated the same way, as if the interval
// were doubled, until a session opens while the set is mostly free. Allocated bytes keep their full precision. If it is full of large
// blocks, it is not thinned: further blocks are only counted as allocated (dropped_live).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/origin.h"
#include "base/status.h"
#include "resident/region_table.h"
#include "resident/rss_rows.h"
#include "sites/live_set.h"

namespace memprof {

// A frame as a hook sees it, to be interned once. Strings are UTF-8, not NUL-terminated, copied on first sight; texts over
// 1024 bytes are cut.
struct StringRef {
  const char* data = nullptr;
  uint32_t size = 0;
};

using FrameId = uint32_t;               // names a frame of one intern epoch
inline constexpr FrameId kNoFrame = 0;  // table full, or nothing known

using BoxStackId = uint32_t;                                 // names a stack of one intern epoch
inline constexpr BoxStackId kNoStack = 0;                    // nothing known of it
inline constexpr BoxStackId kStackWithoutRoom = UINT32_MAX;  // the tables are full: its samples go to the overflow site

struct RecorderOptions {
  const char* box_directory;   // exists, 0700, ours
  const char* application_id;  // become part of the box's name
  const char* executor_id;
  uint64_t interval_bytes;  // of the sampling before; decides what is exact and, at 1, makes a live set of 128 MiB
  const char* python_version;
  size_t box_bytes = 4u << 20;  // address space of box, live set and indexes together; at least 1 MiB
  // For the rows of the process's resident memory (resident/rss_rows.h); outlives the recorder. Null: they aren't measured.
  RegionTable* regions = nullptr;
  uint64_t in_use_before_bytes = 0;  // what malloc had allocated when profiling began
  ModuleEnd module_end = nullptr;
  bool started_by_task = false;  // this process, which then is not a worker itself
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
  uintptr_t address;  // 0: nothing to follow (never freed)
  uint64_t size;      // bytes asked for
  uint64_t weight;    // unbiased bytes this sample stands for; == size when the block was counted exactly
  uint64_t blocks;    // unbiased number of blocks it stands for, at least 1
  BoxStackId stack;
  bool of_no_task = false;  // also while a task's session is open: it goes to the process-level session
};

class Recorder {
 public:
  // Makes the box file (O_EXCL|O_NOFOLLOW, 0600, posix_fallocate, OFD lock) and all tables. One per process.
  // Never call inside a hook. On failure nothing is left behind: kInvalidArgument (too few box_bytes, path too long),
  // kIo or kExhausted with the path and the system's reason.
  static Result<Recorder*> Create(const RecorderOptions& options);

  // Unmaps the inherited box without touching the parent's file; call in a forked child before anything else.
  // The child may then Create() its own. Async-signal-safe. The pointer is dead afterwards.
  static void AbandonInChild(Recorder* inherited);

  // Closes the open session and removes the box file when no closed session waits to be read. For the normal end of the process:
  // afterwards every function does nothing, so that hooks may still hold the pointer.
  void Finish();

  // Sessions. At most one is open; opening closes an open one. Not HOOK: call between tasks. Thread-safe.
  void OpenSession(const TaskIdentity& task);
  void SetTask(const TaskIdentity& task);  // for a session opened before its task was known
  // A function that the open session runs; repetitions are one. False: the session has kUdfsPerSession of them already.
  bool AddUdf(StringRef name, StringRef file, uint32_t line, StringRef kind, bool is_generator = false);
  void CloseSession();                              // reads residency of large live blocks, seals and checksums
  void SetCounter(StringRef name, uint64_t value);  // of the open session, at most 16: e.g. arrowPoolPeakBytes

  // The rows of resident memory at the end of a session, with a figure that is only available there: `free_bytes` that malloc
  // holds and nobody uses. Call MeasureRssAtEnd only where RssWanted() says so, because asking malloc takes time.
  bool RssWanted();
  void MeasureRssAtEnd(uint64_t free_bytes);

  // HOOK. Interning; kNoFrame when the table is full or the module outdated (counted). Ids and module numbers belong to an intern epoch:
  // cache them only together with intern_epoch(), and drop the cache when it moved (which happens in OpenSession and SetTask alone, when
  // the tables were nearly full). A stale id is harmless: it is recognised and counted as a dropped frame.
  FrameId InternPythonFrame(StringRef function, StringRef file, uint32_t line, uint32_t first_line);
  FrameId InternNativeFrame(uint32_t module, uint64_t offset);
  uint32_t InternModule(StringRef path, StringRef build_id_hex);  // 0 when full
  // Frames outermost first, of any depth: see base/stack_fold.h. A tenth of the room is kept for the stacks of blocks of
  // kLargeBlock and more.
  BoxStackId InternStack(const FrameId* frames, uint32_t depth, uint64_t block_bytes);
  uint32_t intern_epoch() const { return __atomic_load_n(&intern_epoch_, __ATOMIC_ACQUIRE); }
  // False: the id (or 0) is of an earlier intern epoch.
  bool IsCurrent(uint32_t id) const { return id != 0 && id >> kReferenceBits == (intern_epoch() & 0xff); }

  // HOOK. `Allocated` after the block was obtained; `Freeing` before it is given back.
  void Allocated(const Sample& sample);
  void Freeing(uintptr_t address);

  // realloc and mremap. The old block must leave the live set before the call, because afterwards its address may belong to
  // another thread. But the two changes should be one step, without a dip or a peak that never was. So:
  //
  //   Recorder::Detached old = recorder->Detach(address, size);  // reads residency; totals unchanged
  //   void* moved = real_realloc(...);
  //   if (moved == nullptr) recorder->Reattach(old);             // still where it was
  //   else if (sampled)     recorder->Resized(old, sample);
  //   else                  recorder->Release(old);              // gone; the new one is not followed
  //
  // HOOK, all of them. For a session that closes in between, the block counts as freed.
  struct Detached {
    LiveBlock block;       // address 0: it was not followed
    uint64_t session = 0;  // 0: there is nothing to put back, and each of the three is still right
  };
  Detached Detach(uintptr_t address, size_t size);  // `size`: wanted, in bytes
  // Likewise of a range of mapped pages: a whole block, a part of one, or parts of several. Several are freed at
  // once, and stay freed if the call is refused.
  Detached DetachRange(uintptr_t begin, uintptr_t end);
  void Reattach(const Detached& old);
  void Resized(const Detached& old, const Sample& sample);
  void Release(const Detached& old);
  // HOOK. Detach and Resized in one, where no other thread can have the old address yet.
  void Resized(uintptr_t old_address, const Sample& sample);

  // HOOK. False means certainly not in the live set: one load, for the free fast path.
  bool MayBeLive(uintptr_t address) const { return filter_.May(address); }
  // The same without the recorder: LiveFilter::May(live_counts(), address). Readable as long as the recorder.
  const std::atomic<uint8_t>* live_counts() const { return filter_.counts(); }
  // HOOK. Prefetches the memory that Allocated() needs first: to be called some hundred nanoseconds before it.
  void Prefetch(uintptr_t address) const;
  // HOOK. Part of a mapping is being unmapped: [begin, end) is cut out of every followed page-aligned block that overlaps it.
  void UnmappingRange(uintptr_t begin, uintptr_t end);
  // HOOK. Pages of so many bytes are being given back, followed or not: the last moment to measure what the process holds.
  void DroppingPages(uint64_t bytes);

  // Incidents: refused memory, or a fatal signal. The last one of each kind is kept. HOOK. Memory was refused: malloc has
  // returned null. `of_no_task`: as in a sample; such a one doesn't replace a task's, which may not have been read yet.
  void NoteRefused(uint64_t bytes, BoxStackId stack, bool of_no_task = false);
  // The process is dying of a signal. Async-signal-safe; doesn't take the lock, because a thread that was interrupted in here may
  // hold it. Not from two threads at once. May be called again when the stack is known.
  void NoteFatalSignal(int signal, int code, BoxStackId stack);

  // Since Create(). `samples`: Allocated and Resized calls.
  struct Counters {
    uint64_t samples, dropped_sites, dropped_frames, dropped_live, dropped_sessions, evicted_sites, interval_doublings;
  };
  Counters counters() const;
  const char* box_path() const;

  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

 private:
  // An id is a reference with the low byte of its intern epoch on top: ids of another epoch don't match.
  static constexpr uint32_t kReferenceBits = 24;
  static constexpr uint32_t Tag(uint32_t epoch, uint32_t reference) { return reference == 0 ? 0 : (epoch << kReferenceBits) | reference; }
  static constexpr uint32_t Untag(uint32_t epoch, uint32_t id) {
    return id >> kReferenceBits == (epoch & 0xff) ? id & ((1u << kReferenceBits) - 1) : 0;
  }

  Recorder() = default;

  struct State;
  State* state_ = nullptr;
  LiveFilter filter_;
  uint32_t intern_epoch_ = 0;
};

}  // namespace memprof
