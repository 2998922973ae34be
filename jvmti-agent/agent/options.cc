#include "agent/options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string>

#include "base/setting_value.h"
#include "base/size.h"

namespace memprof {
namespace {

constexpr uint64_t kMaxInterval = kGiB;  // JVMTI takes a signed 32-bit interval
constexpr uint64_t kMaxTaskBytes = 256 * kKiB;
constexpr uint64_t kMinTaskBytes = kKiB;

enum class Kind : uint8_t { kBoolean, kSize, kSeconds, kPath, kSource, kHeapLooks, kArrowPool, kRegex, kFactor };

struct Key {
  std::string_view name;
  Kind kind;
  uint64_t minimum = 0;
  uint64_t maximum = std::numeric_limits<int64_t>::max();
};

constexpr std::array<Key, 22> kKeys = {{
    {"box.dir", Kind::kPath},
    {"container.bytes", Kind::kSize, 1},    // not set by the user, but by the executor's Java half
    {"container.counted", Kind::kBoolean},  // likewise
    {"driver.enabled", Kind::kBoolean},
    {"enabled", Kind::kBoolean},
    {"eventLog.enabled", Kind::kBoolean},
    {"heap.looks", Kind::kHeapLooks},
    {"interval", Kind::kSize, 1, kMaxInterval},
    {"native.enabled", Kind::kBoolean},
    {"native.interval", Kind::kSize, 1, kMaxInterval},
    {"offheap.interval", Kind::kSize, 1, kMaxInterval},
    {"patience", Kind::kFactor, 1, 60},
    {"python.arrowPool", Kind::kArrowPool},
    {"python.enabled", Kind::kBoolean},
    {"python.interval", Kind::kSize, 1, kMaxInterval},
    {"report.dir", Kind::kPath},
    {"snapshot.seconds", Kind::kSeconds, 1, 3600},
    {"source", Kind::kSource},
    {"spark.redaction.regex", Kind::kRegex},  // Spark's own setting; the driver's half passes it on
    {"store.limit", Kind::kSize, kMiB},
    {"task.maxBytes", Kind::kSize, kMinTaskBytes, kMaxTaskBytes},
    {"ui.enabled", Kind::kBoolean},
}};

std::string KnownKeys() {
  std::string names;
  for (const Key& key : kKeys) names.append(names.empty() ? "" : ", ").append(key.name);
  return names;
}

// Options come from a command line: what a message repeats of them is cut and kept on one line.
std::string Quoted(std::string_view text) {
  std::string quoted(text.substr(0, 60));
  std::replace_if(
      quoted.begin(), quoted.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return '"' + quoted + '"';
}

Status Bad(std::string_view option, const std::string& allowed) {
  return Status::Error(ErrorCode::kInvalidArgument, "bad option %s: %s", Quoted(option).c_str(), allowed.c_str());
}

Status ReadBoolean(std::string_view option, std::string_view value, bool* target) {
  const std::optional<bool> flag = ParseBoolean(value);
  if (!flag) return Bad(option, "give true or false");
  *target = *flag;
  return {};
}

// `value`: one of those that are allowed.
HeapLooks ReadHeapLooks(std::string_view value) {
  const std::optional<bool> flag = ParseBoolean(value);
  if (!flag) return HeapLooks::kAtErrors;
  return *flag ? HeapLooks::kBeforeErrorsToo : HeapLooks::kNever;
}

Status ReadSize(std::string_view option, const Key& key, std::string_view value, uint64_t* target) {
  const Result<uint64_t> size = ParseSize(value);
  if (!size.ok()) return Bad(option, "give a size in bytes such as 65536, 512k or 1m");
  if (*size < key.minimum || *size > key.maximum) {
    return Bad(option, "give a size from " + std::to_string(key.minimum) + " to " + std::to_string(key.maximum) + " bytes");
  }
  *target = *size;
  return {};
}

}  // namespace

Status ApplyOption(std::string_view option, AgentOptions* options) {
  const size_t equals = option.find('=');
  const std::string_view name = option.substr(0, equals);
  const Key* key = std::find_if(kKeys.begin(), kKeys.end(), [&](const Key& known) { return known.name == name; });
  if (key == kKeys.end()) return Bad(option, "known keys are " + KnownKeys());
  if (equals == std::string_view::npos) return Bad(option, "write " + std::string(name) + "=value");
  const std::string_view value = option.substr(equals + 1);

  bool flag = false;
  uint64_t number = 0;
  switch (key->kind) {
    case Kind::kBoolean: {
      const Status status = ReadBoolean(option, value, &flag);
      if (!status.ok()) return status;
      break;
    }
    case Kind::kSize: {
      const Status status = ReadSize(option, *key, value, &number);
      if (!status.ok()) return status;
      break;
    }
    case Kind::kSeconds:
    case Kind::kFactor: {
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
      if (error != std::errc() || end != value.data() + value.size() || number < key->minimum || number > key->maximum) {
        const std::string what = key->kind == Kind::kSeconds ? "whole seconds" : "a whole number";
        return Bad(option, "give " + what + " from " + std::to_string(key->minimum) + " to " + std::to_string(key->maximum));
      }
      break;
    }
    case Kind::kPath:
      if (value.empty()) return Bad(option, "give a path");
      break;
    case Kind::kRegex:
      break;  // read where it is used
    case Kind::kHeapLooks:
      if (value != "errors" && !ParseBoolean(value)) return Bad(option, "give errors, true or false");
      break;
    case Kind::kArrowPool:
      if (value != "default" && value != "system") return Bad(option, "give default or system");
      break;
    case Kind::kSource:
      if (value != "lines" && value != "names" && value != "none") return Bad(option, "give lines, names or none");
      break;
  }
  if (name == "enabled") options->enabled = flag;
  if (name == "heap.looks") options->heap_looks = ReadHeapLooks(value);
  if (name == "interval") options->heap_interval_bytes = number;
  if (name == "native.enabled") options->native = flag;
  if (name == "native.interval") options->native_interval_bytes = number;
  if (name == "offheap.interval") options->offheap_interval_bytes = number;
  if (name == "task.maxBytes") options->task_max_bytes = number;
  if (name == "container.bytes") options->container_bytes = number;
  if (name == "container.counted") options->container_counted = flag;
  if (name == "patience") options->patience = static_cast<int>(number);
  if (name == "source") options->source = value == "lines" ? Source::kLines : value == "names" ? Source::kNames : Source::kNone;
  if (name == "spark.redaction.regex") options->redaction = value;
  return {};
}

std::vector<Status> ParseAgentPath(const char* text, AgentOptions* options) {
  std::vector<Status> bad;
  std::string_view rest = text == nullptr ? std::string_view() : std::string_view(text);
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    const std::string_view option = rest.substr(0, comma);
    Status status = ApplyOption(option, options);
    if (!status.ok()) bad.push_back(status);
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  return bad;
}

}  // namespace memprof
