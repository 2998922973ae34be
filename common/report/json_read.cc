#include <limits>
#include <nlohmann/json.hpp>

#include "report/fields/report.h"
#include "report/json.h"
#include "report/json_reader.h"
#include "report/json_tasks.h"
#include "report/json_time_line.h"

namespace memprof {

using Json = nlohmann::ordered_json;

const Json& JsonReader::At(std::string_view key) const {
  static const Json absent;
  if (!object_.is_object()) return absent;
  const auto found = object_.find(key);
  return found == object_.end() ? absent : *found;
}

template <std::integral T>
std::optional<T> JsonReader::IntegerOf(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<uint64_t>();
    return std::in_range<T>(number) ? std::optional(static_cast<T>(number)) : std::nullopt;
  }
  if (!value.is_number_integer()) return std::nullopt;
  const auto number = value.get<int64_t>();
  return std::in_range<T>(number) ? std::optional(static_cast<T>(number)) : std::nullopt;
}

template std::optional<int32_t> JsonReader::IntegerOf(const Json& value);
template std::optional<int64_t> JsonReader::IntegerOf(const Json& value);
template std::optional<uint32_t> JsonReader::IntegerOf(const Json& value);
template std::optional<uint64_t> JsonReader::IntegerOf(const Json& value);

std::string JsonReader::Text(std::string_view key) const {
  const Json& value = At(key);
  return value.is_string() ? value.get<std::string>() : std::string();
}

void JsonReader::Value(std::string_view key, bool& flag) {
  if (const Json& value = At(key); value.is_boolean()) flag = value.get<bool>();
}

void JsonReader::Rounded(std::string_view key, std::optional<double>& ratio) {
  if (const Json& value = At(key); value.is_number()) ratio = value.get<double>();
}

void JsonReader::IndexOrAbsent(std::string_view key, std::optional<uint32_t>& index, size_t size) {
  OrNull(key, index);
  if (index && *index >= size) index.reset();
}

void JsonReader::Indexes(std::string_view key, std::vector<uint32_t>& indexes, size_t size) {
  for (const Json& index : At(key)) {
    if (index.is_number_unsigned() && index.get<uint64_t>() < size) indexes.push_back(index.get<uint32_t>());
  }
}

void JsonReader::Ids(std::string_view key, std::vector<int32_t>& ids) {
  const Json& list = At(key);
  if (!list.is_array()) return;
  for (const Json& id : list) {
    if (const auto number = IntegerOf<int32_t>(id); number && *number >= 0) ids.push_back(*number);
  }
}

void JsonReader::Ids(std::string_view key, std::vector<int64_t>& ids) {
  for (const Json& id : At(key)) {
    if (id.is_number_integer()) ids.push_back(id.get<int64_t>());
  }
}

void JsonReader::Counters(std::string_view key, std::vector<std::pair<std::string, uint64_t>>& counters) {
  const Json& values = At(key);
  if (!values.is_object()) return;
  for (const auto& [name, value] : values.items()) {
    if (value.is_number_unsigned()) counters.emplace_back(name, value.get<uint64_t>());
  }
}

void JsonReader::TaskRows(std::string_view key, ReportStage& stage, size_t /*most*/) { ReadTaskColumns(At(key), stage); }

void JsonReader::TimeLine(std::string_view key, std::optional<ReportTimeLine>& line) { line = ReadTimeLine(At(key)); }

void JsonReader::Stages(std::string_view key, std::vector<ReportStage>& stages) { List(key, stages, StageForm()); }

Result<Report> ReadReportJson(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return Status::Error(ErrorCode::kCorrupt, "not a report: this is not JSON (cut off, or another file)");
  JsonReader reader(json);
  const auto version = JsonReader::IntegerOf<int64_t>(reader.At("schemaVersion"));
  if (!version || !reader.At("stages").is_array() || !reader.At("executors").is_array()) {
    return Status::Error(ErrorCode::kCorrupt, "not a sparkmemprof report: schemaVersion, executors or stages are missing");
  }
  if (*version != kReportSchemaVersion) {
    return Status::Error(ErrorCode::kUnsupported, "report of schema version %lld; this sparkmemprof reads version %d",
                         static_cast<long long>(*version), kReportSchemaVersion);
  }
  Report report;
  Fields(report, reader);
  return report;
}

}  // namespace memprof
