// The line of a task's error that says what went wrong. Spark's texts are long and often differ only at the end.
#pragma once

#include <string_view>

namespace memprof {

// The first meaningful line. For a Python traceback ("…: Traceback (most recent call last):") the exception's own line, which is
// the last one ("ValueError: …"), if the text still has it. At most 240 bytes; "" for "". Refers to `text`.
std::string_view ErrorTitle(std::string_view text);

// True when Spark ends the executor because of it: the error, or a cause of it, is an OutOfMemoryError (Executor.isFatalError; a
// SparkOutOfMemoryError doesn't count). A cause is known only if the text has it.
bool EndsExecutor(std::string_view text);

}  // namespace memprof
