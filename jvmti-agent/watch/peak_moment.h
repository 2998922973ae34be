// PeakMoment: the moment of the largest use, as a message: which process held how much. Used by the watcher's thread only.
//
// A cgroup counts shared pages once, the sum of RSS as often as they are mapped, and one cgroup may be around another: uses of different
// measures can't be compared, so each begins a peak of its own, which replaces that before.
//
// Processes are always in RSS. What they share is RSS - PSS, as last read, for PSS costs too much for each maximum (pss_budget.h). A
// maximum less than 1 % above the last one whose processes were read is read again only if that takes at most a thousandth of the time.
// Otherwise the processes read before stay, and the growth since then is unattributed.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "proto/memprof.pb.h"
#include "system/proc_files.h"
#include "watch/process_watch.h"
#include "watch/pss_budget.h"

namespace memprof {

class PeakMoment {
 public:
  // What else belongs to a moment.
  struct Scene {
    google::protobuf::RepeatedPtrField<proto::NamedBytes> regions;
    std::vector<int64_t> tasks;  // running
  };

  static constexpr int kMostUnfit = 100;  // looks; there are some each second

  // What use is measured of from now on: the folder of a cgroup, or "", the sum of RSS. True: a new peak begins. The sum of RSS after a
  // cgroup, which can't be read then, begins one only when it has come kMostUnfit times on end, and raises none before.
  bool Follow(const std::string& measured);
  bool IsBelow(uint64_t used) const { return unfit_ == 0 && used > used_; }
  void Raise(uint64_t used, const ProcessWatch& processes, const Scene& scene);  // `used` is larger than used_bytes()
  uint64_t used_bytes() const { return used_; }                                  // the largest so far
  const proto::Moment& message() const { return message_; }

 private:
  using Clock = std::chrono::steady_clock;

  void Read(uint64_t used, const ProcessWatch& processes, const Scene& scene);
  void ReadProcess(const WatchedProcess& process, proto::Process* message) const;
  void ReadShared(const ProcessWatch& processes);

  ProcFiles proc_;
  proto::Moment message_;
  std::optional<std::string> measured_;  // absent: nothing yet
  int unfit_ = 0;                        // how often on end what was measured could not be compared with the peak
  uint32_t measure_ = 0;                 // how often that has changed
  uint64_t used_ = 0, read_used_ = 0;    // read_used_: the largest whose processes were read
  std::optional<uint64_t> shared_;
  PssBudget pss_;
};

}  // namespace memprof
