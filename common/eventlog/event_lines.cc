#include "eventlog/event_lines.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

namespace memprof {
namespace {

using Json = nlohmann::json;

constexpr size_t kMostLineBytes = 4u << 20;  // Spark's own may be longer: plans of queries
constexpr std::string_view kOurs = "org.sparkmemprof.report.ReportPart";
constexpr size_t kMostNameBytes = 128;  // of the line's begin, with that name in it

// The event's name: `{"Event":"` and the name. Spark writes it first; a tool that rewrites a log may add blanks.
std::string_view EventOf(std::string_view line) {
  auto skip = [&](std::string_view token) {
    while (line.starts_with(' ') || line.starts_with('\t')) line.remove_prefix(1);
    if (!line.starts_with(token)) return false;
    line.remove_prefix(token.size());
    return true;
  };
  if (!skip("{") || !skip("\"Event\"") || !skip(":") || !skip("\"")) return {};
  return line.substr(0, line.find('"'));
}

std::string Text(const Json& json, const char* key) {
  auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<int64_t> Number(const Json& json, const char* key) {
  auto found = json.find(key);
  if (found == json.end() || !found->is_number_integer()) return std::nullopt;
  if (found->is_number_unsigned() && found->get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return std::numeric_limits<int64_t>::max();
  }
  return found->get<int64_t>();
}

}  // namespace

void EventLines::Add(std::string_view piece) {
  while (!piece.empty()) {
    const size_t end = piece.find('\n');
    const std::string_view part = piece.substr(0, end);
    if (end == std::string_view::npos) {
      if (!skipping_ && line_.size() + part.size() > kMostLineBytes) {
        skipping_ = true;
        const std::string begin = line_.substr(0, kMostNameBytes).append(part.substr(0, kMostNameBytes));
        if (EventOf(begin) == kOurs) report_.Refused();
      }
      if (skipping_) {
        line_.assign(1, ' ');  // the line was begun in an earlier piece
      } else {
        line_ += part;
      }
      return;
    }
    if (!skipping_) {
      if (line_.empty()) {
        Line(part);
      } else {
        Line(line_ += part);
      }
    }
    line_.clear();
    skipping_ = false;
    piece.remove_prefix(end + 1);
  }
}

bool EventLines::Finish() {
  const bool whole = line_.empty() || (!skipping_ && Json::accept(line_));
  if (whole && !line_.empty()) Line(line_);
  line_.clear();
  skipping_ = false;
  return whole;
}

void EventLines::Line(std::string_view line) {
  const std::string_view event = EventOf(line);
  const bool ours = event == kOurs;
  if (!ours && event != "SparkListenerLogStart" && event != "SparkListenerApplicationStart" && event != "SparkListenerApplicationEnd" &&
      event != "SparkListenerEnvironmentUpdate") {
    return;
  }
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) return;
  if (ours) {
    report_.Add(Text(json, "part"), Text(json, "id"), Number(json, "schemaVersion").value_or(0), Text(json, "report"));
  } else if (event == "SparkListenerLogStart") {
    report_.SparkVersion(Text(json, "Spark Version"));
  } else if (event == "SparkListenerApplicationStart") {
    report_.Started(Text(json, "App ID"), Text(json, "App Name"), Number(json, "Timestamp").value_or(0));
  } else if (event == "SparkListenerApplicationEnd") {
    report_.Ended(Number(json, "Timestamp").value_or(0));
  } else if (auto properties = json.find("Spark Properties"); properties != json.end() && properties->is_object()) {
    report_.Plugins(Text(*properties, "spark.plugins"));
  }
}

}  // namespace memprof
