// Field lists of what went wrong: deaths, leaks, and what is worth changing.
#pragma once

#include "report/fields/executors.h"

namespace memprof {

void Fields(Is<ReportAdvice> auto& advice, auto& visit) {
  visit.OrNull("conf", advice.conf);
  visit.OrNull("from", advice.from);
  visit.OrNull("to", advice.to);
  visit.Value("because", advice.because);
}

void Fields(Is<ReportFinding> auto& finding, auto& visit) {
  visit.Value("headline", finding.headline);
  visit.OrNull("stageId", finding.stage_id);
  visit.OrNull("attempt", finding.attempt);
  visit.List("advice", finding.advice);
  visit.OrNull("executorId", finding.executor_id);
}

void Fields(Is<ReportAddressSpace> auto& space, auto& visit) {
  visit.OrNull("limitBytes", space.limit_bytes);
  visit.Value("virtualBytes", space.virtual_bytes);
  visit.Value("residentBytes", space.resident_bytes);
  visit.Value("refusedBytes", space.refused_bytes);
}

void Fields(Is<ReportRegionUse> auto& region, auto& visit) {
  visit.Value("name", region.name);
  visit.OrNull("budgetBytes", region.budget_bytes);
  visit.OrNull("bytes", region.bytes);
}

void Fields(Is<ReportPostMortem> auto& death, auto& visit) {
  visit.Value("executorId", death.executor_id);
  visit.Value("process", death.process);
  visit.OrNull("pid", death.pid);
  visit.OrNull("startTicks", death.start_ticks);
  visit.OrNull("exitCode", death.exit_code);
  visit.Value("how", death.how);
  visit.Value("headline", death.headline);
  visit.OrNull("reason", death.reason);
  visit.Value("outOfMemory", death.out_of_memory);
  visit.Value("unknown", death.unknown);
  visit.Value("survived", death.survived);
  visit.Value("startedByTask", death.started_by_task);
  visit.OrNull("program", death.program);
  visit.Value("timeMs", death.time_ms);
  visit.OrNull("limitBytes", death.limit_bytes);
  visit.OrNull("usedBytes", death.used_bytes);
  visit.OrNull("lastSampleAgeMs", death.last_sample_age_ms);
  visit.OrNull("stageId", death.stage_id);
  visit.OrNull("taskAttemptId", death.task_attempt_id);
  visit.OrNull("sitesOfAttempt", death.sites_of_attempt);
  visit.OrNull("jobId", death.job_id);
  visit.OrNull("action", death.action);
  visit.ObjectOrNull("addressSpace", death.address_space);
  visit.List("stack", death.stack);
  visit.List("processes", death.processes, ProcessForm::kAtAMoment);
  visit.List("regions", death.regions);
  visit.List("sites", death.sites);
  visit.ObjectOrNull("retained", death.retained);
  visit.ObjectOrNull("heap", death.heap);
  visit.List("advice", death.advice);
}

void Fields(Is<ReportOtherDeath> auto& death, auto& visit) {
  visit.Value("key", death.key);
  visit.Value("timeMs", death.time_ms);
  visit.Value("executorId", death.executor_id);
  visit.Value("outOfMemory", death.out_of_memory);
  visit.Value("headline", death.headline);
  visit.TrueOrAbsent("survived", death.survived);
}

void Fields(Is<ReportLeakWorker> auto& worker, auto& visit) {
  visit.Value("executorId", worker.executor_id);
  visit.Value("pid", worker.pid);
  visit.Value("tasks", worker.tasks);
  visit.Value("tasksWithBytes", worker.tasks_with_bytes);
  visit.Value("perTaskBytes", worker.per_task_bytes);
  visit.Value("perTaskLowBytes", worker.per_task_low_bytes);
  visit.Value("perTaskHighBytes", worker.per_task_high_bytes);
  visit.Value("liveBytes", worker.live_bytes);
}

void Fields(Is<ReportLeak> auto& leak, auto& visit) {
  visit.Flat(leak.udf);
  visit.OrNull("function", leak.function);
  visit.OrNull("file", leak.file);
  visit.LineOrNull("line", leak.line);
  visit.Value("workers", leak.workers);
  visit.Value("liveBytes", leak.live_bytes);
  visit.Object("largest", leak.largest);
}

}  // namespace memprof
