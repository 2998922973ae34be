#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "report/fields/report.h"
#include "report/json.h"
#include "report/json_tasks.h"
#include "report/json_time_line.h"
#include "report/json_words.h"
#include "report/json_writer.h"

namespace memprof {

using Json = nlohmann::ordered_json;

void JsonWriter::Rounded(std::string_view key, const std::optional<double>& ratio) {
  Put(key, ratio ? Json(std::round(*ratio * 100) / 100) : Json(nullptr));
}

void JsonWriter::TaskRows(std::string_view key, const ReportStage& stage, size_t most) { Put(key, TaskColumns(stage, 0, most)); }

void JsonWriter::TimeLine(std::string_view key, const std::optional<ReportTimeLine>& line) {
  Put(key, line ? TimeLineJson(*line) : Json(nullptr));
}

void JsonWriter::Counters(std::string_view key, const std::vector<std::pair<std::string, uint64_t>>& counters) {
  Json values = Json::object();
  for (const auto& [name, value] : counters) values[name] = value;
  Put(key, std::move(values));
}

namespace {

// A row with its words, where it has any.
template <typename Row>
Json Worded(const Row& row, const auto&... form) {
  Json json = JsonWriter::Of(row, form...);
  if constexpr (requires { AddWords(row, json); }) AddWords(row, json);
  return json;
}

std::string TextOf(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// Writes the members of a report row by row: a JSON value of all rows (9 MB of text) took 20 MB more of the driver's memory.
class ReportWriter : public JsonWriter {
 public:
  ReportWriter(TextSink& to, Words words) : to_(to), words_(words) {}

  void Put(std::string_view key, Json value) override {
    Begin(key);
    to_.Write(TextOf(value));
  }

  template <typename Row>
  void List(std::string_view key, const std::vector<Row>& rows) {
    Rows(key, rows, [&](const Row& row) { return Made(row); });
  }

  template <typename T>
  void ObjectOrNull(std::string_view key, const std::optional<T>& value) {
    Put(key, value ? Made(*value) : Json(nullptr));
  }

  void Stages(std::string_view key, const std::vector<ReportStage>& stages) {
    Rows(key, stages, [this, shown = TaskRowsShown(stages), i = size_t{0}](const ReportStage& stage) mutable {
      return Made(stage, StageForm{.task_rows = shown[i++]});
    });
  }

  void End() { to_.Write("}\n"); }

 private:
  template <typename T>
  Json Made(const T& value, const auto&... form) const {
    return words_ == Words::kAll ? Worded(value, form...) : Of(value, form...);
  }

  void Begin(std::string_view key) {
    to_.Write(std::exchange(begun_, true) ? "," : "{");
    to_.Write(TextOf(Json(key)));
    to_.Write(":");
  }

  template <typename Row, typename Convert>
  void Rows(std::string_view key, const std::vector<Row>& rows, Convert convert) {
    Begin(key);
    to_.Write("[");
    for (const Row& row : rows) {
      if (&row != rows.data()) to_.Write(",");
      to_.Write(TextOf(convert(row)));
    }
    to_.Write("]");
  }

  TextSink& to_;
  Words words_;
  bool begun_ = false;
};

// A page as JSON: a few members of the report, then the rows under `name`.
template <typename Make>
std::string PageJson(const Report& report, std::string_view name, size_t total, RowRange range, Make make) {
  JsonWriter page;
  page.Value("schemaVersion", kReportSchemaVersion);
  page.Value("unfinished", report.unfinished);
  page.Value("total", total);
  page.Value("offset", range.offset);
  page.Put(name, make());
  return TextOf(std::move(page).Take()) + "\n";
}

template <typename Row>
std::string RowsPageJson(const Report& report, std::string_view name, const std::vector<Row>& rows, RowRange range, const auto&... form) {
  return PageJson(report, name, rows.size(), range, [&] {
    Json list = Json::array();
    const size_t begin = std::min(range.offset, rows.size()), end = begin + std::min(range.length, rows.size() - begin);
    for (size_t i = begin; i < end; ++i) list.push_back(Worded(rows[i], form...));
    return list;
  });
}

}  // namespace

void WriteReportJson(const Report& report, TextSink& to, Words words) {
  ReportWriter writer(to, words);
  Fields(report, writer);
  if (words == Words::kAll) {
    writer.Put("verdict", VerdictJson(report));
    writer.Put("counterGroups", CounterGroupsJson(report));
  }
  writer.End();
}

std::string WriteReportJson(const Report& report, Words words) {
  StringSink sink;
  WriteReportJson(report, sink, words);
  return std::move(sink.text);
}

std::string WriteExecutorsJson(const Report& report, RowRange range) { return RowsPageJson(report, "executors", report.executors, range); }

std::string WriteStagesJson(const Report& report, RowRange range) {
  return RowsPageJson(report, "stages", report.stages, range, StageForm{.with_sites = false});
}

std::string WriteStageJson(const ReportStage& stage) {
  return TextOf(Worded(stage, StageForm{.task_rows = TaskRowsShown({&stage, 1})[0]})) + "\n";
}

std::string WriteTasksJson(const Report& report, const ReportStage& stage, RowRange range) {
  return PageJson(report, "taskRows", stage.task_rows.size(), range, [&] { return TaskColumns(stage, range.offset, range.length); });
}

}  // namespace memprof
