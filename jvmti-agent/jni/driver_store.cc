#include "jni/driver_store.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <exception>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/blocked_signals.h"
#include "base/clock.h"
#include "jni/agent_messages.h"
#include "jni/report_files.h"
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

struct Expected {
  std::string directory;
  bool with_source;
};
Expected* expected = nullptr;  // of that store: what Java code has not written yet. Nothing destroys it while the process exits

constexpr std::chrono::seconds kReportWithin{10};

void TakeWhatIsOnItsWay() {
  if (driver_feed == nullptr) return;
  if (!driver_feed->queue().WaitUntilDone(kFeedWithin)) {
    driver_store->NotAvailable("the last messages and events", "the driver's JVM exited before all that had come was in the report");
  }
  driver_feed->TellDropped();
}

void WriteReport(const std::string& directory, const std::vector<std::string>& words) {
  const std::lock_guard lock(mutex);
  if (driver_store == nullptr) return;
  TakeWhatIsOnItsWay();
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

// Without stdio: whoever reads it may have stopped, and a lock of stderr would be held then while the process exits.
void TellOnStderr(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<size_t>(written));
  }
}

std::string UntoldDeaths() {
  std::string texts;
  for (std::string death = driver_store->NextPostMortem(EpochMs(), true); !death.empty();
       death = driver_store->NextPostMortem(EpochMs(), true)) {
    texts += "sparkmemprof: post-mortem\n" + death + (death.ends_with('\n') ? "" : "\n");
    driver_store->PostMortemTold();
  }
  return texts;
}

void ReportLast() {
  const std::lock_guard lock(mutex);
  if (driver_store == nullptr || expected == nullptr) return;
  const std::unique_ptr<Expected> to(std::exchange(expected, nullptr));
  StopAgent();  // its last snapshot is a message
  for (std::string message = NextMessageOfAgent(); !message.empty(); message = NextMessageOfAgent()) {
    static_cast<void>(driver_store->Ingest(message));
  }
  TakeWhatIsOnItsWay();
  driver_store->ApplicationEnded(EpochMs());
  driver_store->NotAvailable("the last news of executors", "the driver's JVM ended before it could run the code that waits for them");
  const Report report = driver_store->Model(false, to->with_source);
  const Status status = WriteReportFiles(report, to->directory);
  const std::string place =
      status.ok() ? "report in " + to->directory : std::string("the report was not written (") + status.message() + "); its summary";
  TellOnStderr(UntoldDeaths() + "sparkmemprof: " + place + '\n' + SummaryOf(report));
}

void Expect(Expected* report) { delete std::exchange(expected, report); }

}  // namespace

void WillBeReported(const ProfileStore* store, std::string directory, bool with_source) {
  const std::lock_guard lock(mutex);
  if (store == driver_store) Expect(new Expected{std::move(directory), with_source});
}

void IsReported(const ProfileStore* store) {
  const std::lock_guard lock(mutex);
  if (store == driver_store) Expect(nullptr);
}

void ReportAtVmDeath() noexcept {
  try {
    const BlockedSignals blocked;  // signals are handled by the host's threads
    auto over = std::make_shared<std::promise<void>>();
    std::future<void> written = over->get_future();
    // On a new thread: whoever ends the JVM may have a small stack, and the file system may hang.
    std::thread([over] {
      try {
        ReportLast();
      } catch (const std::exception&) {
      }
      over->set_value();
    }).detach();
    written.wait_for(kReportWithin);
  } catch (const std::exception&) {  // no thread could be started
  }
}

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
  Expect(nullptr);
  TellLastWordsTo(TellOfOwnEnd);
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

}  // namespace memprof
