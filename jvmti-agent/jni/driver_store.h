// The driver's profile store, as the agent in the same JVM reaches it: where that JVM ends itself of a full heap, no Java code runs that
// could ask for a report. Thread-safe.
#pragma once

#include <cstdint>

#include "store/profile_store.h"

namespace memprof {

// As long as the store is open, a JVM that ends so leaves its report, with its own death, as "<pid>.report.json" in the private directory
// that SPARKMEMPROF_LAST_REPORT names: of who started it and waits for that (driver_watch.py). Nobody waits: nothing is written.
ProfileStore* OpenDriverStore(uint64_t limit_bytes);
void CloseDriverStore(ProfileStore* store);

}  // namespace memprof
