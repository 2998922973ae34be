// PeakMoment: the moment at which most was in use, as a message: who held how much then. Of the watcher's thread.
//
// Its processes are in PSS, which shares pages between forks; PSS costs 20 ms per GB, so it is read at most once a second and
// for at most 2 % of the time, and RSS takes its place otherwise. Of a maximum less than 1 % above the last one that was read,
// processes are read for a thousandth of the time at most; else it is the moment read before, the rest unattributed.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "proto/memprof.pb.h"
#include "system/proc_files.h"
#include "watch/news.h"
#include "watch/process_watch.h"

namespace memprof {

class PeakMoment {
 public:
  // What else there is to say of a moment.
  struct Scene {
    SparkMemoryUse spark;
    uint64_t offheap_bytes = 0;
    std::vector<int64_t> tasks;  // that run
  };

  void Raise(uint64_t used, const ProcessWatch& processes, const Scene& scene);  // `used` is larger than used_bytes()
  uint64_t used_bytes() const { return used_; }                                  // the largest so far
  const proto::Moment& message() const { return message_; }

 private:
  using Clock = std::chrono::steady_clock;

  void Read(uint64_t used, const ProcessWatch& processes, const Scene& scene);
  bool MayReadPss(int share) const;
  void ReadProcess(const WatchedProcess& process, bool with_pss, proto::Process* message) const;

  ProcFiles proc_;
  proto::Moment message_;
  uint64_t used_ = 0, read_used_ = 0;  // read: the largest whose processes were read
  Clock::time_point pss_at_;
  Clock::duration pss_cost_{};
};

}  // namespace memprof
