// Field lists of call sites and of their sums.
#pragma once

#include "report/fields/field_list.h"
#include "report/json_null.h"
#include "report/model.h"
#include "report/titles.h"
#include "report/words.h"

namespace memprof {

void Fields(Is<ReportFrame> auto& frame, auto& visit) {
  visit.Word("language", frame.language, LanguageWord, LanguageOfWord);
  visit.OrNull("function", frame.function);
  visit.OrNull("file", frame.file);
  visit.LineOrNull("line", frame.line);
  visit.OrNull("module", frame.module);
  if (visit.Shows(frame.offset.has_value())) {
    visit.OrNull("offset", frame.offset);
    visit.OrNull("buildId", frame.build_id);
  }
}

void Fields(Is<ReportUdf> auto& udf, auto& visit) {
  visit.Derived("udf", [&] { return TextOrNull(UdfTitle(udf)); });
  visit.OrNull("udfKind", udf.kind);
  visit.OrNull("udfName", udf.name);
  visit.OrNull("udfFile", udf.file);
  visit.LineOrNull("udfLine", udf.line);
}

// Of a line, a site or a UDF.
void ByteFields(auto& row, auto& visit) {
  visit.Value("tasks", row.tasks);
  visit.Value("allocatedBytes", row.allocated_bytes);
  visit.Value("allocations", row.allocations);
  visit.OrNull("liveAtPeakBytes", row.live_at_peak_bytes);
  visit.OrNull("residentAtPeakBytes", row.resident_at_peak_bytes);
  visit.Value("residentInPart", row.resident_in_part);
  visit.OrAbsent("residentLaterBytes", row.resident_later_bytes);
  visit.OrNull("liveAtEndBytes", row.live_at_end_bytes);
}

void ErrorFields(auto& row, auto& visit) {
  visit.Value("sampled", row.sampled);
  visit.OrNull("errorBytes", row.error_bytes);
}

void Fields(Is<ReportSite> auto& site, auto& visit) {
  visit.Word("origin", site.origin, OriginWord, OriginOfWord);
  visit.Flat(site.udf);
  ByteFields(site, visit);
  visit.OrNull("retainedBytes", site.retained_bytes);
  ErrorFields(site, visit);
  visit.List("frames", site.frames);
  visit.OrAbsent("operator", site.spark_operator);
  visit.IndexOrAbsent("askedBy", site.asked_by, site.frames.size());
  visit.OrAbsent("stageId", site.stage_id);
  visit.OrAbsent("thread", site.thread);
  visit.TrueOrAbsent("leftByEarlierTasks", site.left_by_earlier_tasks);
  visit.OrAbsent("residentAgeMs", site.resident_age_ms);
}

// `sites`: how many its group has.
void Fields(Is<ReportLine> auto& line, auto& visit, size_t sites) {
  visit.Flat(line.udf);
  visit.OrNull("function", line.function);
  visit.OrNull("file", line.file);
  visit.LineOrNull("line", line.line);
  visit.OrNull("source", line.source);
  ByteFields(line, visit);
  ErrorFields(line, visit);
  visit.Indexes("sites", line.sites, sites);
}

void Fields(Is<ReportUdfShare> auto& share, auto& visit) {
  visit.Flat(share.udf);
  ByteFields(share, visit);
  ErrorFields(share, visit);
}

void Fields(Is<ReportOperator> auto& one, auto& visit) {
  visit.Value("operator", one.name);
  visit.Word("origin", one.origin, OriginWord, OriginOfWord);
  visit.Value("sites", one.sites);
  visit.Value("allocatedBytes", one.allocated_bytes);
  visit.Value("allocations", one.allocations);
}

void Fields(Is<ReportOriginSum> auto& sum, auto& visit) {
  visit.Word("origin", sum.origin, OriginWord, OriginOfWord);
  visit.Value("sites", sum.sites);
  visit.Value("allocatedBytes", sum.allocated_bytes);
  visit.Value("allocations", sum.allocations);
  visit.OrNull("liveAtPeakBytes", sum.live_at_peak_bytes);
}

// Of a stage or its other attempts. `with_sites`: sites and lines are shown.
void GroupFields(auto& group, auto& visit, bool with_sites) {
  if (visit.Shows(with_sites)) {
    visit.List("sites", group.sites);
    visit.List("lines", group.lines, group.sites.size());
  }
  visit.List("udfs", group.udfs);
  visit.List("operators", group.operators);
  visit.List("remainders", group.remainders);
  visit.List("totals", group.totals);
  visit.OrNull("arrowPoolPeakBytes", group.arrow_pool.peak_bytes);
  visit.OrNull("arrowPoolEndBytes", group.arrow_pool.end_bytes);
  visit.OrNull("arrowPoolGrowthBytes", group.arrow_pool.growth_bytes);
}

}  // namespace memprof
