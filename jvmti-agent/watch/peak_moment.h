// PeakMoment: the moment of the largest use, as a message: which process held how much. Used by the watcher's thread only.
//
// Processes are always in RSS. What they share is RSS - PSS, as last read: PSS costs 20 ms per GB, so it is read at most once a second
// and for at most 2 % of the time. A maximum less than 1 % above the last one whose processes were read is read again only if that
// takes at most a thousandth of the time. Otherwise the processes read before stay, and the growth since then is unattributed.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "proto/memprof.pb.h"
#include "system/proc_files.h"
#include "watch/process_watch.h"

namespace memprof {

class PeakMoment {
 public:
  // What else belongs to a moment.
  struct Scene {
    bool of_cgroup = false;  // `used` is a cgroup's, which counts shared pages once; else it is the sum of RSS
    google::protobuf::RepeatedPtrField<proto::NamedBytes> regions;
    std::vector<int64_t> tasks;  // running
  };

  void Raise(uint64_t used, const ProcessWatch& processes, const Scene& scene);  // `used` is larger than used_bytes()
  uint64_t used_bytes() const { return used_; }                                  // the largest so far
  const proto::Moment& message() const { return message_; }

 private:
  using Clock = std::chrono::steady_clock;

  void Read(uint64_t used, const ProcessWatch& processes, const Scene& scene);
  bool MayReadPss(int share) const;
  void ReadProcess(const WatchedProcess& process, proto::Process* message) const;
  void ReadShared(const ProcessWatch& processes);

  ProcFiles proc_;
  proto::Moment message_;
  uint64_t used_ = 0, read_used_ = 0;  // read_used_: the largest whose processes were read
  std::optional<uint64_t> shared_;
  Clock::time_point pss_at_;
  Clock::duration pss_cost_{};
};

}  // namespace memprof
