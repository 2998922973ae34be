// The line of a task's error that says what went wrong. Spark's texts are long and often the same up to the end.
#pragma once

#include <cstddef>
#include <string_view>

namespace memprof {

// The first `limit` bytes, not cutting a UTF-8 sequence.
std::string_view CutText(std::string_view text, size_t limit);

// The first line that says something; of a Python traceback ("…: Traceback (most recent call last):") the exception's own
// line, which is its last one ("ValueError: …"), if the text still has it. At most 240 bytes; "" of "". Refers to `text`.
std::string_view ErrorTitle(std::string_view text);

// True when Spark's executor ends with it: the error, or a cause of it, is an OutOfMemoryError (Executor.isFatalError; a
// SparkOutOfMemoryError is none). A cause is known as far as the text goes.
bool EndsExecutor(std::string_view text);

}  // namespace memprof
