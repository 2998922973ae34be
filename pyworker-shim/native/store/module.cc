// _store: the report's views for the CLI and notebooks. One implementation of the numbers, in C++ (common/report); here
// is only the way in. Takes and gives str/bytes; a report that cannot be read raises ValueError with the reason.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string_view>

#include "eventlog/event_log_file.h"
#include "program/program_report.h"
#include "report/views.h"

namespace py = pybind11;

namespace {

py::str Unpack(const memprof::Result<std::string>& rendered) {
  if (!rendered.ok()) throw py::value_error(rendered.status().message());
  return py::str(*rendered);
}

// Views are made without the GIL: a large report takes a while, and a notebook has other threads.
template <typename View>
py::str Render(const py::bytes& report_json, View view) {
  std::string_view text = report_json;
  memprof::Result<std::string> rendered = [&] {
    py::gil_scoped_release release;
    return view(text);
  }();
  return Unpack(rendered);
}

}  // namespace

PYBIND11_MODULE(_store, module) {
  module.doc() = "Views of a sparkmemprof report.json.";
  module.attr("__version__") = MEMPROF_VERSION;
  module.def(
      "program_report",
      [](const std::string& box_directory, const std::string& id, const std::string& name, int pid, const std::string& host,
         const std::string& failure, int64_t started_ms, int64_t ended_ms) {
        memprof::Result<std::string> report = [&] {
          py::gil_scoped_release release;
          return memprof::ProgramReportJson({id, name, box_directory, pid, host, failure, started_ms, ended_ms});
        }();
        return Unpack(report);
      },
      py::arg("box_directory"), py::arg("id"), py::arg("name"), py::arg("pid"), py::arg("host"), py::arg("failure"), py::arg("started_ms"),
      py::arg("ended_ms"),
      "The report.json of a program without Spark, from the boxes of its processes. `failure` is how it ended, or empty.\n\n"
      "Raises ValueError when no process left a box that can be read.");
  module.def(
      "report_of_event_log",
      [](const std::vector<std::string>& files) {
        memprof::Result<std::string> report = [&] {
          py::gil_scoped_release release;
          return memprof::ReportOfEventLog(files);
        }();
        return Unpack(report);
      },
      py::arg("files"),
      "The report.json that an application's event log holds; `files` in the order in which they were written.\n\n"
      "Raises ValueError, with the reason, when there is none in it.");
  module.def(
      "render_html", [](const py::bytes& report_json) { return Render(report_json, memprof::RenderHtml); }, py::arg("report_json"),
      "One self-contained HTML file (nothing loaded, its own script alone) made from the bytes of a report.json.\n\n"
      "Raises ValueError when they are not a report of this schema version.");
  module.def(
      "render_text",
      [](const py::bytes& report_json, int width, bool colour, int max_lines) {
        return Render(report_json, [&](std::string_view text) { return memprof::RenderText(text, {width, colour, max_lines}); });
      },
      py::arg("report_json"), py::arg("width") = 100, py::arg("colour") = false, py::arg("max_lines") = 0,
      "Terminal text made from the bytes of a report.json: `width` columns, ANSI colours on request, at most `max_lines` lines\n"
      "(0: all of them).\n\nRaises ValueError when they are not a report of this schema version.");
  module.def(
      "render_comparison",
      [](const py::bytes& before, const py::bytes& after, int width, bool colour) {
        const std::string_view first = before;
        return Render(after, [&](std::string_view second) { return memprof::RenderComparison(first, second, {width, colour, 0}); });
      },
      py::arg("before"), py::arg("after"), py::arg("width") = 100, py::arg("colour") = false,
      "Terminal text of what changed from one report.json to another.\n\n"
      "Raises ValueError when either is not a report of this schema version.");
  module.def(
      "render_comparison_json",
      [](const py::bytes& before, const py::bytes& after) {
        const std::string_view first = before;
        return Render(after, [&](std::string_view second) { return memprof::RenderComparisonJson(first, second); });
      },
      py::arg("before"), py::arg("after"), "The same as JSON.\n\nRaises ValueError when either is not a report of this schema version.");
  module.def(
      "render_collapsed",
      [](const py::bytes& report_json, const std::string& measure) {
        for (const memprof::Measure known : memprof::kMeasures) {
          if (memprof::MeasureWord(known) != measure) continue;
          return Render(report_json, [&](std::string_view text) { return memprof::RenderCollapsed(text, known); });
        }
        throw py::value_error("unknown measure: " + measure);
      },
      py::arg("report_json"), py::arg("measure") = "allocated",
      "Collapsed stacks (\"outermost;...;innermost bytes\", a line each) of `measure`: allocated, live at peak, resident at peak.\n\n"
      "Raises ValueError for another measure, or when the bytes are not a report of this schema version.");
  module.def(
      "render_speedscope", [](const py::bytes& report_json) { return Render(report_json, memprof::RenderSpeedscope); },
      py::arg("report_json"),
      "speedscope's JSON, a profile a measure.\n\nRaises ValueError when the bytes are not a report of this schema version.");
  module.def(
      "render_csv", [](const py::bytes& report_json) { return Render(report_json, memprof::RenderCsv); }, py::arg("report_json"),
      "A CSV table of every site.\n\nRaises ValueError when the bytes are not a report of this schema version.");
  module.def(
      "render_pprof",
      [](const py::bytes& report_json) {
        const std::string_view text = report_json;
        const memprof::Result<std::string> rendered = [&] {
          py::gil_scoped_release release;
          return memprof::RenderPprof(text);
        }();
        if (!rendered.ok()) throw py::value_error(rendered.status().message());
        return py::bytes(*rendered);
      },
      py::arg("report_json"),
      "pprof's profile.proto as bytes, not compressed.\n\nRaises ValueError when the bytes are not a report of this schema version.");
}
