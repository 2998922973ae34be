#include "report/pages/pages.h"

#include <charconv>
#include <optional>
#include <utility>

#include "report/json.h"
#include "report/views/app_files.h"

namespace memprof {
namespace {

constexpr const char* kHtml = "text/html; charset=utf-8";
constexpr const char* kScript = "text/javascript; charset=utf-8";
constexpr const char* kCss = "text/css; charset=utf-8";
constexpr const char* kJson = "application/json";
constexpr size_t kDefaultRows = 100, kMostRows = 1000;

std::shared_ptr<const std::string> Keep(std::string text) { return std::make_shared<const std::string>(std::move(text)); }

PageAnswer Ok(const char* content_type, std::shared_ptr<const std::string> body) { return {200, content_type, std::move(body)}; }

PageAnswer Refusal(int status, std::string why) {
  PageAnswer answer;
  answer.status = status;
  answer.body = Keep(std::move(why) + "\n");
  return answer;
}

template <typename Number>
std::optional<Number> WholeNumber(std::string_view text) {
  Number number = 0;
  const char* end = text.data() + text.size();
  auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stopped != end || number < 0) return std::nullopt;
  return number;
}

// The text before `separator`; removes both from `rest`.
std::string_view Next(std::string_view& rest, char separator) {
  size_t end = rest.find(separator);
  std::string_view piece = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return piece;
}

// The value of `name`; if it is given several times, the last; null: it isn't given.
std::optional<std::string_view> Parameter(std::string_view query, std::string_view name) {
  std::optional<std::string_view> found;
  while (!query.empty()) {
    std::string_view value = Next(query, '&');
    if (Next(value, '=') == name) found = value;
  }
  return found;
}

// The rows that `query` asks for, written by `write`; or an answer that says what is wrong with the query.
template <typename Write>
PageAnswer Rows(std::string_view query, Write&& write) {
  RowRange range{0, kDefaultRows};
  if (auto given = Parameter(query, "offset")) {
    auto number = WholeNumber<int64_t>(*given);
    if (!number) return Refusal(400, "offset must be a whole number, 0 or more: the first row to show.");
    range.offset = static_cast<size_t>(*number);
  }
  if (auto given = Parameter(query, "length")) {
    auto number = WholeNumber<int64_t>(*given);
    if (!number || *number == 0 || *number > static_cast<int64_t>(kMostRows)) {
      return Refusal(400, "length must be a whole number from 1 to 1000: how many rows to show.");
    }
    range.length = static_cast<size_t>(*number);
  }
  return Ok(kJson, Keep(write(range)));
}

// A file of the app; it is copied once.
std::shared_ptr<const std::string> File(std::string_view contents, std::shared_ptr<const std::string>& kept) {
  if (!kept) kept = Keep(std::string(contents));
  return kept;
}

}  // namespace

bool AsksForFresh(std::string_view query) { return Parameter(query, "fresh") == "true"; }

PageAnswer ReportPages::Answer(std::string_view path, std::string_view query) {
  constexpr std::string_view kStage = "api/v1/stages/";
  if (path.starts_with('/')) path.remove_prefix(1);
  if (path.empty()) {
    if (!page_) page_ = Keep(RenderTab(report_, time_));
    return Ok(kHtml, page_);
  }
  if (path == "app.js") return Ok(kScript, File(AppScript(), script_));
  if (path == "app.css") return Ok(kCss, File(AppStyle(), style_));
  if (path == "api/v1/report") {
    if (!json_) json_ = Keep(WriteReportJson(report_));
    return Ok(kJson, json_);
  }
  if (path == "api/v1/executors") return Rows(query, [&](RowRange range) { return WriteExecutorsJson(report_, range); });
  if (path == "api/v1/stages") return Rows(query, [&](RowRange range) { return WriteStagesJson(report_, range); });
  if (path.starts_with(kStage)) return Stage(path.substr(kStage.size()), query);
  return Refusal(404,
                 "There is no such page. There are: the tab itself, and below it api/v1/report, api/v1/executors, api/v1/stages, "
                 "api/v1/stages/<stage id>/<attempt> and api/v1/stages/<stage id>/<attempt>/tasks.");
}

PageAnswer ReportPages::Stage(std::string_view id_and_attempt, std::string_view query) const {
  constexpr std::string_view kTasks = "/tasks";
  const bool tasks = id_and_attempt.ends_with(kTasks);
  if (tasks) id_and_attempt.remove_suffix(kTasks.size());
  std::string_view attempt_text = id_and_attempt;
  auto id = WholeNumber<int32_t>(Next(attempt_text, '/'));
  auto attempt = WholeNumber<int32_t>(attempt_text);
  if (!id || !attempt) return Refusal(400, "Want api/v1/stages/<stage id>/<attempt>, both whole numbers; the first attempt is 0.");
  for (const ReportStage& stage : report_.stages) {
    if (stage.stage_id != *id || stage.attempt != *attempt) continue;
    if (!tasks) return Ok(kJson, Keep(WriteStageJson(stage)));
    return Rows(query, [&](RowRange range) { return WriteTasksJson(report_, stage, range); });
  }
  return Refusal(404, "The report has no such stage attempt; api/v1/stages lists those it has.");
}

}  // namespace memprof
