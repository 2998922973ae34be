// Receivers of last words inside this JVM, in addition to the driver that gets them and the file that keeps them. Thread-safe.
#pragma once

#include <string>
#include <vector>

namespace memprof {

// Called on the thread that ran out of memory, which may have little stack left.
using LastWordsListener = void (*)(const std::string& executor_id, const std::vector<std::string>& words) noexcept;

void TellLastWordsTo(LastWordsListener listener);
void TellLastWords(const std::string& executor_id, const std::vector<std::string>& words) noexcept;

}  // namespace memprof
