// A report goes into Spark's event log in parts. Each part is an event of its own, so that parts written before the driver died
// are there. A part is a report.json with the rows of that part alone; its kind says which:
//
//   stage        one row of `stages`        id: "<stage id>.<attempt>"
//   executor     one row of `executors`     id: the executor's
//   postMortem   one row of `postMortems`   id: the executor's, and of a Python worker pid, start and task
//   application  all the rest               id: ""
//
// A part may be written again; the newest of each kind and id counts. Its text is the JSON, or, where that is long, gzip of it in
// Base64. Each part has a bound in the log; what doesn't fit is cut, the lightest rows first. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "report/model.h"

namespace memprof {

inline constexpr std::string_view kStagePart = "stage", kExecutorPart = "executor", kPostMortemPart = "postMortem",
                                  kApplicationPart = "application";

// Bytes that one stage, one executor, ... may take in a log, over all its records.
inline constexpr size_t kStagePartBytes = 64 << 10, kExecutorPartBytes = 256 << 10, kPostMortemPartBytes = 128 << 10,
                        kApplicationPartBytes = 2 << 20;

// Counters in the application's part, for the log's reader: how many parts there should be.
inline constexpr const char *kStagesCounter = "eventLogStages", *kExecutorsCounter = "eventLogExecutors";

struct ReportEvent {
  std::string part, id, text;
};

std::string PartId(const ReportStage& stage);

// The text of a part, in at most `bytes` of a log (escaped as a JSON string); null where not even the row without its lists fits.
// Returns how many sites or processes were cut with it.
struct PartText {
  std::string text;
  size_t cut = 0;
};
std::optional<PartText> StagePart(const ReportStage& stage, size_t bytes);
// With at most `samples` of the executor's time line, fewer where they don't fit. Left-out samples are not counted as cut; the
// time line itself counts them.
std::optional<PartText> ExecutorPart(const ReportExecutor& executor, size_t bytes, size_t samples = SIZE_MAX);
std::optional<PartText> PostMortemPart(const ReportPostMortem& death, size_t bytes);
std::optional<PartText> NoPostMortemPart(size_t bytes);                // takes an earlier one of the same id back
std::optional<PartText> ApplicationPart(Report report, size_t bytes);  // its rows of the other parts are left out

// How many bytes a record with this text takes in a log, about.
size_t RecordBytes(const std::string& text);

// The JSON of a part's text, which is not trusted; null: it is damaged.
std::optional<std::string> PartJson(std::string_view text);

}  // namespace memprof
