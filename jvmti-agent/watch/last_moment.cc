#include "watch/last_moment.h"

#include "base/clock.h"
#include "watch/describe_process.h"

namespace memprof {

proto::Moment LastMoment(const ProcessWatch& processes, uint64_t used) {
  proto::Moment moment;
  const Instant now = Now();
  moment.set_time_ms(now.time_ms);
  moment.set_clock_ms(now.clock_ms);
  moment.set_used_bytes(used);
  uint64_t sum = 0;
  for (const auto& [pid, process] : processes.living()) {
    if (process.rss_bytes == 0) continue;
    proto::Process* message = moment.add_processes();
    Identify(process, message);
    message->set_peak_rss_bytes(process.rss_bytes);
    sum += process.rss_bytes;
  }
  moment.set_unattributed_bytes(static_cast<int64_t>(used) - static_cast<int64_t>(sum));
  return moment;
}

}  // namespace memprof
