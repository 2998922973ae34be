// Makes a report.json from an application's event log, without Spark.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace memprof {

// `files`: the log, in the order in which it was written; one, or those of a rolled log. A log that ends too early gives its
// complete parts, marked unfinished. `lacking`: names of others that should be there, in words; empty: none. kIo: a file can't be opened;
// other errors as in EventLogReport::Make.
Result<std::string> ReportOfEventLog(const std::vector<std::string>& files, std::string_view lacking);

}  // namespace memprof
