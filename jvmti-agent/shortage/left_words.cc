#include "shortage/left_words.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace memprof {

void LeftWords::Leave(const WordsPlace& place, Error error) {
  const std::lock_guard lock(mutex_);
  if (last_) return;
  const auto same = std::find_if(errors_.begin(), errors_.end(), [&](const Error& each) {
    return each.time_ms == error.time_ms && each.task_attempt_id == error.task_attempt_id;
  });
  if (same != errors_.end()) {
    *same = std::move(error);
  } else {
    errors_.push_back(std::move(error));
    // In the file the newest comes first, and those that make room come last.
    std::stable_partition(errors_.begin(), errors_.end(), [](const Error& each) { return each.makes_room; });
    if (errors_.size() > kMostErrors) errors_.pop_front();
  }
  Write(place, {});
}

void LeftWords::LeaveTasks(const WordsPlace& place, std::vector<std::string> tasks) {
  const std::lock_guard lock(mutex_);
  if (last_ || tasks.empty()) return;
  tasks_ = std::move(tasks);
  Write(place, {});
}

void LeftWords::LeaveLast(const WordsPlace& place, std::vector<std::string> envelopes) {
  const std::lock_guard lock(mutex_);
  last_ = true;
  Write(place, std::move(envelopes));
}

void LeftWords::Forget(const WordsPlace& place, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (!last_ && !MayEnd(now) && !errors_.empty() && !place.directory.empty()) {
    unlink(WordsPath(place.directory, place.pid).c_str());
  }
  errors_.clear();
  tasks_.clear();
}

// What doesn't fit into the file is at the end of it. Without the file, the messages may still arrive.
void LeftWords::Write(const WordsPlace& place, std::vector<std::string> envelopes) {
  if (place.directory.empty() || hangs_) return;
  for (auto each = errors_.rbegin(); each != errors_.rend(); ++each) envelopes.push_back(each->envelope);
  envelopes.insert(envelopes.end(), tasks_.begin(), tasks_.end());
  hangs_ = !within_(kMostWriting * place.patience, [place, words = Words{place.application_id, std::move(envelopes)}] {
    static_cast<void>(WriteWords(place.directory, place.pid, words));
  });
}

}  // namespace memprof
