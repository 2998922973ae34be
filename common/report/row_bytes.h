// The approximate JSON size of a row of the report, mostly its names. Pure functions.
#pragma once

#include <cstdint>

#include "report/model.h"

namespace memprof {

inline uint64_t JsonBytes(const ReportSite& site) {
  uint64_t bytes = 440 + site.spark_operator.size();
  if (site.udf) bytes += site.udf->name.size() + site.udf->file.size() + site.udf->kind.size();
  for (const ReportFrame& frame : site.frames) {
    bytes += 110 + frame.function.size() + frame.file.size() + frame.module.size() + frame.build_id.size();
  }
  return bytes;
}

inline uint64_t JsonBytes(const ReportLine& line) {
  return 435 + line.function.size() + line.file.size() + line.source.size() + 5 * line.sites.size();
}

inline uint64_t JsonBytes(const ReportOperator& one) { return 110 + one.name.size(); }

inline uint64_t JsonBytes(const ReportUdfShare& share) {
  return 380 + (share.udf ? share.udf->name.size() + share.udf->file.size() + share.udf->kind.size() : 0);
}

inline uint64_t JsonBytes(const ReportSiteGroup& group) {
  uint64_t bytes = 0;
  for (const ReportUdfShare& share : group.udfs) bytes += JsonBytes(share);
  for (const ReportSite& site : group.sites) bytes += JsonBytes(site);
  for (const ReportLine& line : group.lines) bytes += JsonBytes(line);
  for (const ReportOperator& one : group.operators) bytes += JsonBytes(one);
  return bytes;
}

}  // namespace memprof
