#include "stacks/class_names.h"

#include <algorithm>
#include <cctype>

namespace memprof {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The length of an id that a name has at `begin`: a UUID, or a word of eight or more hexadecimal digits, with decimal ones and
// letters among them. 0: there is none.
size_t IdAt(std::string_view name, size_t begin) {
  if (begin > 0 && IsWord(name[begin - 1])) return 0;
  const auto run = [&](size_t at) {
    size_t end = at;
    while (end < name.size() && IsHex(name[end])) ++end;
    return end - at;
  };
  const auto ends = [&](size_t end) { return end == name.size() || !IsWord(name[end]); };
  size_t end = begin;
  constexpr size_t kUuid[] = {8, 4, 4, 4, 12};
  for (const size_t length : kUuid) {
    if (run(end) != length) break;
    end += length;
    if (length == 12 && ends(end)) return end - begin;
    if (end == name.size() || name[end] != '-') break;
    ++end;
  }
  const size_t length = run(begin);
  const std::string_view word = name.substr(begin, length);
  const auto digits = static_cast<size_t>(std::count_if(word.begin(), word.end(), IsDigit));
  return length >= 8 && ends(begin + length) && digits != 0 && digits != length ? length : 0;
}

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
    if (const size_t id = IdAt(name, i); id != 0) {
      out.push_back('#');
      i += id;
      continue;
    }
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
