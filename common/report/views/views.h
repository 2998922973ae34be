// Views of the report: pure functions from the model, or from its text (report.json), to another text. A text that cannot be read
// gives a Status with the reason; none of them computes figures of its own.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "base/text_sink.h"

namespace memprof {

struct Report;

// One self-contained file: no network, its own script alone.
Result<std::string> RenderHtml(std::string_view report_json);
void RenderHtml(const Report& report, TextSink& to);
struct TextOptions {
  int width = 100;      // columns
  bool colour = false;  // ANSI
  int max_lines = 0;    // 0 = no bound; the driver's log takes 25
};
Result<std::string> RenderText(std::string_view report_json, const TextOptions& options);
std::string RenderText(const Report& report, const TextOptions& options);

// An application's deaths alone.
struct DeathsText {
  std::string text;                // and that its end was not seen; empty where nobody died and the application has ended
  bool driver_unmeasured = false;  // so a death of its driver would not be there
};
Result<DeathsText> RenderDeaths(std::string_view report_json, const TextOptions& options);  // max_lines does not count

// Whether it asks a person to do something: somebody died, its end was not seen, or there is a finding.
bool CallsForAction(const Report& report);

// Two runs of one job: what changed from the first to the second.
Result<std::string> RenderComparison(std::string_view before_json, std::string_view after_json, const TextOptions& options);
Result<std::string> RenderComparisonJson(std::string_view before_json, std::string_view after_json);
// The file of the second, whose flame graph shows what changed.
Result<std::string> RenderComparisonHtml(std::string_view before_json, std::string_view after_json);

}  // namespace memprof
