// DeathWriter's post-mortem of the driver's own Python, as its JVM saw it die. What its lines held is in no report then.
#include "advice/driver_process.h"
#include "postmortem/death_writer.h"
#include "postmortem/headlines.h"
#include "report/verdict.h"

namespace memprof {

ReportPostMortem DeathWriter::OfDriversPython(const ReportExecutor& executor, const ExecutorFacts& facts, const proto::WorkerDeath& python,
                                              DeathDetail detail) {
  ReportPostMortem death;
  death.executor_id = executor.id;
  death.process = "python-driver";
  DeathEvidence evidence = PutProcess(executor, facts, python, detail, death);
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
                                      .of_host = verdict.of_host,
                                      .host_memory_bytes = executor.host_memory_bytes.value_or(0),
                                      .host_is_group = executor.host_is_group,
                                      .limit_is_hosts = evidence.limit_is_hosts,
                                      .limit_is_unseen = evidence.limit_is_unseen,
                                      .heap_max_bytes = executor.heap_max_bytes,
                                      .heap_resident_bytes = ResidentHeap(executor).value_or(0),
                                      .container = DriversContainerOf(executor, &state_.configuration)});
  return death;
}

}  // namespace memprof
