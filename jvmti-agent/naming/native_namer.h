// NativeNamer: the one low-priority thread that turns native frames (module, build id, offset) into functions, files and lines,
// while the modules can still be opened. It reads this executor's black boxes twice a second and names new frames. Frames of
// profiles that were sent before their names were known are named next, and the names are sent later.
//
// Budget of naming: 100 ms CPU for each minute, and one second at the start. When it is used up, boxes wait, and requested frames
// are answered without a name, so that nobody waits for them. Lines are read while at least half a second is left, and where a
// module's debug information fits into 12 MiB. Results are kept in NativeNames (4 MiB). Thread-safe, except that Start and Stop
// must not run at the same time.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/background_thread.h"
#include "boxes/executor_boxes.h"
#include "naming/native_names.h"
#include "proto/memprof.pb.h"

namespace memprof {

struct NativeNamerOptions {
  BoxPlace boxes;
  std::function<void(proto::Symbols)> send;
};

class NativeNamer {
 public:
  explicit NativeNamer(NativeNames* names) : names_(names) {}

  Status Start(NativeNamerOptions options);
  void Stop();  // answers the open requests

  // Frames of a profile that is sent without their names. Each is answered once, with "" when its module has no name for it, so
  // that the driver needn't wait for it.
  void Want(const std::vector<NativeFrame>& frames);

  // Modules whose lines were not read, or not all: too much debug information, or no time for it.
  uint64_t modules_without_lines() const { return modules_without_lines_; }

 private:
  using FrameSet = std::unordered_set<NativeFrame, NativeFrameHash>;
  static constexpr size_t kMostWanted = 16384;

  std::chrono::milliseconds Round();
  void SendWanted();
  void LookThroughBoxes(FrameSet* unnamed);
  void NameAll(const FrameSet& frames, const std::atomic<bool>* enough = nullptr);
  void CountWithoutLines(const std::string& module);
  int64_t Affordable() const;  // ns of CPU; 0: used up

  NativeNames* names_;
  NativeNamerOptions options_;
  std::mutex mutex_;
  FrameSet wanted_, answered_;  // guarded by mutex_
  std::atomic<uint64_t> modules_without_lines_{0};
  std::atomic<bool> stopping_{false};  // names that nobody waits for are skipped: on a busy machine each takes seconds

  // Of the thread.
  std::map<std::string, BoxReader::FrameMark> seen_;  // box path -> the frames that have been looked at
  std::chrono::steady_clock::time_point looked_at_;
  std::set<std::string> without_lines_;
  int64_t started_ns_ = 0, spent_ns_ = 0;

  BackgroundThread thread_;
};

}  // namespace memprof
