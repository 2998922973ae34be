#include "report/json_tasks.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include "report/fields/field_list.h"
#include "report/json_reader.h"
#include "report/json_writer.h"
#include "report/words.h"

namespace memprof {
namespace {

using Json = nlohmann::ordered_json;

// A row is some 90 bytes of JSON, a third of that when compressed: about 2 MB, besides the 16 MB that a report may have.
constexpr size_t kMostTaskRows = 30'000;

constexpr std::string_view kKnown = "known", kIds = "taskAttemptIds";

// Every key is a column, except the number of known rows.
void Fields(Is<ReportTask> auto& task, auto& visit) {
  visit.Value(kIds, task.task_attempt_id);
  visit.NumberOrNull("partitions", task.partition);
  visit.NumberOrNull("attempts", task.attempt);
  visit.Word("statuses", task.status, TaskStatusWord, TaskStatusOfWord);
  visit.OrNull("executors", task.executor_id);
  visit.OrNull("launchedMs", task.launched_ms);
  for (size_t i = 0; i < kTaskFigures; ++i) visit.FigureOrNull(TaskFigureWord(static_cast<TaskFigure>(i)), task.figures[i]);
}

// Adds a task's values to their columns.
class ColumnWriter : public JsonWriter {
 public:
  explicit ColumnWriter(uint64_t known) {
    JsonWriter::Put(kKnown, known);
    const ReportTask none;
    Fields(none, *this);  // writes the keys only
    begun_ = true;
  }

  // A row's values come in the order of the columns.
  void Put(std::string_view key, Json value) override {
    if (!begun_) return JsonWriter::Put(key, Json::array());
    if (++column_ == Members().size()) column_ = kFirstColumn;
    Members().begin()[static_cast<ptrdiff_t>(column_)].second.push_back(std::move(value));
  }

  void NumberOrNull(std::string_view key, int32_t number) { ValueIf(number >= 0, key, number); }
  void FigureOrNull(std::string_view key, uint64_t figure) { ValueIf(figure != kNoTaskFigure, key, figure); }

 private:
  static constexpr size_t kFirstColumn = 1;  // behind the number of known rows

  bool begun_ = false;
  size_t column_ = 0;  // of the last value
};

// Reads the values of one task from their columns.
class ColumnReader : public JsonReader {
 public:
  ColumnReader(const Json& columns, size_t rows, size_t row) : JsonReader(columns), rows_(rows), row_(row) {}

  const Json& At(std::string_view key) const override {
    static const Json absent;
    const Json& column = JsonReader::At(key);
    return column.is_array() && column.size() == rows_ ? column[row_] : absent;
  }

  void NumberOrNull(std::string_view key, int32_t& number) { Value(key, number); }
  void FigureOrNull(std::string_view key, uint64_t& figure) { figure = IntegerOf<uint64_t>(At(key)).value_or(kNoTaskFigure); }

 private:
  size_t rows_, row_;
};

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
  ColumnWriter writer(stage.task_rows_known);
  for (size_t i = begin; i < end; ++i) Fields(stage.task_rows[i], writer);
  return std::move(writer).Take();
}

void ReadTaskColumns(const Json& columns, ReportStage& stage) {
  JsonReader reader(columns);
  if (const Json& ids = reader.At(kIds); ids.is_array()) stage.task_rows.resize(ids.size());
  for (size_t i = 0; i < stage.task_rows.size(); ++i) {
    ColumnReader row(columns, stage.task_rows.size(), i);
    Fields(stage.task_rows[i], row);
  }
  reader.Value(kKnown, stage.task_rows_known);
  stage.task_rows_known = std::max<uint64_t>(stage.task_rows_known, stage.task_rows.size());
}

}  // namespace memprof
