// LivePages: a store's report as web pages while the application runs. A report that was made is good for a second, so that
// readers who reload don't make the driver build it over and over. Thread-safe; the store must outlive it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>

#include "report/pages.h"
#include "store/profile_store.h"

namespace memprof {

class LivePages {
 public:
  // `now` is for tests: nanoseconds that never go back.
  explicit LivePages(const ProfileStore& store, int64_t (*now)() = nullptr);

  // See ReportPages::Answer.
  PageAnswer Answer(std::string_view path, std::string_view query);

  // Frees a report that nobody will be shown again.
  void ForgetStale();

 private:
  bool Stale() const;

  const ProfileStore& store_;
  int64_t (*now_)();
  std::mutex mutex_;
  std::unique_ptr<ReportPages> pages_;  // guarded by mutex_
  int64_t made_ns_ = 0;                 // guarded by mutex_
};

}  // namespace memprof
