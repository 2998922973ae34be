#include "store/live_pages.h"

#include <pthread.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "base/blocked_signals.h"
#include "base/clock.h"

namespace memprof {
namespace {

constexpr int64_t kFreshNs = 1'000'000'000;
constexpr int64_t kQuickNs = 30'000'000;  // a report this quick is made while the reader waits
constexpr int64_t kShare = 20;            // one part in this many of the time, because the driver has other work
constexpr int64_t kMostPauseNs = 10'000'000'000, kShownNs = 10'000'000'000;
constexpr std::string_view kWhole = "api/v1/report";

bool IsWhole(std::string_view path) {
  if (path.starts_with('/')) path.remove_prefix(1);
  return path == kWhole;
}

}  // namespace

LivePages::LivePages(const ProfileStore& store, int64_t (*now)()) : store_(store), now_(now != nullptr ? now : MonotonicNs) {}

LivePages::~LivePages() {
  if (maker_.joinable()) maker_.join();
}

LivePages::Made LivePages::Make(bool whole) const {
  Made made;
  made.began_ns = now_();
  made.pages = std::make_unique<ReportPages>(store_.Model(/*unfinished=*/true));
  if (whole) made.pages->Answer(kWhole, "");
  made.whole = whole;
  made.took_ns = now_() - made.began_ns;
  return made;
}

// When the next report may be made.
int64_t LivePages::DueNs() const { return shown_.began_ns + std::clamp(kShare * shown_.took_ns, kFreshNs, kMostPauseNs); }

bool LivePages::MayBeShown() const {
  if (!shown_.pages) return false;
  const int64_t age = now_() - shown_.began_ns;
  return age < kFreshNs || (shown_.took_ns > kQuickNs && now_() < DueNs() + kShownNs);
}

void LivePages::MakeInBackground() {
  if (maker_.joinable()) maker_.join();  // the thread has finished already
  making_ = true;
  try {
    const BlockedSignals blocked;
    maker_ = std::thread([this, whole = shown_.whole] {
      pthread_setname_np(pthread_self(), "memprof-report");
      Made made;
      try {
        made = Make(whole);
      } catch (const std::exception&) {  // out of memory: a later request reports it
      }
      std::lock_guard lock(mutex_);
      making_ = false;
      if (made.pages && made.began_ns > shown_.began_ns) std::swap(shown_, made);
    });
  } catch (const std::exception&) {  // no thread
    making_ = false;
  }
}

PageAnswer LivePages::Answer(std::string_view path, std::string_view query) {
  std::lock_guard lock(mutex_);
  if ((IsWhole(path) && AsksForFresh(query)) || !MayBeShown()) {
    shown_ = Made();  // frees the old report first: one takes enough memory
    shown_ = Make(/*whole=*/false);
  } else if (!making_ && now_() >= DueNs()) {
    MakeInBackground();
  }
  const int64_t began_ns = now_();
  PageAnswer answer = shown_.pages->Answer(path, query);
  if (IsWhole(path) && !std::exchange(shown_.whole, true)) shown_.took_ns += now_() - began_ns;
  return answer;
}

void LivePages::ForgetStale() {
  std::lock_guard lock(mutex_);
  if (!MayBeShown()) shown_ = Made();
}

}  // namespace memprof
