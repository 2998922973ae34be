// Field lists of stages, their tasks, and what these had of Spark's memory.
#pragma once

#include "report/fields/sites.h"

namespace memprof {

void Fields(Is<ReportPoolMoment> auto& moment, auto& visit) {
  visit.Word("mode", moment.off_heap, ModeWord, IsOffHeapWord);
  visit.Value("maxBytes", moment.max_bytes);
  visit.OrNull("storageRegionBytes", moment.storage_region_bytes);
  visit.Value("storageBytes", moment.storage_bytes);
  visit.Value("executionBytes", moment.execution_bytes);
}

void Fields(Is<ReportMemoryConsumer> auto& consumer, auto& visit) {
  visit.Value("name", consumer.name);
  visit.OrNull("operation", consumer.operation);
  visit.Word("mode", consumer.off_heap, ModeWord, IsOffHeapWord);
  visit.Value("tasks", consumer.tasks);
  visit.Value("peakBytes", consumer.peak_bytes);
}

void Fields(Is<ReportStageMemory> auto& memory, auto& visit) {
  visit.List("consumers", memory.consumers);
  visit.OrNull("peakExecutionBytes", memory.peak_execution_bytes);
  visit.OrNull("spilledMemoryBytes", memory.spilled_memory_bytes);
  visit.OrNull("spilledDiskBytes", memory.spilled_disk_bytes);
  visit.Value("tasksSpilled", memory.tasks_spilled);
  visit.List("fullest", memory.fullest);
}

void Fields(Is<ReportDistribution> auto& distribution, auto& visit) {
  visit.WordOrNoRow("figure", distribution.figure, TaskFigureWord, TaskFigureOfWord);
  visit.Value("tasks", distribution.tasks);
  visit.Value("least", distribution.quantiles[0]);
  visit.Value("lowerQuartile", distribution.quantiles[1]);
  visit.Value("median", distribution.quantiles[2]);
  visit.Value("upperQuartile", distribution.quantiles[3]);
  visit.Value("largest", distribution.quantiles[4]);
  visit.Rounded("skew", distribution.skew);
}

void Fields(Is<ReportTaskError> auto& error, auto& visit) {
  visit.Value("message", error.message);
  visit.Value("tasks", error.tasks);
}

void Fields(Is<ReportOtherAttempts> auto& other, auto& visit, bool with_sites) {
  visit.Value("tasks", other.tasks);
  visit.Value("failed", other.failed);
  visit.Value("killed", other.killed);
  visit.Value("lost", other.lost);
  visit.Value("superseded", other.superseded);
  visit.Value("unknown", other.unknown);
  visit.List("errors", other.errors);
  visit.OrAbsent("otherErrorTasks", other.other_error_tasks);
  GroupFields(other, visit, with_sites);
}

// Which parts of a stage are shown: its sites, lines and single tasks, or none of these; and how many of its tasks at most.
struct StageForm {
  bool with_sites = true;
  size_t task_rows = SIZE_MAX;
};

void Fields(Is<ReportStage> auto& stage, auto& visit, StageForm form) {
  visit.Value("stageId", stage.stage_id);
  visit.Value("attempt", stage.attempt);
  visit.OrNull("name", stage.name);
  visit.OrNull("callSite", stage.call_site);
  visit.Value("status", stage.status);
  visit.OrNull("failureReason", stage.failure_reason);
  visit.OrNull("submittedMs", stage.submitted_ms);
  visit.OrNull("completedMs", stage.completed_ms);
  visit.OrNull("partitions", stage.partitions);
  visit.Value("tasks", stage.tasks);
  visit.Value("profiledTasks", stage.profiled_tasks);
  visit.Value("partialTasks", stage.partial_tasks);
  visit.List("distributions", stage.distributions);
  visit.Rounded("gcPercent", stage.gc_percent);
  if (visit.Shows(form.with_sites)) visit.TaskRows("taskRows", stage, form.task_rows);
  visit.Object("sparkMemory", stage.memory);
  GroupFields(stage, visit, form.with_sites);
  visit.Object("otherAttempts", stage.other_attempts, form.with_sites);
}

}  // namespace memprof
