// Reports of the driver's JVM that native code writes, because no Java code runs any more that could. Thread-safe.
#pragma once

#include <string>
#include <vector>

namespace memprof {

// A LastWordsListener: of a JVM that exits because of a full heap. The driver's leaves its report, with its own death, as
// "<pid>.report.json" in the private directory that SPARKMEMPROF_LAST_REPORT names; the process that started it waits for that file
// (driver_watch.py). If nobody waits, nothing is written.
void ReportOwnEnd(const std::string& executor_id, const std::vector<std::string>& words) noexcept;

// When the JVM has ended before Java code could write its final report and close the store, as in a full heap, in which no shutdown hook
// runs: writes the report there, and on stderr the deaths that nobody has told yet. Takes ten seconds × the store's patience at the most,
// also if the file system hangs. Where the system gives no thread, there is no report.
void ReportAtVmDeath() noexcept;

}  // namespace memprof
