// LivePages: a store's report as web pages while the application runs. A report is reused for a second, so that readers who
// reload don't make the driver build it again and again. A large report is made in the background when it is requested again: for
// at most a twentieth of the time, but at least every ten seconds. Meanwhile the last one is shown, at most ten seconds longer;
// after that, readers wait. A request for the whole report with "fresh=true" always waits. Thread-safe; the store must outlive
// it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>

#include "report/pages/pages.h"
#include "store/profile_store.h"

namespace memprof {

class LivePages {
 public:
  // `now` is for tests: nanoseconds that never go back.
  explicit LivePages(const ProfileStore& store, int64_t (*now)() = nullptr);
  // Waits for a report that is being made.
  ~LivePages();
  LivePages(const LivePages&) = delete;
  LivePages& operator=(const LivePages&) = delete;

  // See ReportPages::Answer.
  PageAnswer Answer(std::string_view path, std::string_view query);

  // Frees a report that will not be shown again.
  void ForgetStale();

 private:
  struct Made {
    std::unique_ptr<ReportPages> pages;
    int64_t began_ns = 0, took_ns = 0;
    bool whole = false;  // somebody has asked for the whole report
  };

  Made Make(bool whole) const;
  int64_t DueNs() const;
  bool MayBeShown() const;
  void MakeInBackground();

  const ProfileStore& store_;
  int64_t (*now_)();
  std::mutex mutex_;
  Made shown_;           // guarded by mutex_
  bool making_ = false;  // likewise: in the background
  std::thread maker_;    // likewise
};

}  // namespace memprof
