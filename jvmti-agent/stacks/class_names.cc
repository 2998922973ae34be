#include "stacks/class_names.h"

#include <algorithm>
#include <cctype>

namespace memprof {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Generated classes: only the number at the end tells two of them apart.
constexpr std::string_view kNumbered[] = {"GeneratedMethodAccessor", "GeneratedConstructorAccessor",
                                          "GeneratedSerializationConstructorAccessor", "$Proxy"};

}  // namespace

std::string ClassNameOf(std::string_view jvm_signature) {
  std::string_view text = jvm_signature;
  if (!text.empty() && text.front() == 'L') text.remove_prefix(1);
  if (!text.empty() && text.back() == ';') text.remove_suffix(1);

  // Hidden classes carry an address behind a '/' (as a class name) or a '.' (as a signature).
  size_t address = text.rfind("/0x");
  if (address == std::string_view::npos) address = text.rfind(".0x");
  if (address != std::string_view::npos) text = text.substr(0, address);

  constexpr std::string_view kLambda = "$$Lambda";
  const size_t lambda = text.rfind(kLambda);
  if (lambda != std::string_view::npos) text = text.substr(0, lambda + kLambda.size());

  const size_t number = text.find_last_not_of("0123456789") + 1;
  if (number < text.size()) {
    const std::string_view stem = text.substr(0, number);
    if (std::any_of(std::begin(kNumbered), std::end(kNumbered), [&](std::string_view name) { return stem.ends_with(name); })) text = stem;
  }
  std::string name(text);
  std::replace(name.begin(), name.end(), '/', '.');
  return name;
}

bool LaunchesTasks(std::string_view function) {
  constexpr std::string_view kPrefixes[] = {"java.lang.Thread.run",
                                            "java.util.concurrent.ThreadPoolExecutor$Worker.run",
                                            "java.util.concurrent.ThreadPoolExecutor.runWorker",
                                            "org.apache.spark.executor.Executor$TaskRunner.",
                                            "org.apache.spark.executor.Executor$TaskRunner$$Lambda.",
                                            "org.apache.spark.scheduler.Task.run",
                                            "org.apache.spark.TaskContext.runTaskWithListeners",
                                            "org.apache.spark.util.SparkErrorUtils.tryWith",
                                            "org.apache.spark.util.UninterruptibleThread.",
                                            "org.apache.spark.util.Utils$.tryWith"};
  return std::any_of(std::begin(kPrefixes), std::end(kPrefixes), [&](std::string_view prefix) { return function.starts_with(prefix); });
}

std::string NormalizedThreadName(std::string_view name) {
  std::string out;
  for (size_t i = 0; i < name.size();) {
    if (!IsDigit(name[i])) {
      out.push_back(static_cast<unsigned char>(name[i]) < 0x20 ? ' ' : name[i]);
      ++i;
      continue;
    }
    out.push_back('#');
    while (i < name.size() && (IsDigit(name[i]) || (name[i] == '.' && i + 1 < name.size() && IsDigit(name[i + 1])))) ++i;
  }
  return out;
}

}  // namespace memprof
