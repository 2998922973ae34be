#include "watch/process_kind.h"

#include <algorithm>
#include <string_view>

namespace memprof {
namespace {

std::string_view BaseName(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// The module behind -m, or "". Of a script, one of Spark's or ours alone: pex starts it anew (python3 ./env.pex -m pyspark.daemon).
std::string_view ModuleOf(const std::vector<std::string>& command_line) {
  const auto is_no_option = [](std::string_view word) { return word == "-m" || !word.starts_with('-'); };
  if (command_line.empty()) return {};
  auto word = std::find_if(command_line.begin() + 1, command_line.end(), is_no_option);
  const bool is_script = word != command_line.end() && *word != "-m";
  if (is_script) ++word;
  if (command_line.end() - word < 2 || *word != "-m") return {};
  const std::string_view module = word[1];
  return !is_script || module.starts_with("pyspark.") || module.starts_with("sparkmemprof.") ? module : std::string_view();
}

bool IsPython(const std::vector<std::string>& command_line) { return !command_line.empty() && IsInterpreter(command_line[0]); }

}  // namespace

bool IsInterpreter(std::string_view path) { return BaseName(path).starts_with("python") || BaseName(path).starts_with("pypy"); }

const char* NameOf(ProcessKind kind) {
  switch (kind) {
    case ProcessKind::kJvm:
      return "jvm";
    case ProcessKind::kPythonDaemon:
      return "python-daemon";
    case ProcessKind::kPythonWorker:
      return "python-worker";
    case ProcessKind::kPythonDriver:
      return "python-driver";
    case ProcessKind::kProgram:
      break;
  }
  return "program";
}

ProcessKind KindOf(const std::vector<std::string>& command_line, ProcessKind parent) {
  if (command_line.empty()) return ProcessKind::kProgram;
  if (BaseName(command_line[0]) == "java") return ProcessKind::kJvm;
  if (!IsPython(command_line)) return ProcessKind::kProgram;
  if (parent == ProcessKind::kPythonDaemon || parent == ProcessKind::kPythonWorker) return ProcessKind::kPythonWorker;
  const std::string_view module = ModuleOf(command_line);
  if (module.empty()) return ProcessKind::kPythonDriver;
  return module.ends_with("daemon") ? ProcessKind::kPythonDaemon : ProcessKind::kPythonWorker;
}

bool IsPythonWithGateway(const std::vector<std::string>& parent, const std::vector<std::string>& jvm) {
  return IsPython(parent) && !jvm.empty() && jvm.back() == "pyspark-shell";
}

bool IsExecutorJvm(const std::vector<std::string>& command_line) {
  return std::any_of(command_line.begin(), command_line.end(), [](std::string_view word) {
    return word.starts_with("org.apache.spark.executor.") && word.ends_with("ExecutorBackend");
  });
}

}  // namespace memprof
