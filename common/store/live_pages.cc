#include "store/live_pages.h"

#include "base/clock.h"

namespace memprof {
namespace {

constexpr int64_t kFreshNs = 1'000'000'000;

}  // namespace

LivePages::LivePages(const ProfileStore& store, int64_t (*now)()) : store_(store), now_(now != nullptr ? now : MonotonicNs) {}

bool LivePages::Stale() const { return now_() - made_ns_ >= kFreshNs; }

PageAnswer LivePages::Answer(std::string_view path, std::string_view query) {
  std::lock_guard lock(mutex_);
  if (!pages_ || Stale()) {
    pages_.reset();  // never two reports at once
    pages_ = std::make_unique<ReportPages>(store_.Model(/*unfinished=*/true));
    made_ns_ = now_();
  }
  return pages_->Answer(path, query);
}

void LivePages::ForgetStale() {
  std::lock_guard lock(mutex_);
  if (pages_ && Stale()) pages_.reset();
}

}  // namespace memprof
