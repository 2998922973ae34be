// The report model as JSON (docs/report.schema.json) and back. Key order is fixed, so that equal models give equal text.
// Strings that are not UTF-8 are written with U+FFFD in place of the bad bytes. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/text_sink.h"
#include "report/model.h"

namespace memprof {

// Whether the words that follow from the values are written (docs/report.md). Without them a report can still be read.
enum class Words : bool { kNone, kAll };
std::string WriteReportJson(const Report& report, Words words = Words::kAll);
void WriteReportJson(const Report& report, TextSink& to, Words words = Words::kAll);  // row by row; throws what `to` throws

// Parts of it. Rows are those of the report from `offset` on, at most `length`, with `total` beside them; a stage's row is
// without `sites` and `lines`, which its own part has. A report and a stage show so many rows of tasks as fit (json_tasks.h);
// WriteTasksJson has them all.
struct RowRange {
  size_t offset = 0, length = 0;
};
std::string WriteExecutorsJson(const Report& report, RowRange range);
std::string WriteStagesJson(const Report& report, RowRange range);
std::string WriteStageJson(const ReportStage& stage);
std::string WriteTasksJson(const Report& report, const ReportStage& stage, RowRange range);

// Tolerates unknown and missing keys (another minor version wrote the file); kCorrupt for what isn't JSON, isn't a
// report, or has another schemaVersion.
Result<Report> ReadReportJson(std::string_view text);

}  // namespace memprof
