// Field lists of executors, their processes and their heaps.
#pragma once

#include "report/fields/sites.h"
#include "report/fields/stages.h"

namespace memprof {

void Fields(Is<ReportNamedBytes> auto& row, auto& visit) {
  visit.Value("name", row.name);
  visit.Value("bytes", row.bytes);
}

void Fields(Is<ReportImport> auto& module, auto& visit) {
  visit.Value("name", module.name);
  visit.Value("liveBytes", module.live_bytes);
  visit.Value("withImportsBytes", module.with_imports_bytes);
}

void Fields(Is<ReportBaseline> auto& baseline, auto& visit) {
  visit.Value("startRssBytes", baseline.start_rss_bytes);
  visit.OrNull("firstTaskRssBytes", baseline.first_task_rss_bytes);
  visit.List("modules", baseline.modules);
}

enum class ProcessForm : bool { kOverItsLife, kAtAMoment };

void Fields(Is<ReportProcess> auto& process, auto& visit, ProcessForm form) {
  const bool life = form == ProcessForm::kOverItsLife;
  visit.Value("pid", process.pid);
  visit.OrNull("startTicks", process.start_ticks);
  visit.Value("kind", process.kind);
  visit.OrNull("name", process.name);
  visit.Value(life ? "peakRssBytes" : "bytes", process.peak_rss_bytes);
  visit.List(life ? "peakRows" : "rows", process.rows);
  if (visit.Shows(life)) visit.OrNull("peakRowsRssBytes", process.rows_rss_bytes);
  visit.Value("unattributedBytes", process.unattributed_bytes);
  visit.OrNull("lastTaskAttemptId", process.last_task_attempt_id);
  if (visit.Shows(life)) {
    visit.Value("alive", process.alive);
    visit.ObjectOrNull("baseline", process.baseline);
  }
}

void Fields(Is<ReportMoment> auto& moment, auto& visit) {
  visit.Value("timeMs", moment.time_ms);
  visit.Value("usedBytes", moment.used_bytes);
  visit.List("regions", moment.regions);
  visit.List("processes", moment.processes, ProcessForm::kAtAMoment);
  visit.Ids("activeTasks", moment.active_tasks);
  visit.Derived("sites", [] { return nullptr; });
  visit.OrNull("sharedBytes", moment.shared_bytes);
  visit.OrNull("sharedAgeMs", moment.shared_age_ms);
  visit.Value("unattributedBytes", moment.unattributed_bytes);
}

void Fields(Is<ReportRegion> auto& region, auto& visit) {
  visit.Value("name", region.name);
  visit.OrNull("budgetBytes", region.budget_bytes);
  visit.OrNull("peakBytes", region.peak_bytes);
}

void Fields(Is<ReportSparkPool> auto& pool, auto& visit) {
  Fields(pool.last, visit);
  visit.Value("lastMs", pool.last_ms);
  visit.Value("storagePoolBytes", pool.storage_pool_bytes);
  visit.Value("storagePeakBytes", pool.storage_peak_bytes);
  visit.Value("executionPeakBytes", pool.execution_peak_bytes);
  visit.OrNull("storageBorrowedPeakBytes", pool.storage_borrowed_peak_bytes);
  visit.OrNull("executionBorrowedPeakBytes", pool.execution_borrowed_peak_bytes);
  visit.OrNull("unevictablePeakBytes", pool.unevictable_peak_bytes);
}

void Fields(Is<ReportRetainedSite> auto& site, auto& visit) {
  visit.Derived("origin", [] { return OriginWord(Origin::kJvmHeap); });
  visit.Value("retainedBytes", site.retained_bytes);
  visit.Value("objects", site.objects);
  visit.OrNull("errorBytes", site.error_bytes);
  visit.OrNull("stageId", site.stage_id);
  visit.OrNull("stageAttempt", site.stage_attempt);
  visit.OrNull("thread", site.thread);
  visit.List("frames", site.frames);
}

void Fields(Is<ReportRetained> auto& retained, auto& visit) {
  visit.Value("timeMs", retained.time_ms);
  visit.Value("collection", retained.collection);
  visit.Value("heapUsedAfterBytes", retained.heap_used_after_bytes);
  visit.OrNull("heapMaxBytes", retained.heap_max_bytes);
  visit.Value("totalBytes", retained.total_bytes);
  visit.OrNull("errorBytes", retained.error_bytes);
  visit.List("sites", retained.sites);
  visit.Value("otherSites", retained.other_sites);
  visit.Value("otherBytes", retained.other_bytes);
}

void Fields(Is<ReportLeftSite> auto& site, auto& visit) {
  visit.Word("origin", site.origin, OriginWord, OriginOfWord);
  visit.Value("bytes", site.bytes);
  visit.Value("blocks", site.blocks);
  visit.OrNull("errorBytes", site.error_bytes);
  visit.OrNull("stageId", site.stage_id);
  visit.OrNull("thread", site.thread);
  visit.List("frames", site.frames);
}

void Fields(Is<ReportLeftMemory> auto& left, auto& visit) {
  visit.Value("timeMs", left.time_ms);
  visit.Value("totalBytes", left.total_bytes);
  visit.List("sites", left.sites);
  visit.Value("otherBytes", left.other_bytes);
}

void Fields(Is<ReportHeapClass> auto& each, auto& visit) {
  visit.Value("name", each.name);
  visit.Value("bytes", each.bytes);
  visit.Value("objects", each.objects);
}

void Fields(Is<ReportHeapShortage> auto& heap, auto& visit) {
  visit.Value("timeMs", heap.time_ms);
  visit.OrNull("error", heap.error);
  visit.OrNull("thread", heap.thread);
  visit.Value("errors", heap.errors);
  visit.OrNull("totalBytes", heap.total_bytes);
  visit.OrNull("totalObjects", heap.total_objects);
  visit.Value("cutShort", heap.cut_short);
  visit.List("classes", heap.classes);
  visit.Value("otherClasses", heap.other_classes);
  visit.Value("otherBytes", heap.other_bytes);
  visit.List("regions", heap.regions);
}

// How often a collector ran for one cause.
void Fields(Is<std::pair<std::string, uint64_t>> auto& cause, auto& visit) {
  visit.Value("cause", cause.first);
  visit.Value("collections", cause.second);
}

void Fields(Is<ReportCollector> auto& collector, auto& visit) {
  visit.Value("collector", collector.collector);
  visit.Value("stopsTheWorld", collector.stops_the_world);
  visit.Value("collections", collector.collections);
  visit.Value("totalMs", collector.total_ms);
  visit.Rounded("percent", collector.percent);
  visit.Value("longestMs", collector.longest_ms);
  visit.Value("longestBeforeBytes", collector.longest_before_bytes);
  visit.Value("longestAfterBytes", collector.longest_after_bytes);
  visit.Value("lastBeforeBytes", collector.last_before_bytes);
  visit.Value("lastAfterBytes", collector.last_after_bytes);
  visit.Entries("causes", collector.causes);
}

void Fields(Is<ReportHeapUse> auto& use, auto& visit) {
  visit.Value("bytes", use.bytes);
  visit.Value("collection", use.collection);
  visit.Value("timeMs", use.time_ms);
  visit.Value("wholeHeap", use.whole_heap);
}

void Fields(Is<ReportSwap> auto& swap, auto& visit) {
  visit.Value("peakBytes", swap.peak_bytes);
  visit.Value("besideJvmBytes", swap.beside_jvm_bytes);
  visit.Value("leftBytes", swap.left_bytes);
}

void Fields(Is<ReportExecutor> auto& executor, auto& visit) {
  visit.Value("id", executor.id);
  visit.OrNull("host", executor.host);
  visit.OrNull("cores", executor.cores);
  visit.OrNull("limitBytes", executor.limit_bytes);
  visit.OrNull("limitSource", executor.limit_source);
  visit.Value("limitShared", executor.limit_shared);
  visit.Value("limitEnforced", executor.limit_enforced);
  visit.Value("limitUnseen", executor.limit_unseen);
  visit.Value("killsItselfOnOutOfMemory", executor.kills_itself_on_out_of_memory);
  visit.OrNull("requestedBytes", executor.requested_bytes);
  visit.OrNull("hostMemoryBytes", executor.host_memory_bytes);
  visit.Value("hostIsGroup", executor.host_is_group);
  visit.ObjectOrNull("swap", executor.swap);
  visit.OrNull("heapMaxBytes", executor.heap_max_bytes);
  visit.ObjectOrNull("heapAfterGc", executor.heap_after_gc);
  visit.ObjectOrNull("heapAfterGcPeak", executor.heap_after_gc_peak);
  visit.OrNull("directPeakBytes", executor.direct_peak_bytes);
  visit.List("regions", executor.regions);
  visit.List("sparkMemory", executor.spark_pools);
  visit.OrNull("unrollPeakBytes", executor.unroll_peak_bytes);
  visit.List("processes", executor.processes, ProcessForm::kOverItsLife);
  visit.ObjectOrNull("atPeak", executor.at_peak);
  visit.TimeLine("timeline", executor.time_line);
  visit.ObjectOrNull("retained", executor.retained);
  visit.ObjectOrNull("offHeapOfNoTask", executor.left_off_heap);
  visit.ObjectOrNull("nativeOfNoTask", executor.left_native);
  visit.ObjectOrNull("nearlyFullHeap", executor.nearly_full_heap);
  visit.List("gc", executor.gc);
  visit.OrNull("gcStoppedMs", executor.gc_stopped_ms);
  visit.Rounded("gcPercent", executor.gc_percent);
  visit.OrNull("addedMs", executor.added_ms);
  visit.OrNull("removedMs", executor.removed_ms);
  visit.OrNull("removedReason", executor.removed_reason);
  visit.OrNull("javaVersion", executor.java_version);
  visit.OrNull("agentLoaded", executor.agent_loaded);
}

}  // namespace memprof
