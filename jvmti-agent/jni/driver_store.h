// The driver's profile store, for native code of the same JVM that must reach it when Java code runs no more (jni/last_report.h).
// Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "jni/store_feed.h"
#include "store/profile_store.h"

namespace memprof {

// `patience`: factor on waits that give up, for a busy machine.
ProfileStore* OpenDriverStore(uint64_t limit_bytes, int patience);
void CloseDriverStore(ProfileStore* store);
// From now on this brings messages and events into that store; and no more.
void FeedsDriverStore(ProfileStore* store, StoreFeed* feed);
void FeedsNoMore(StoreFeed* feed);

// What Java code has still to write as its last report.
struct FinalReport {
  std::string directory;  // on this machine; "": it is elsewhere, or could not be opened
  bool with_source = false;
};
void WillBeReported(const ProfileStore* store, FinalReport report);
void IsReported(const ProfileStore* store);

// Calls it with the store if one is open; nobody closes it meanwhile. What was on its way into the store is there, as far as 0.3 s
// × the store's patience were enough. The report is null if Java code has written it, or writes none. `call` must not call what is declared
// here.
void WithDriverStore(const std::function<void(ProfileStore&, const FinalReport*)>& call);
// Of the newest store; 1 before there is one.
int DriverPatience();

}  // namespace memprof
