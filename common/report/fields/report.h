// The field list of a report, and those of its small parts.
#pragma once

#include "report/fields/driver.h"
#include "report/fields/executors.h"
#include "report/fields/post_mortems.h"
#include "report/fields/sites.h"
#include "report/fields/stages.h"

namespace memprof {

void Fields(Is<ReportApplication> auto& application, auto& visit) {
  visit.OrNull("id", application.id);
  visit.OrNull("name", application.name);
  visit.OrNull("sparkVersion", application.spark_version);
  visit.OrNull("pythonVersion", application.python_version);
  visit.OrNull("master", application.master);
  visit.OrNull("startedMs", application.started_ms);
  visit.OrNull("endedMs", application.ended_ms);
}

void Fields(Is<ReportSampling> auto& sampling, auto& visit) {
  visit.OrNull("jvmIntervalBytes", sampling.jvm_interval_bytes);
  visit.OrNull("pythonIntervalBytes", sampling.python_interval_bytes);
}

void Fields(Is<ReportOtherExecutors> auto& others, auto& visit) {
  visit.Value("executors", others.executors);
  visit.OrNull("largestUsedBytes", others.largest_used_bytes);
}

void Fields(Is<ReportOtherStages> auto& others, auto& visit) {
  visit.Value("stages", others.stages);
  visit.Value("tasks", others.tasks);
  visit.Value("otherAttempts", others.other_attempts);
  visit.List("totals", others.totals);
}

void Fields(Is<ReportNotAvailable> auto& entry, auto& visit) {
  visit.Value("what", entry.what);
  visit.Value("why", entry.why);
}

void Fields(Is<Report> auto& report, auto& visit) {
  visit.Derived("schemaVersion", [] { return kReportSchemaVersion; });
  visit.Value("unfinished", report.unfinished);
  visit.Object("application", report.application);
  visit.Object("sampling", report.sampling);
  visit.List("executors", report.executors);
  visit.Stages("stages", report.stages);
  visit.ObjectOrNull("otherExecutors", report.other_executors);
  visit.ObjectOrNull("otherStages", report.other_stages);
  visit.List("leaks", report.leaks);
  visit.List("postMortems", report.post_mortems);
  visit.List("otherDeaths", report.other_deaths);
  visit.List("findings", report.findings);
  visit.List("cachedData", report.cached_data);
  visit.List("broadcasts", report.broadcasts);
  visit.ObjectOrNull("driver", report.driver);
  visit.Counters("counters", report.counters);
  visit.List("notAvailable", report.not_available);
}

}  // namespace memprof
