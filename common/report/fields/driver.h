// Field lists of what the driver knows about the application's data: cached data, broadcast variables, results.
#pragma once

#include "report/fields/field_list.h"
#include "report/model.h"
#include "report/words.h"

namespace memprof {

void Fields(Is<ReportCachedShare> auto& share, auto& visit) {
  visit.Value("id", share.executor_id);
  visit.Value("memoryBytes", share.memory_bytes);
  visit.Value("diskBytes", share.disk_bytes);
}

void Fields(Is<ReportCachedData> auto& cached, auto& visit) {
  visit.Value("rddId", cached.rdd_id);
  visit.OrNull("name", cached.name);
  visit.OrNull("callSite", cached.call_site);
  visit.OrNull("storageLevel", cached.storage_level);
  visit.ValueIf(!cached.storage_level.empty(), "deserialized", cached.deserialized);
  visit.OrNull("serializer", cached.serializer);
  visit.WordIf(!cached.storage_level.empty(), "mode", cached.off_heap, ModeWord, IsOffHeapWord);
  visit.OrNull("partitions", cached.partitions);
  visit.Value("blocks", cached.blocks);
  visit.Value("memoryBytes", cached.memory_bytes);
  visit.Value("diskBytes", cached.disk_bytes);
  visit.Value("peakBlocks", cached.peak_blocks);
  visit.OrAbsent("peakPartitions", cached.peak_partitions);
  visit.Value("peakMemoryBytes", cached.peak_memory_bytes);
  visit.Value("peakDiskBytes", cached.peak_disk_bytes);
  visit.List("executors", cached.executors);
}

void Fields(Is<ReportBroadcast> auto& broadcast, auto& visit) {
  visit.Value("id", broadcast.id);
  visit.Value("bytes", broadcast.bytes);
  visit.Value("peakMemoryBytes", broadcast.peak_memory_bytes);
  visit.Value("peakDiskBytes", broadcast.peak_disk_bytes);
  visit.Value("memoryBytes", broadcast.memory_bytes);
  visit.Value("driverPeakBytes", broadcast.driver_peak_bytes);
}

void Fields(Is<ReportStageResults> auto& row, auto& visit) {
  visit.Value("stageId", row.stage_id);
  visit.Value("jobId", row.job_id);
  visit.Word("purpose", row.broadcast, PurposeWord, IsBroadcastWord);
  visit.Value("tasks", row.tasks);
  visit.OrNull("partitions", row.partitions);
  visit.Value("resultBytes", row.result_bytes);
  visit.Value("largestResultBytes", row.largest_result_bytes);
}

void Fields(Is<ReportPlace> auto& place, auto& visit) {
  visit.Value("file", place.file);
  visit.Value("line", place.line);
}

void Fields(Is<ReportAction> auto& action, auto& visit) {
  visit.Ids("jobs", action.jobs);
  visit.Ids("stages", action.stages);
  visit.OrNull("queryId", action.query_id);
  visit.OrNull("callSite", action.call_site);
  visit.OrNull("function", action.function);
  visit.OrNull("file", action.file);
  visit.LineOrNull("line", action.line);
  visit.List("builtAt", action.built_at);
  visit.OrNull("description", action.description);
  visit.Value("status", action.status);
  visit.OrNull("failureReason", action.failure_reason);
  visit.Value("startedMs", action.started_ms);
  visit.OrNull("endedMs", action.ended_ms);
  visit.Value("resultTasks", action.result_tasks);
  visit.OrNull("resultRows", action.result_rows);
  visit.Value("resultBytes", action.result_bytes);
  visit.Value("broadcastBytes", action.broadcast_bytes);
  visit.OrNull("broadcastRows", action.broadcast_rows);
  visit.List("results", action.results);
}

void Fields(Is<ReportOtherActions> auto& others, auto& visit) {
  visit.Value("actions", others.actions);
  visit.Value("resultTasks", others.result_tasks);
  visit.Value("resultBytes", others.result_bytes);
  visit.Value("broadcastBytes", others.broadcast_bytes);
}

void Fields(Is<ReportDriver> auto& driver, auto& visit) {
  visit.OrNull("maxResultBytes", driver.max_result_bytes);
  visit.List("actions", driver.actions);
  visit.ObjectOrNull("otherActions", driver.other_actions);
}

}  // namespace memprof
