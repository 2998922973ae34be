// DeathWriter's post-mortem of the driver's own Python, as its JVM saw it die. What its lines held is in no report then.
#include <algorithm>

#include "advice/driver_process.h"
#include "postmortem/death_writer.h"
#include "postmortem/headlines.h"
#include "postmortem/killing_limit.h"
#include "report/verdict.h"

namespace memprof {

ReportPostMortem DeathWriter::OfDriversPython(const ReportExecutor& executor, const ExecutorFacts& facts, const proto::WorkerDeath& python,
                                              DeathDetail detail) {
  ReportPostMortem death;
  death.executor_id = executor.id;
  death.process = "python-driver";
  death.pid = python.pid();
  if (python.start_ticks() != 0) death.start_ticks = python.start_ticks();
  death.time_ms = facts.clock.ToDriver(python.time_ms());
  death.limit_bytes = python.has_limit_bytes() ? python.limit_bytes() : KillingLimit(executor);
  if (python.has_before()) {
    PutMoment(executor, python.before(), detail, death);
    death.last_sample_age_ms = std::max<int64_t>(0, python.time_ms() - python.before().time_ms());
  }
  DeathEvidence evidence;
  evidence.limit_bytes = death.limit_bytes;
  evidence.used_bytes = death.used_bytes;
  evidence.sample_age_ms = death.last_sample_age_ms;
  PutHost(executor, python.before(), evidence);
  if (python.has_limit_bytes()) evidence.limit_is_hosts = evidence.limit_is_unseen = false;
  if (python.has_oom_kills()) evidence.kernel_kills = python.oom_kills();
  evidence.counted_by = "the driver's JVM";
  evidence.seen_gone = true;
  const Verdict verdict = Judge(evidence);
  death.out_of_memory = verdict.out_of_memory;
  death.unknown = verdict.unknown;
  death.how = verdict.how;
  death.headline = DriversPythonHeadline(death, verdict);
  if (detail == DeathDetail::kInShort || !death.out_of_memory) return death;
  death.advice = AdviseDriverProcess({.of_python = true,
                                      .used_bytes = death.used_bytes,
                                      .limit_bytes = death.limit_bytes,
                                      .limit_is_hosts = evidence.limit_is_hosts,
                                      .limit_is_unseen = evidence.limit_is_unseen,
                                      .heap_max_bytes = executor.heap_max_bytes,
                                      .heap_resident_bytes = ResidentHeap(executor).value_or(0)});
  return death;
}

}  // namespace memprof
