#include "report_library.h"

#include <memory>

#include "base/valid_utf8.h"
#include "eventlog/files/event_log_file.h"
#include "report/since.h"
#include "system/memory_cgroup.h"
#include "system/proc_files.h"

namespace memprof {
namespace {

MemoryBounds BoundsOfMemory() {
  MemoryBounds bounds{.host_bytes = ProcFiles().HostMemory().value_or(0), .available_bytes = ProcFiles().ReadHostRoom().available_bytes};
  if (const Result<std::unique_ptr<MemoryCgroup>> cgroup = FindMemoryCgroup(); cgroup.ok()) {
    bounds.limit_bytes = (*cgroup)->Limit(bounds.host_bytes);
    bounds.oom_kills = (*cgroup)->OomKills();
  }
  return bounds;
}

constexpr ReportLibrary kLibrary = {
    .program_report = ProgramReportJson,
    .report_of_driver = ReportOfDriver,
    .read_dead_boxes = ReadDeadBoxes,
    .report_of_event_log = ReportOfEventLog,
    .report_since = ReportJsonSince,
    .memory_bounds = BoundsOfMemory,
    .valid_utf8 = ValidUtf8,
    .render_html = RenderHtml,
    .render_text = RenderText,
    .render_deaths = RenderDeaths,
    .render_comparison = RenderComparison,
    .render_comparison_json = RenderComparisonJson,
    .render_comparison_html = RenderComparisonHtml,
    .render_collapsed = RenderCollapsed,
    .render_speedscope = RenderSpeedscope,
    .render_csv = RenderCsv,
    .render_pprof = RenderPprof,
};

}  // namespace
}  // namespace memprof

extern "C" const memprof::ReportLibrary* SparkmemprofReportLibrary() { return &memprof::kLibrary; }
