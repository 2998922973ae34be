#include "watch/describe_process.h"

#include "profile/rss_message.h"

namespace memprof {

void Identify(const WatchedProcess& process, proto::Process* message) {
  message->set_pid(process.pid);
  message->set_start_ticks(process.start_ticks);
  message->set_kind(NameOf(process.kind));
  if (!process.name.empty()) message->set_name(process.name);
  message->set_alive(process.alive);
  if (process.last_task_attempt_id) message->set_last_task_attempt_id(*process.last_task_attempt_id);
}

void Describe(const WatchedProcess& process, bool withheld, proto::Process* message) {
  Identify(process, message);
  message->set_peak_rss_bytes(process.peak_bytes);
  if (process.rows) {
    AddRssRows(*process.rows, message);
  } else {
    AddNamedBytes("RssAnon", process.peak_anon_bytes, message->mutable_peak_rows());
    AddNamedBytes("RssFile", process.peak_file_bytes, message->mutable_peak_rows());
    AddNamedBytes("RssShmem", process.peak_shmem_bytes, message->mutable_peak_rows());
    message->set_unattributed_bytes(process.unattributed_bytes());
  }
  if (process.baseline) AddBaseline(*process.baseline, withheld, message);
}

}  // namespace memprof
