#include "jni/driver_store.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <utility>

namespace memprof {
namespace {

// Of the few seconds that a JVM is given to exit (shortage/vm_exit.h); reports are written twice.
constexpr std::chrono::milliseconds kFeedWithin{300};

std::mutex mutex;
ProfileStore* driver_store = nullptr;  // the newest: a JVM has one SparkContext at a time
StoreFeed* driver_feed = nullptr;      // into that one
std::atomic<int> driver_patience{1};   // likewise
FinalReport* final_report = nullptr;   // of that one. A pointer, so that nothing destroys it while the process exits

void Expect(FinalReport* report) { delete std::exchange(final_report, report); }

void TakeWhatIsOnItsWay() {
  if (driver_feed == nullptr) return;
  if (!driver_feed->queue().WaitUntilDone(kFeedWithin * DriverPatience())) {
    driver_store->NotAvailable("the last messages and events", "the driver's JVM exited before all that had come was in the report");
  }
  driver_feed->TellDropped();
}

}  // namespace

ProfileStore* OpenDriverStore(uint64_t limit_bytes, int patience) {
  auto store = std::make_unique<ProfileStore>(limit_bytes, patience);
  const std::lock_guard lock(mutex);
  driver_store = store.get();
  driver_feed = nullptr;
  driver_patience = patience;
  Expect(nullptr);
  return store.release();
}

void CloseDriverStore(ProfileStore* store) {
  {
    const std::lock_guard lock(mutex);
    if (driver_store == store) {
      driver_store = nullptr;
      Expect(nullptr);
    }
  }
  delete store;
}

void FeedsDriverStore(ProfileStore* store, StoreFeed* feed) {
  const std::lock_guard lock(mutex);
  if (store == driver_store) driver_feed = feed;
}

void FeedsNoMore(StoreFeed* feed) {
  const std::lock_guard lock(mutex);
  if (driver_feed == feed) driver_feed = nullptr;
}

void WillBeReported(const ProfileStore* store, FinalReport report) {
  const std::lock_guard lock(mutex);
  if (store == driver_store) Expect(new FinalReport(std::move(report)));
}

void IsReported(const ProfileStore* store) {
  const std::lock_guard lock(mutex);
  if (store == driver_store) Expect(nullptr);
}

int DriverPatience() { return driver_patience; }

void WithDriverStore(const std::function<void(ProfileStore&, const FinalReport*)>& call) {
  const std::lock_guard lock(mutex);
  if (driver_store == nullptr) return;
  TakeWhatIsOnItsWay();
  call(*driver_store, final_report);
}

}  // namespace memprof
