#include "shortage/last_words.h"

#include <atomic>

namespace memprof {
namespace {

std::atomic<LastWordsListener> current = nullptr;

}  // namespace

void TellLastWordsTo(LastWordsListener listener) { current = listener; }

void TellLastWords(const std::string& executor_id, const std::vector<std::string>& words) noexcept {
  if (const LastWordsListener listener = current) listener(executor_id, words);
}

}  // namespace memprof
