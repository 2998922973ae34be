// NativeNamer: the one low-priority thread that turns native frames (module, build id, offset) into function names, while the
// modules can still be opened. It looks through this executor's black boxes twice a second and names what it has not seen;
// frames of profiles that were sent before their names were known are named next and sent after them.
//
// Budget: 100 ms CPU a minute, a second of it saved up at most; when it is used up, rounds are skipped. Names are kept in
// NativeNames (16 MiB). It also tells which task each worker served last. Thread-safe; Start and Stop not against each other.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "agent/background_thread.h"
#include "naming/native_names.h"
#include "profile/executor_boxes.h"
#include "proto/memprof.pb.h"

namespace memprof {

struct NativeNamerOptions {
  BoxPlace boxes;
  std::function<void(int32_t pid, int64_t task_attempt_id)> last_task;
  std::function<void(proto::Symbols)> send;
};

class NativeNamer {
 public:
  explicit NativeNamer(NativeNames* names) : names_(names) {}

  Status Start(NativeNamerOptions options);
  void Stop();  // names and sends what is still wanted

  // Frames of a profile that is on its way without their names. Each is answered once, with "" when its module has no name
  // for it, so that the driver needn't wait for it.
  void Want(const std::vector<NativeFrame>& frames);

 private:
  using FrameSet = std::unordered_set<NativeFrame, NativeFrameHash>;
  static constexpr size_t kMostWanted = 16384;

  std::chrono::milliseconds Round();
  void SendWanted();
  void LookThroughBoxes(FrameSet* unnamed);
  void NameAll(const FrameSet& frames);
  bool Affordable() const;

  NativeNames* names_;
  NativeNamerOptions options_;
  std::mutex mutex_;
  FrameSet wanted_, answered_;  // guarded by mutex_

  // Of the thread.
  std::map<std::string, std::pair<uint64_t, bool>> seen_;  // box path -> its latest session, closed
  std::chrono::steady_clock::time_point looked_at_;
  int64_t started_ns_ = 0, spent_ns_ = 0;

  BackgroundThread thread_;
};

}  // namespace memprof
