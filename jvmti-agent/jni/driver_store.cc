#include "jni/driver_store.h"

#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/blocked_signals.h"
#include "base/clock.h"
#include "shortage/last_words.h"
#include "system/private_file.h"

namespace memprof {
namespace {

constexpr const char* kDriver = "driver";

std::mutex mutex;
ProfileStore* driver_store = nullptr;  // the newest: a JVM has one SparkContext at a time
StoreFeed* driver_feed = nullptr;      // into that one
// Of the few seconds that a JVM is given to exit (shortage/vm_exit.h); reports are written twice.
constexpr std::chrono::milliseconds kFeedWithin{300};

void WriteReport(const std::string& directory, const std::vector<std::string>& words) {
  const std::lock_guard lock(mutex);
  if (driver_store == nullptr) return;
  if (driver_feed != nullptr) {
    if (!driver_feed->queue().WaitUntilDone(kFeedWithin))
      driver_store->NotAvailable("the last messages and events", "the driver's JVM exited before all that had come was in the report");
    driver_feed->TellDropped();
  }
  for (const std::string& word : words) static_cast<void>(driver_store->Ingest(word));
  driver_store->ExecutorRemoved(kDriver, "its JVM ended itself, exit code 3", EpochMs());
  const std::string report = driver_store->ReportJson(true);
  static_cast<void>(WritePrivateFile(directory + '/' + std::to_string(getpid()) + ".report.json", report));
}

void TellOfOwnEnd(const std::string& executor_id, const std::vector<std::string>& words) noexcept {
  const char* directory = getenv("SPARKMEMPROF_LAST_REPORT");
  if (executor_id != kDriver || directory == nullptr) return;
  try {
    const BlockedSignals blocked;  // signals are handled by the host's threads
    // On a new thread: the thread that ran out of memory may have a small stack.
    std::thread writer([&] {
      try {
        WriteReport(directory, words);
      } catch (const std::exception&) {
      }
    });
    writer.join();
  } catch (const std::exception&) {  // no thread could be started; the words are in their file anyway
  }
}

}  // namespace

void FeedsDriverStore(ProfileStore* store, StoreFeed* feed) {
  const std::lock_guard lock(mutex);
  if (store == driver_store) driver_feed = feed;
}

void FeedsNoMore(StoreFeed* feed) {
  const std::lock_guard lock(mutex);
  if (driver_feed == feed) driver_feed = nullptr;
}

ProfileStore* OpenDriverStore(uint64_t limit_bytes) {
  auto store = std::make_unique<ProfileStore>(limit_bytes);
  const std::lock_guard lock(mutex);
  driver_store = store.get();
  driver_feed = nullptr;
  TellLastWordsTo(TellOfOwnEnd);
  return store.release();
}

void CloseDriverStore(ProfileStore* store) {
  {
    const std::lock_guard lock(mutex);
    if (driver_store == store) driver_store = nullptr;
  }
  delete store;
}

}  // namespace memprof
