#include "profile/source_names.h"

#include <optional>

#include "base/digits.h"
#include "base/notebook_cell.h"

namespace memprof {
namespace {

// The text before the first `end`; removes both from `rest`. Nothing if `end` isn't there.
std::optional<std::string_view> Before(std::string_view end, std::string_view* rest) {
  const size_t at = rest->find(end);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view before = rest->substr(0, at);
  rest->remove_prefix(at + end.size());
  return before;
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
  const std::string cell = CellName(file);
  return cell.empty() ? std::string(WithoutPlace(file, working_directory)) : cell;
}

}  // namespace memprof
