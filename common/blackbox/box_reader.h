// BoxReader: reads one black box of another process, alive or dead, and treats it as hostile: every offset, count and
// string is checked against the file's size before use; a bad record is skipped and counted, a bad header refused with
// path and reason. It reads with pread into memory of its own, so that a file cut short is an error and not a SIGBUS, and
// nothing changes between check and use. Its work on a box is counted over all calls and bounded (box_work.h). Beyond the bound the box
// is given up, and every call fails. Ordinary C++ (allocates); no exceptions. Not thread-safe; make one per thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/origin.h"
#include "base/status.h"
#include "blackbox/box_work.h"

namespace memprof {

struct BoxFrame {
  Language language = Language::kUnknown;
  std::string function, file, module, build_id;  // Python: function, file; native: module (path), build id
  uint32_t line = 0, first_line = 0;
  uint64_t offset = 0;  // native
};

struct BoxStackNode {
  uint32_t parent = 0;  // index + 1 into BoxSession::stacks; 0 = root
  uint32_t frame = 0;   // index into BoxSession::frames
};

struct BoxSite {
  Origin origin = Origin::kUnknown;
  uint32_t stack = 0;  // index + 1 into stacks (innermost frame); 0 = none
  uint64_t allocated_bytes = 0, allocations = 0, live_bytes = 0, live_at_peak_bytes = 0, resident_at_peak_bytes = 0;
  uint64_t read_at_peak_bytes = 0;    // of live at peak: blocks whose pages were looked up; 0: what is resident is not known
  uint64_t resident_later_bytes = 0;  // of resident at peak: first seen when the peak had passed (sampling/peak.h)
  bool sampled = false;
  double variance = 0, peak_variance = 0;  // bytes²
};

struct BoxUdf {
  std::string name, file, kind;
  uint32_t line = 0;
  bool is_generator = false;
};

struct BoxCounter {
  std::string name;
  uint64_t value = 0;
};

// An incident of a session's process (layout.h): a fatal signal, or memory that was refused.
struct BoxIncident {
  int32_t signal = 0, code = 0;  // 0: memory was refused
  uint64_t asked_bytes = 0, virtual_bytes = 0, resident_bytes = 0, limit_bytes = 0;
  int64_t time_ms = 0;
  uint32_t stack = 0;  // index + 1 into stacks; 0 = none
};

struct BoxSession {
  int64_t task_attempt_id = -1;
  int32_t stage_id = -1, stage_attempt = -1, partition = -1, attempt_number = -1;
  uint64_t number = 0;
  bool closed = false, checksum_ok = false;
  int64_t opened_ms = 0, closed_ms = 0;  // opened: when its task became known
  int64_t looked_ms = 0;                 // when the pages of all its large blocks were last looked up; 0: never
  uint64_t live_bytes = 0, live_peak_bytes = 0, allocated_bytes = 0, rss_at_open_bytes = 0, rss_max_bytes = 0;
  uint32_t skipped_records = 0;  // torn or corrupt records without a good copy; their figures are missing here
  std::vector<BoxFrame> frames;
  std::vector<BoxStackNode> stacks;
  std::vector<BoxSite> sites;
  std::vector<BoxUdf> udfs;
  std::vector<BoxCounter> counters;  // the owner's, and those of the box's own bounds that aren't zero: droppedSites, ...
  std::vector<BoxIncident> incidents;
};

// The composition of the process's resident memory at one moment (resident/rss_rows.h): the last one at which it was larger than
// ever before. Rows don't overlap.
struct RssRows {
  struct Row {
    std::string name;
    uint64_t bytes = 0;
  };

  uint64_t rss_bytes = 0;  // of the process, when they were measured
  int64_t time_ms = 0;     // since the epoch
  std::vector<Row> rows;
};

struct BoxIdentity {
  std::string application_id, executor_id, boot_id, python_version;
  int32_t pid = 0;
  bool started_by_task = false;      // not a worker, but a process that a task has started
  uint64_t process_start_ticks = 0;  // field 22 of /proc/pid/stat
  uint64_t interval_bytes = 0;
};

class BoxReader {
 public:
  // Opens with O_NOFOLLOW, refuses files that aren't regular, ours, 0600 and of a known version. kNotFound: it is gone, or its
  // owner is still making it.
  static Result<BoxReader> Open(const std::string& path);
  BoxReader(BoxReader&&) noexcept;
  BoxReader& operator=(BoxReader&&) noexcept;
  ~BoxReader();

  const BoxIdentity& identity() const;
  const BoxWork& work() const;  // so far
  Status WorthIt() const;       // kExhausted: given up, and why
  bool OwnerAlive() const;      // the OFD lock is held

  struct SessionKey {
    uint64_t number;
    int64_t task_attempt_id;
    bool closed, acknowledged;
  };
  std::vector<SessionKey> Sessions() const;  // cheap: for scanning; in the order of their numbers, the process-level one included
  // For a torn record its last good copy is used. For an open session this is the state of one moment; a few attempts are made to
  // read peak and sites that agree. kNotFound: no such session (any more); kIo: the file was cut short; kExhausted: the box was given up.
  Result<BoxSession> ReadSession(uint64_t number) const;
  // kNotFound: none were measured, or they are not consistent. kIo: the file was truncated.
  Result<RssRows> ReadRssRows() const;
  // Native frames in the order in which they were first seen: those after `*mark`, which is then advanced. All of them again when
  // the box has emptied its tables. Cheap when there is nothing new.
  struct FrameMark {
    uint32_t intern_epoch = 0, frames = 0;
  };
  std::vector<BoxFrame> NewNativeFrames(FrameMark* mark) const;
  // The writer may now reuse this closed session. kNotFound: no closed session of that number.
  Status Acknowledge(uint64_t number);

 private:
  struct Impl;
  explicit BoxReader(Impl* impl);
  Impl* impl_;
};

// Paths of all boxes of an application in a directory (any executor), unsorted; unreadable directories give an empty list.
std::vector<std::string> ListBoxes(const std::string& directory, const std::string& application_id);

}  // namespace memprof
