// What a process below an executor's JVM is, by its command line. Pure functions, thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memprof {

enum class ProcessKind : uint8_t { kProgram, kJvm, kPythonDaemon, kPythonWorker, kPythonDriver };  // kProgram: any other

// The schema's word: program, jvm, python-daemon, python-worker, python-driver.
const char* NameOf(ProcessKind kind);

// `parent` is the kind of the process that started it: what a Python process forks is a worker, whatever it is called.
ProcessKind KindOf(const std::vector<std::string>& command_line, ProcessKind parent);

// Whether this file is CPython's or PyPy's interpreter, by its name.
bool IsInterpreter(std::string_view path);

// True where a Python program has started the JVM for itself, as PySpark does. False for a Python process that only waits for the
// driver's JVM: a workflow scheduler, `sparkmemprof submit`.
bool IsPythonWithGateway(const std::vector<std::string>& parent, const std::vector<std::string>& jvm);

// An executor of Spark: one that isn't ours in our control group means that the limit is shared.
bool IsExecutorJvm(const std::vector<std::string>& command_line);

}  // namespace memprof
