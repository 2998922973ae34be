// Who in this JVM is to hear last words, beside the driver they are sent to and the file they are left in. Thread-safe.
#pragma once

#include <string>
#include <vector>

namespace memprof {

// Called on the thread that ran out, which may have little stack.
using LastWordsListener = void (*)(const std::string& executor_id, const std::vector<std::string>& words) noexcept;

void TellLastWordsTo(LastWordsListener listener);
void TellLastWords(const std::string& executor_id, const std::vector<std::string>& words) noexcept;

}  // namespace memprof
