// The report's library: a shared library without Python in it, which the modules `_store` of all CPythons in the wheel call. It
// exports one symbol. Both are built together and lie in one folder of the wheel: there is no ABI to keep. Thread-safe (no state).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "program/dead_boxes.h"
#include "program/driver_end.h"
#include "program/program_report.h"
#include "report/exports/exports.h"
#include "report/views/views.h"

namespace memprof {

struct MemoryBounds {
  uint64_t host_bytes = 0;                  // 0: not known
  std::optional<uint64_t> available_bytes;  // what of the host's nobody uses; nullopt: not known
  std::optional<uint64_t> limit_bytes;      // nullopt: no limit, no cgroup
  std::optional<uint64_t> oom_kills;        // nullopt: not counted, no cgroup
};

// What each does stands where it is declared: the headers above, report/since.h, base/valid_utf8.h and
// eventlog/files/event_log_file.h.
struct ReportLibrary {
  decltype(&ProgramReportJson) program_report;
  decltype(&ReportOfDriver) report_of_driver;
  decltype(&ReadDeadBoxes) read_dead_boxes;
  Result<std::string> (*report_of_event_log)(const std::vector<std::string>& files, std::string_view lacking);
  Result<std::string> (*report_since)(std::string_view report_json, int64_t since_ms);
  MemoryBounds (*memory_bounds)();  // the host's and this process's cgroup's
  std::string (*valid_utf8)(std::string_view data);

  Result<std::string> (*render_html)(std::string_view report_json);
  Result<std::string> (*render_text)(std::string_view report_json, const TextOptions& options);
  decltype(&RenderDeaths) render_deaths;
  decltype(&RenderComparison) render_comparison;
  decltype(&RenderComparisonJson) render_comparison_json;
  decltype(&RenderComparisonHtml) render_comparison_html;
  decltype(&RenderCollapsed) render_collapsed;
  decltype(&RenderSpeedscope) render_speedscope;
  decltype(&RenderCsv) render_csv;
  decltype(&RenderPprof) render_pprof;
};

}  // namespace memprof

extern "C" __attribute__((visibility("default"))) const memprof::ReportLibrary* SparkmemprofReportLibrary();
