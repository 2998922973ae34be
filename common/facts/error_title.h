// The line of a task's error that says what went wrong. Spark's texts are long and often differ only at the end.
#pragma once

#include <string_view>

namespace memprof {

// The first meaningful line. For a Python traceback ("…: Traceback (most recent call last):") the exception's own line, which is
// the last one ("ValueError: …"), if the text still has it. At most 240 bytes; "" for "". Refers to `text`.
std::string_view ErrorTitle(std::string_view text);

// The line of the error, or of a cause of it, because of which Spark ends the executor: an OutOfMemoryError (Executor.isFatalError; a
// SparkOutOfMemoryError doesn't count). At most 240 bytes; "": it has none, or Spark reports a fetch as failed ("FetchFailed(…"), which
// it does only of errors that end nothing. Refers to `text`.
std::string_view FatalError(std::string_view text);

}  // namespace memprof
