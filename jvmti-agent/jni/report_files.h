// The files of a report, as Java code writes them (ReportWriter.java), where that can't.
#pragma once

#include <string>

#include "base/status.h"
#include "report/model.h"

namespace memprof {

// report.json and report.html, private. kIo; kUnsupported: `directory` is "".
Status WriteReportFiles(const Report& report, const std::string& directory);
// Its first lines, for a log.
std::string SummaryOf(const Report& report);

}  // namespace memprof
