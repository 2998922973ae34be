#include "facts/pod_containers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace memprof {
namespace {

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const size_t begin = text.find_first_not_of(kBlank);
  return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

void PutLine(std::string_view key, std::string_view value, PodContainer& container) {
  if (key == "container state") container.ended = value == "terminated";
  if (key == "termination reason") {
    container.oom_killed = value == "oomkilled";
    container.status_unknown = value == "containerstatusunknown";
  }
  int code = 0;
  if (key == "exit code" && std::from_chars(value.data(), value.data() + value.size(), code).ec == std::errc()) container.exit_code = code;
}

}  // namespace

std::vector<PodContainer> PodContainersIn(std::string_view lower) {
  constexpr std::string_view kBegin = "container statuses:", kColon = ": ";
  std::vector<PodContainer> containers;
  const size_t begin = lower.find(kBegin);
  std::string_view rest = begin == lower.npos ? "" : lower.substr(begin + kBegin.size());
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = Trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const size_t colon = line.find(kColon);
    if (colon == line.npos) continue;
    const std::string_view key = line.substr(0, colon), value = line.substr(colon + kColon.size());
    if (key == "container name") {
      containers.push_back({.name = std::string(value)});
    } else if (!containers.empty()) {
      PutLine(key, value, containers.back());
    }
  }
  return containers;
}

const PodContainer* SparksOwn(const std::vector<PodContainer>& containers, std::string_view spark_container) {
  if (containers.size() == 1) return containers.data();
  const auto own = std::find_if(containers.begin(), containers.end(), [&](const auto& each) { return each.name == spark_container; });
  return own == containers.end() ? nullptr : &*own;
}

const PodContainer* FirstFailed(const std::vector<PodContainer>& containers) {
  const auto failed = [](const PodContainer& each) { return each.ended && !each.status_unknown && each.exit_code.value_or(0) != 0; };
  auto found =
      std::find_if(containers.begin(), containers.end(), [&](const PodContainer& each) { return failed(each) && each.oom_killed; });
  if (found == containers.end()) found = std::find_if(containers.begin(), containers.end(), failed);
  return found == containers.end() ? nullptr : &*found;
}

std::string ContainerPhrase(const PodContainer& container) {
  return fmt::format("container {} ({}{})", container.name, container.exit_code.value_or(0), container.oom_killed ? ", OOMKilled" : "");
}

}  // namespace memprof
