#include "rollup/sent_deaths.h"

#include <string>

#include "base/cut_text.h"
#include "report/same_process.h"

namespace memprof {
namespace {

constexpr size_t kMostText = 200;

std::string Cut(const std::string& text) { return std::string(CutText(text, kMostText)); }

}  // namespace

proto::WorkerDeath WorkerDeathRules::Shortened(const proto::WorkerDeath& death) {
  proto::WorkerDeath brief;
  brief.set_time_ms(death.time_ms());
  brief.set_pid(death.pid());
  brief.set_start_ticks(death.start_ticks());
  brief.set_task_attempt_id(death.task_attempt_id());
  brief.set_stage_id(death.stage_id());
  brief.set_stage_attempt(death.stage_attempt());
  brief.set_partition(death.partition());
  if (death.has_oom_kills()) brief.set_oom_kills(death.oom_kills());
  brief.set_counted_on_host(death.counted_on_host());
  brief.set_outlived_kill_ms(death.outlived_kill_ms());
  if (death.has_limit_bytes()) brief.set_limit_bytes(death.limit_bytes());
  brief.set_live_bytes(death.live_bytes());
  brief.set_allocated_bytes(death.allocated_bytes());
  brief.set_signal(death.signal());
  brief.set_started_by_task(death.started_by_task());
  if (death.has_program()) brief.set_program(death.program());
  brief.set_drivers_own(death.drivers_own());
  if (!death.has_before()) return brief;
  proto::Moment& before = *brief.mutable_before();
  before.set_time_ms(death.before().time_ms());
  before.set_used_bytes(death.before().used_bytes());
  if (death.before().has_host_available_bytes()) before.set_host_available_bytes(death.before().host_available_bytes());
  for (const proto::Process& process : death.before().processes()) {
    if (!SameProcess(process, death)) continue;
    proto::Process& own = *before.add_processes();
    own.set_pid(process.pid());
    own.set_start_ticks(process.start_ticks());
    own.set_kind(Cut(process.kind()));
    own.set_name(Cut(process.name()));
    own.set_peak_rss_bytes(process.peak_rss_bytes());
    break;
  }
  return brief;
}

proto::HeapShortage HeapShortageRules::Shortened(const proto::HeapShortage& shortage) {
  proto::HeapShortage brief;
  brief.set_time_ms(shortage.time_ms());
  brief.set_error(Cut(shortage.error()));
  brief.set_ends_jvm(shortage.ends_jvm());
  brief.set_thread(Cut(shortage.thread()));
  brief.set_task_attempt_id(shortage.task_attempt_id());
  brief.set_stage_id(shortage.stage_id());
  brief.set_stage_attempt(shortage.stage_attempt());
  brief.set_partition(shortage.partition());
  brief.set_errors(shortage.errors());
  brief.set_jvm_pid(shortage.jvm_pid());
  brief.set_nearly_full(shortage.nearly_full());
  brief.set_of_jvm(shortage.of_jvm());
  if (shortage.has_last()) {
    brief.mutable_last()->set_time_ms(shortage.last().time_ms());
    brief.mutable_last()->set_used_bytes(shortage.last().used_bytes());
  }
  for (const proto::NamedBytes& region : shortage.regions()) {
    if (region.name() == "heap.usedAfterGc" || region.name() == "heap.max") *brief.add_regions() = region;
  }
  return brief;
}

}  // namespace memprof
