// The driver's profile store, for the agent in the same JVM: when that JVM exits because of a full heap, no Java code runs that
// could ask for a report. Thread-safe.
#pragma once

#include <cstdint>
#include <string>

#include "jni/store_feed.h"
#include "store/profile_store.h"

namespace memprof {

// As long as the store is open, a JVM that exits this way leaves its report, with its own death, as "<pid>.report.json" in the
// private directory that SPARKMEMPROF_LAST_REPORT names. The process that started it waits for that file (driver_watch.py). If
// nobody waits, nothing is written.
ProfileStore* OpenDriverStore(uint64_t limit_bytes);
void CloseDriverStore(ProfileStore* store);
// What is still on its way into that store is in the report, too.
void FeedsDriverStore(ProfileStore* store, StoreFeed* feed);
void FeedsNoMore(StoreFeed* feed);

// What Java code writes as its last report: `directory` on this machine, "" if it is elsewhere.
void WillBeReported(const ProfileStore* store, std::string directory, bool with_source);
void IsReported(const ProfileStore* store);
// When the JVM has ended before Java code could write that and close the store, as in a full heap, in which no shutdown hook runs: writes
// the report there, and on stderr the deaths that nobody has told yet. Takes ten seconds at the most, also if the file system hangs.
void ReportAtVmDeath() noexcept;

}  // namespace memprof
