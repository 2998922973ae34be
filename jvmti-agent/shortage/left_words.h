// LeftWords: the file with the last words of this JVM (profile/words_file.h), for the case that it ends before they have reached the
// driver. In a full heap a message may be lost even after it was sent. Nothing is left of a JVM that lives on. Thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "profile/words_file.h"

namespace memprof {

// Where the file is. No file is written if `directory` is empty.
struct WordsPlace {
  std::string directory, application_id;
  int32_t pid = 0;
};

class LeftWords {
 public:
  static constexpr size_t kMostErrors = 8;
  // A JVM that ends later than this after an error does not end because of it, as the driver decides it (postmortem/heap_errors.h).
  static constexpr int64_t kMayEndMs = 60'000;

  struct Error {
    int64_t time_ms = 0, task_attempt_id = -1;  // these distinguish errors: the later envelope of one replaces the earlier
    std::string envelope;
  };

  // `tasks`: envelopes of the running tasks, which come after those of the errors; empty: those of the error before.
  void Leave(const WordsPlace& place, Error error, const std::vector<std::string>& tasks);
  // Of a JVM that ends now: replaces all others, and no later error replaces it.
  void LeaveLast(const WordsPlace& place, const std::vector<std::string>& envelopes);
  // When the profiler stops: removes the file unless an error may have caused that.
  void Forget(const WordsPlace& place, int64_t now_ms);

 private:
  void Write(const WordsPlace& place, const std::vector<std::string>& envelopes);

  std::mutex mutex_;
  std::deque<Error> errors_;  // the newest, in the order of their first envelopes
  std::vector<std::string> tasks_;
  bool last_ = false;
};

}  // namespace memprof
