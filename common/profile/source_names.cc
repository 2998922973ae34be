#include "profile/source_names.h"

#include <algorithm>
#include <optional>

namespace memprof {
namespace {

bool AllDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// The text before the first `end`; removes both from `rest`. Nothing if `end` isn't there.
std::optional<std::string_view> Before(std::string_view end, std::string_view* rest) {
  const size_t at = rest->find(end);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view before = rest->substr(0, at);
  rest->remove_prefix(at + end.size());
  return before;
}

// ipykernel writes "/tmp/ipykernel_<pid>/<hash of the cell>.py", IPython before it "<ipython-input-<number>-<hash>>".
std::optional<std::string_view> NotebookCell(std::string_view file) {
  std::string_view rest = file;
  if (rest.starts_with("<ipython-input-")) {
    rest.remove_prefix(15);
    const std::optional<std::string_view> number = Before("-", &rest);
    return number && AllDigits(*number) ? number : std::nullopt;
  }
  if (!Before("/ipykernel_", &rest)) return std::nullopt;
  const std::optional<std::string_view> pid = Before("/", &rest);
  if (!pid || !AllDigits(*pid) || !rest.ends_with(".py")) return std::nullopt;
  rest.remove_suffix(3);
  return AllDigits(rest) ? std::optional(rest) : std::nullopt;
}

// The name without the folder that the cluster made for one executor.
std::string_view WithoutPlace(std::string_view file, std::string_view working_directory) {
  while (working_directory.ends_with('/')) working_directory.remove_suffix(1);
  std::string_view rest = file;
  if (!working_directory.empty() && rest.starts_with(working_directory) && rest.substr(working_directory.size()).starts_with('/')) {
    rest.remove_prefix(working_directory.size() + 1);
  }
  // Spark: /tmp/spark-<uuid>/userFiles-<uuid>/…; YARN: <local dir>/usercache/<user>/[appcache/<application>/]filecache/<number>/…
  std::string_view shipped = rest;
  if (Before("/userFiles-", &shipped) && Before("/", &shipped) && !shipped.empty()) rest = shipped;
  shipped = rest;
  if (Before("/usercache/", &shipped) && Before("/filecache/", &shipped)) {
    const std::optional<std::string_view> number = Before("/", &shipped);
    if (number && AllDigits(*number) && !shipped.empty()) rest = shipped;
  }
  // This profiler's own package, where an executor has unpacked it: …/python-<number>/sparkmemprof/…
  shipped = rest;
  if (Before("/python-", &shipped)) {
    const std::optional<std::string_view> number = Before("/", &shipped);
    if (number && AllDigits(*number) && shipped.starts_with("sparkmemprof/")) rest = shipped;
  }
  while (rest.starts_with("./") && rest.size() > 2) rest.remove_prefix(2);
  return rest;
}

}  // namespace

std::string SourceName(std::string_view file, std::string_view working_directory) {
  if (const std::optional<std::string_view> cell = NotebookCell(file)) return "notebook cell " + std::string(*cell);
  return std::string(WithoutPlace(file, working_directory));
}

}  // namespace memprof
