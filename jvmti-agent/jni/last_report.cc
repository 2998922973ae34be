#include "jni/last_report.h"

#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <exception>

#include "base/clock.h"
#include "base/run_within.h"
#include "jni/agent_messages.h"
#include "jni/driver_store.h"
#include "jni/report_files.h"
#include "shortage/vm_exit.h"
#include "system/private_file.h"
#include "system/write_all.h"

namespace memprof {
namespace {

constexpr const char* kDriver = "driver";
constexpr std::chrono::seconds kReportWithin{10};

void WriteOwnEnd(const std::string& directory, const std::vector<std::string>& words) {
  WithDriverStore([&](ProfileStore& store, const FinalReport*) {
    for (const std::string& word : words) static_cast<void>(store.Ingest(word));
    store.ExecutorRemoved(kDriver, "its JVM ended itself, exit code 3", EpochMs());
    static_cast<void>(WritePrivateFile(directory + '/' + std::to_string(getpid()) + ".report.json", store.ReportJson(true)));
  });
}

std::string UntoldDeaths(ProfileStore& store) {
  std::string texts;
  for (std::string death = store.NextPostMortem(EpochMs(), true); !death.empty(); death = store.NextPostMortem(EpochMs(), true)) {
    texts += "sparkmemprof: post-mortem\n" + death + (death.ends_with('\n') ? "" : "\n");
    store.PostMortemTold();
  }
  return texts;
}

void WriteFinal(ProfileStore& store, const FinalReport& to) {
  for (std::string message = NextMessageOfAgent(); !message.empty(); message = NextMessageOfAgent()) {
    static_cast<void>(store.Ingest(message));
  }
  store.ApplicationEnded(EpochMs());
  store.NotAvailable("the last news of executors", "the driver's JVM ended before it could run the code that waits for them");
  const Report report = store.Model(false, to.with_source);
  const Status status = WriteReportFiles(report, to.directory);
  const std::string place =
      status.ok() ? "report in " + to.directory : std::string("the report was not written (") + status.message() + "); its summary";
  // Without stdio: whoever reads it may have stopped, and a lock of stderr would be held then while the process exits.
  WriteAll(STDERR_FILENO, UntoldDeaths(store) + "sparkmemprof: " + place + '\n' + SummaryOf(report));
}

}  // namespace

void ReportOwnEnd(const std::string& executor_id, const std::vector<std::string>& words) noexcept {
  const char* directory = getenv("SPARKMEMPROF_LAST_REPORT");
  if (executor_id != kDriver || directory == nullptr) return;
  try {
    const std::string place = directory;
    // Apart: the thread that ran out of memory may have a small stack. vm_exit.cc ends the process at that time in any case.
    RunApartWithin(MostExit(), [place, words] { WriteOwnEnd(place, words); });
  } catch (const std::exception&) {  // the words are in their file anyway
  }
}

void ReportAtVmDeath() noexcept {
  try {
    // Apart: whoever ends the JVM may have a small stack, and the file system may hang.
    RunApartWithin(kReportWithin * DriverPatience(), [] {
      StopAgent();  // its last snapshot is a message, which may go into the store by Java code
      WithDriverStore([](ProfileStore& store, const FinalReport* report) {
        if (report != nullptr) WriteFinal(store, *report);
      });
    });
  } catch (const std::exception&) {  // no memory for it
  }
}

}  // namespace memprof
