#include "shortage/left_words.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace memprof {

void LeftWords::Leave(const WordsPlace& place, Error error, const std::vector<std::string>& tasks) {
  const std::lock_guard lock(mutex_);
  if (last_) return;
  const auto same = std::find_if(errors_.begin(), errors_.end(), [&](const Error& each) {
    return each.time_ms == error.time_ms && each.task_attempt_id == error.task_attempt_id;
  });
  if (same != errors_.end()) {
    *same = std::move(error);
  } else {
    errors_.push_back(std::move(error));
    if (errors_.size() > kMostErrors) errors_.pop_front();
  }
  if (!tasks.empty()) tasks_ = tasks;
  std::vector<std::string> envelopes;
  for (auto each = errors_.rbegin(); each != errors_.rend(); ++each) envelopes.push_back(each->envelope);  // what doesn't fit is the oldest
  envelopes.insert(envelopes.end(), tasks_.begin(), tasks_.end());
  Write(place, envelopes);
}

void LeftWords::LeaveLast(const WordsPlace& place, const std::vector<std::string>& envelopes) {
  const std::lock_guard lock(mutex_);
  last_ = true;
  Write(place, envelopes);
}

void LeftWords::Forget(const WordsPlace& place, int64_t now_ms) {
  const std::lock_guard lock(mutex_);
  const bool may_end =
      last_ || std::any_of(errors_.begin(), errors_.end(), [&](const Error& each) { return now_ms - each.time_ms < kMayEndMs; });
  if (!may_end && !errors_.empty() && !place.directory.empty()) unlink(WordsPath(place.directory, place.pid).c_str());
  errors_.clear();
  tasks_.clear();
}

void LeftWords::Write(const WordsPlace& place, const std::vector<std::string>& envelopes) {
  if (place.directory.empty()) return;
  // Without the file, the message may still arrive.
  static_cast<void>(WriteWords(place.directory, place.pid, {place.application_id, envelopes}));
}

}  // namespace memprof
