// LeftWords: the file with the last words of this JVM (profile/words_file.h), for the case that it ends before they have reached the
// driver: in a full heap a message may be lost even after it was sent. A JVM that ends later than a minute after its last error takes
// the file away. Thread-safe. A file system that does not answer costs its callers kMostWriting × patience once; no more is written then.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "profile/words_file.h"

namespace memprof {

// Where the file is. No file is written if `directory` is empty.
struct WordsPlace {
  std::string directory, application_id;
  int32_t pid = 0;
  int patience = 1;  // factor on the time that writing may take, for a busy machine
};

class LeftWords {
 public:
  static constexpr size_t kMostErrors = 8;
  // A JVM that ends later than this after an error is not taken to end of it (kEndsWithinMs in postmortem/heap_errors.h).
  using Clock = std::chrono::steady_clock;  // a clock that is set must neither silence others' words nor drop these
  static constexpr std::chrono::seconds kMayEnd{60};
  static constexpr std::chrono::milliseconds kMostWriting{1000};

  struct Error {
    int64_t time_ms = 0, task_attempt_id = -1;  // these distinguish errors: the later envelope of one replaces the earlier
    std::string envelope;
    bool makes_room = false;  // for other errors: none yet, or one of the JVM's own threads
  };

  // `within` runs work that may hang, as RunWithin() does.
  using Within = bool (*)(std::chrono::milliseconds most, std::function<void()> work);
  explicit LeftWords(Within within) : within_(within) {}

  void Met(Clock::time_point now) { last_error_ = now; }  // an error, whether or not anything is left of it
  bool MayEnd(Clock::time_point now) const { return last_error_.load() != Clock::time_point() && now - last_error_.load() < kMayEnd; }
  void Leave(const WordsPlace& place, Error error);
  // Envelopes of the running tasks, which come after those of the errors. They replace those before.
  void LeaveTasks(const WordsPlace& place, std::vector<std::string> tasks);
  // Of a JVM that ends now: they come before all others, and no later error follows.
  void LeaveLast(const WordsPlace& place, std::vector<std::string> envelopes);
  // When the profiler stops: removes the file, unless an error may have caused that.
  void Forget(const WordsPlace& place, Clock::time_point now);

 private:
  void Write(const WordsPlace& place, std::vector<std::string> envelopes);

  const Within within_;
  std::atomic<Clock::time_point> last_error_{Clock::time_point()};  // that: none
  std::mutex mutex_;
  std::deque<Error> errors_;  // the newest, in the order of their first envelopes
  std::vector<std::string> tasks_;
  bool last_ = false, hangs_ = false;
};

}  // namespace memprof
