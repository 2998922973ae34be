#include "blackbox/box_name.h"

#include <cstdio>

namespace memprof::box {
namespace {

constexpr std::string_view kPrefix = "memprof+", kSuffix = ".box";

char Safe(char c) {
  bool safe = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
  return safe ? c : '_';
}

template <size_t N>
struct SafeText {
  char text[N + 1] = {};
  explicit SafeText(std::string_view from) {
    for (size_t i = 0; i < N && i < from.size(); ++i) text[i] = Safe(from[i]);
  }
};

}  // namespace

void MakeName(char (&name)[kMaxNameBytes], std::string_view application_id, std::string_view executor_id, std::string_view boot_id,
              int32_t pid, uint64_t start_ticks, uint64_t random) {
  SafeText<kNamedApplicationBytes> application(application_id);
  SafeText<kNamedExecutorBytes> executor(executor_id);
  SafeText<kNamedBootIdBytes> boot(boot_id);
  snprintf(name, sizeof name, "%s%s+%s+%s+%d+%llu+%016llx%s", kPrefix.data(), application.text, executor.text, boot.text, pid,
           static_cast<unsigned long long>(start_ticks), static_cast<unsigned long long>(random), kSuffix.data());
}

bool IsName(std::string_view name) {
  return name.size() > kPrefix.size() + kSuffix.size() && name.starts_with(kPrefix) && name.ends_with(kSuffix);
}

bool NameBelongsTo(std::string_view name, std::string_view application_id) {
  SafeText<kNamedApplicationBytes> application(application_id);
  if (!IsName(name)) return false;
  name.remove_prefix(kPrefix.size());
  std::string_view wanted(application.text);
  return name.size() > wanted.size() + kSuffix.size() && name.starts_with(wanted) && name[wanted.size()] == '+';
}

}  // namespace memprof::box
