#include "report/json_tasks.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "report/json_null.h"
#include "report/words.h"

namespace memprof {
namespace {

using Json = nlohmann::ordered_json;

// Some 75 bytes of JSON each, a third of that when compressed: 2 MB beside the 16 that a report may come to.
constexpr size_t kMostTaskRows = 30'000;

constexpr const char* kQuantiles[] = {"least", "lowerQuartile", "median", "upperQuartile", "largest"};

// Two places behind the point.
double Rounded(double ratio) { return std::round(ratio * 100) / 100; }

const Json& At(const Json& json, const std::string& key) {
  static const Json absent;
  if (!json.is_object()) return absent;
  const auto found = json.find(key);
  return found == json.end() ? absent : *found;
}

template <typename Integer>
std::optional<Integer> IntegerOf(const Json& value) {
  if (value.is_number_unsigned()) {
    const uint64_t number = value.get<uint64_t>();
    return std::in_range<Integer>(number) ? std::optional(static_cast<Integer>(number)) : std::nullopt;
  }
  if (!value.is_number_integer()) return std::nullopt;
  const int64_t number = value.get<int64_t>();
  return std::in_range<Integer>(number) ? std::optional(static_cast<Integer>(number)) : std::nullopt;
}

template <typename Put>
void ReadColumn(const Json& columns, std::string_view name, std::vector<ReportTask>& rows, Put put) {
  const Json& column = At(columns, std::string(name));
  if (!column.is_array() || column.size() != rows.size()) return;
  for (size_t i = 0; i < rows.size(); ++i) put(rows[i], column[i]);
}

}  // namespace

std::vector<size_t> TaskRowsShown(std::span<const ReportStage> stages) {
  std::vector<size_t> shown(stages.size()), by_rows(stages.size());
  std::iota(by_rows.begin(), by_rows.end(), size_t{0});
  std::stable_sort(by_rows.begin(), by_rows.end(),
                   [&](size_t a, size_t b) { return stages[a].task_rows.size() < stages[b].task_rows.size(); });
  size_t left = kMostTaskRows;
  for (size_t i = 0; i < by_rows.size(); ++i) {
    const size_t share = left / (by_rows.size() - i);
    shown[by_rows[i]] = std::min(stages[by_rows[i]].task_rows.size(), share);
    left -= shown[by_rows[i]];
  }
  return shown;
}

Json TaskColumns(const ReportStage& stage, size_t begin, size_t length) {
  begin = std::min(begin, stage.task_rows.size());
  const size_t end = begin + std::min(length, stage.task_rows.size() - begin);
  Json ids = Json::array(), partitions = Json::array(), attempts = Json::array(), statuses = Json::array(), executors = Json::array(),
       launched = Json::array();
  std::array<Json, kTaskFigures> figures;
  figures.fill(Json::array());
  for (size_t i = begin; i < end; ++i) {
    const ReportTask& task = stage.task_rows[i];
    ids.push_back(task.task_attempt_id);
    partitions.push_back(task.partition < 0 ? Json(nullptr) : Json(task.partition));
    attempts.push_back(task.attempt < 0 ? Json(nullptr) : Json(task.attempt));
    statuses.push_back(TaskStatusWord(task.status));
    executors.push_back(TextOrNull(task.executor_id));
    launched.push_back(OrNull(task.launched_ms));
    for (size_t figure = 0; figure < kTaskFigures; ++figure) {
      const uint64_t value = task.figures[figure];
      figures[figure].push_back(value == kNoTaskFigure ? Json(nullptr) : Json(value));
    }
  }
  Json columns{{"known", stage.task_rows_known},   {"taskAttemptIds", std::move(ids)}, {"partitions", std::move(partitions)},
               {"attempts", std::move(attempts)},  {"statuses", std::move(statuses)},  {"executors", std::move(executors)},
               {"launchedMs", std::move(launched)}};
  for (size_t figure = 0; figure < kTaskFigures; ++figure) {
    columns[std::string(TaskFigureWord(static_cast<TaskFigure>(figure)))] = std::move(figures[figure]);
  }
  return columns;
}

Json DistributionsJson(const std::vector<ReportDistribution>& distributions) {
  Json rows = Json::array();
  for (const ReportDistribution& distribution : distributions) {
    Json row{{"figure", TaskFigureWord(distribution.figure)}, {"tasks", distribution.tasks}};
    for (size_t i = 0; i < distribution.quantiles.size(); ++i) row[kQuantiles[i]] = distribution.quantiles[i];
    row["skew"] = distribution.skew ? Json(Rounded(*distribution.skew)) : Json(nullptr);
    rows.push_back(std::move(row));
  }
  return rows;
}

void ReadTasks(const Json& stage_json, ReportStage& stage) {
  const Json& columns = At(stage_json, "taskRows");
  const Json& ids = At(columns, "taskAttemptIds");
  if (ids.is_array()) stage.task_rows.resize(ids.size());
  for (ReportTask& row : stage.task_rows) row.figures.fill(kNoTaskFigure);
  const auto put_number = [](auto& to, const Json& value) { to = IntegerOf<std::remove_reference_t<decltype(to)>>(value).value_or(to); };
  ReadColumn(columns, "taskAttemptIds", stage.task_rows,
             [&](ReportTask& row, const Json& value) { put_number(row.task_attempt_id, value); });
  ReadColumn(columns, "partitions", stage.task_rows, [&](ReportTask& row, const Json& value) { put_number(row.partition, value); });
  ReadColumn(columns, "attempts", stage.task_rows, [&](ReportTask& row, const Json& value) { put_number(row.attempt, value); });
  ReadColumn(columns, "statuses", stage.task_rows, [](ReportTask& row, const Json& value) {
    if (value.is_string()) row.status = TaskStatusOfWord(value.get_ref<const std::string&>());
  });
  ReadColumn(columns, "executors", stage.task_rows, [](ReportTask& row, const Json& value) {
    if (value.is_string()) row.executor_id = value.get_ref<const std::string&>();
  });
  ReadColumn(columns, "launchedMs", stage.task_rows,
             [](ReportTask& row, const Json& value) { row.launched_ms = IntegerOf<int64_t>(value); });
  for (size_t figure = 0; figure < kTaskFigures; ++figure) {
    ReadColumn(columns, TaskFigureWord(static_cast<TaskFigure>(figure)), stage.task_rows,
               [&](ReportTask& row, const Json& value) { put_number(row.figures[figure], value); });
  }
  stage.task_rows_known = std::max<uint64_t>(IntegerOf<uint64_t>(At(columns, "known")).value_or(0), stage.task_rows.size());
  const Json& distributions = At(stage_json, "distributions");
  if (!distributions.is_array()) return;
  for (const Json& json : distributions) {
    const Json& word = At(json, "figure");
    for (size_t figure = 0; word.is_string() && figure < kTaskFigures; ++figure) {
      if (word.get_ref<const std::string&>() != TaskFigureWord(static_cast<TaskFigure>(figure))) continue;
      ReportDistribution& distribution = stage.distributions.emplace_back();
      distribution.figure = static_cast<TaskFigure>(figure);
      put_number(distribution.tasks, At(json, "tasks"));
      for (size_t i = 0; i < distribution.quantiles.size(); ++i) put_number(distribution.quantiles[i], At(json, kQuantiles[i]));
      if (const Json& skew = At(json, "skew"); skew.is_number()) distribution.skew = skew.get<double>();
    }
  }
}

}  // namespace memprof
