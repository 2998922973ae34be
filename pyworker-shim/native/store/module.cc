// _store: the report's views for the CLI and notebooks. This module only calls the report's library (native/report). It takes and
// returns str and bytes. A report that cannot be read raises ValueError with the reason.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report_library.h"

namespace py = pybind11;

namespace {

const memprof::ReportLibrary& Library() { return *SparkmemprofReportLibrary(); }

template <typename T>
const T& ValueOf(const memprof::Result<T>& result) {
  if (!result.ok()) throw py::value_error(result.status().message());
  return *result;
}

py::str Unpack(const memprof::Result<std::string>& rendered) { return py::str(ValueOf(rendered)); }

// Views are made without the GIL: a large report takes a while, and a notebook has other threads.
template <typename View>
auto WithoutGil(const py::bytes& report_json, View view) {
  const std::string_view text = report_json;
  const py::gil_scoped_release release;
  return view(text);
}

template <typename View>
py::str Render(const py::bytes& report_json, View view) {
  return Unpack(WithoutGil(report_json, view));
}

// Text from files may contain any bytes.
py::str Text(const std::string& text) { return py::str(Library().valid_utf8(text)); }

py::list Texts(const std::vector<std::string>& texts) {
  py::list list;
  for (const std::string& text : texts) list.append(Text(text));
  return list;
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
          return Library().program_report({id, name, box_directory, pid, host, failure, started_ms, ended_ms});
        }();
        return Unpack(report);
      },
      py::arg("box_directory"), py::arg("id"), py::arg("name"), py::arg("pid"), py::arg("host"), py::arg("failure"), py::arg("started_ms"),
      py::arg("ended_ms"),
      "The report.json of a program without Spark, from the boxes of its processes. `failure` is how it ended, or empty.\n\n"
      "Raises ValueError when no process left a box that can be read.");
  module.def(
      "report_since",
      [](const py::bytes& report_json, int64_t since_ms) {
        return Unpack(WithoutGil(report_json, [&](std::string_view text) { return Library().report_since(text, since_ms); }));
      },
      py::arg("report_json"), py::arg("since_ms"),
      "The report.json without the stages, actions and deaths that began before.\n\n"
      "Raises ValueError when it is none of this schema version.");
  module.def(
      "driver_report",
      [](const py::bytes& report_json, const std::string& box_directory, const std::string& id, const std::string& name,
         const std::string& host, int64_t started_ms, int64_t ended_ms, const std::string& failure, int exit_status, bool exited,
         bool jvm_killed, const std::string& started_by, std::optional<uint64_t> kernel_kills, int64_t kills_since_ms,
         std::optional<uint64_t> limit_bytes, uint64_t host_memory_bytes, std::optional<uint64_t> host_available_bytes, bool jvm_told,
         int64_t report_ms) {
        memprof::DriverEnd end;
        end.report_json = std::string(std::string_view(report_json));
        end.python = {id, name, box_directory, 0, host, failure, started_ms, ended_ms};
        end.exit_status = exit_status;
        end.exited = exited;
        end.jvm_told = jvm_told;
        end.report_ms = report_ms;
        end.jvm_killed = jvm_killed;
        end.started_by = started_by;
        end.kernel_kills = kernel_kills;
        end.kills_since_ms = kills_since_ms;
        end.limit_bytes = limit_bytes;
        end.host_memory_bytes = host_memory_bytes;
        end.host_available_bytes = host_available_bytes;
        memprof::Result<memprof::DriverReport> report = [&] {
          py::gil_scoped_release release;
          return Library().report_of_driver(end);
        }();
        if (!report.ok() && report.status().code() == memprof::ErrorCode::kNotFound) return py::object(py::none());
        if (!report.ok()) throw py::value_error(report.status().message());
        py::list deaths;
        for (const memprof::ToldDeath& death : report->deaths) deaths.append(py::make_tuple(death.headline, death.text));
        return py::object(py::make_tuple(py::str(report->json), deaths));
      },
      py::arg("report_json"), py::arg("box_directory"), py::arg("id"), py::arg("name"), py::arg("host"), py::arg("started_ms"),
      py::arg("ended_ms"), py::arg("failure"), py::arg("exit_status"), py::arg("exited"), py::arg("jvm_killed"), py::arg("started_by"),
      py::arg("kernel_kills"), py::arg("kills_since_ms"), py::arg("limit_bytes"), py::arg("host_memory_bytes"),
      py::arg("host_available_bytes"), py::arg("jvm_told"), py::arg("report_ms"),
      "(report.json, [(headline, post-mortem as text)]): an application's report joined with what its driver's Python process left in its "
      "boxes.\n\n"
      "failure: how that process ended, or empty. exited: it ended by itself, with an exit status of its own.\n"
      "jvm_told: the report is of its JVM's last moment, with its own death. report_ms: when it was written, since the epoch; 0: not "
      "known.\n"
      "None: there is nothing to add. Raises ValueError when the report is none of this schema version.");
  module.def(
      "memory_bounds",
      [] {
        const memprof::MemoryBounds bounds = Library().memory_bounds();
        py::dict facts;
        facts["hostBytes"] = bounds.host_bytes;
        facts["availableBytes"] = bounds.available_bytes;
        facts["limitBytes"] = bounds.limit_bytes;
        facts["oomKills"] = bounds.oom_kills;
        return facts;
      },
      "{hostBytes, availableBytes, limitBytes, oomKills} of the host's memory and of this process's cgroup. None: no limit, not counted, "
      "no cgroup.");
  module.def(
      "read_dead_boxes",
      [](const py::bytes& directory) {
        memprof::Result<memprof::DeadBoxes> found = [&, path = std::string(std::string_view(directory))] {
          py::gil_scoped_release release;
          return Library().read_dead_boxes(path);
        }();
        if (!found.ok()) throw py::value_error(Library().valid_utf8(found.status().message()));
        py::list refused;
        for (const auto& [path, reason] : found->refused) refused.append(py::make_tuple(Text(path), Text(reason)));
        return py::make_tuple(Texts(found->post_mortems), refused, Texts(found->alive), found->cut);
      },
      py::arg("directory"),
      "([post-mortem as text], [(path, why it was refused)], [path of a living process's], whether there were more) of the black boxes in "
      "a "
      "directory.\n\nRaises ValueError when it can't be read.");
  module.def(
      "report_of_event_log",
      [](const std::vector<std::string>& files, const std::string& lacking) {
        memprof::Result<std::string> report = [&] {
          py::gil_scoped_release release;
          return Library().report_of_event_log(files, lacking);
        }();
        return Unpack(report);
      },
      py::arg("files"), py::arg("lacking"),
      "The report.json that an application's event log holds; `files` in the order in which they were written. `lacking`: words for\n"
      "others that should be there.\n\n"
      "Raises ValueError, with the reason, when there is none in it.");
  module.def(
      "render_html",
      [](const py::bytes& report_json) { return Render(report_json, [](std::string_view text) { return Library().render_html(text); }); },
      py::arg("report_json"),
      "One self-contained HTML file (nothing loaded, its own script alone) made from the bytes of a report.json.\n\n"
      "Raises ValueError when they are not a report of this schema version.");
  module.def(
      "render_text",
      [](const py::bytes& report_json, int width, bool colour, int max_lines) {
        return Render(report_json, [&](std::string_view text) { return Library().render_text(text, {width, colour, max_lines}); });
      },
      py::arg("report_json"), py::arg("width") = 100, py::arg("colour") = false, py::arg("max_lines") = 0,
      "Terminal text made from the bytes of a report.json: `width` columns, ANSI colours on request, at most `max_lines` lines\n"
      "(0: all of them).\n\nRaises ValueError when they are not a report of this schema version.");
  module.def(
      "render_deaths",
      [](const py::bytes& report_json, int width, bool colour) {
        const auto result = WithoutGil(report_json, [&](std::string_view text) {
          return Library().render_deaths(text, {width, colour, 0});
        });
        const memprof::DeathsText& deaths = ValueOf(result);
        return py::make_tuple(Text(deaths.text), deaths.driver_unmeasured);
      },
      py::arg("report_json"), py::arg("width") = 100, py::arg("colour") = false,
      "(text, driver_unmeasured) of an application: terminal text of its deaths, and of an end that was not seen, empty when there\n"
      "were none and it has ended; and whether a death of its driver would not be there.\n\n"
      "Raises ValueError when the bytes are not a report of this schema version.");
  module.def(
      "render_comparison",
      [](const py::bytes& before, const py::bytes& after, int width, bool colour) {
        const std::string_view first = before;
        return Render(after, [&](std::string_view second) { return Library().render_comparison(first, second, {width, colour, 0}); });
      },
      py::arg("before"), py::arg("after"), py::arg("width") = 100, py::arg("colour") = false,
      "Terminal text of what changed from one report.json to another.\n\n"
      "Raises ValueError when either is not a report of this schema version.");
  module.def(
      "render_comparison_json",
      [](const py::bytes& before, const py::bytes& after) {
        const std::string_view first = before;
        return Render(after, [&](std::string_view second) { return Library().render_comparison_json(first, second); });
      },
      py::arg("before"), py::arg("after"), "The same as JSON.\n\nRaises ValueError when either is not a report of this schema version.");
  module.def(
      "render_comparison_html",
      [](const py::bytes& before, const py::bytes& after) {
        const std::string_view first = before;
        return Render(after, [&](std::string_view second) { return Library().render_comparison_html(first, second); });
      },
      py::arg("before"), py::arg("after"),
      "The HTML file of the second, whose flame graph shows what changed.\n\n"
      "Raises ValueError when either is not a report of this schema version.");
  module.def(
      "render_collapsed",
      [](const py::bytes& report_json, const std::string& measure) {
        for (const memprof::Measure known : memprof::kMeasures) {
          if (memprof::MeasureWord(known) != measure) continue;
          return Render(report_json, [&](std::string_view text) { return Library().render_collapsed(text, known); });
        }
        throw py::value_error("unknown measure: " + measure);
      },
      py::arg("report_json"), py::arg("measure") = "allocated",
      "Collapsed stacks (\"outermost;...;innermost bytes\", a line each) of `measure`: allocated, live at peak, resident at peak.\n\n"
      "Raises ValueError for another measure, or when the bytes are not a report of this schema version.");
  module.def(
      "render_speedscope", [](const py::bytes& report_json) { return Render(report_json, Library().render_speedscope); },
      py::arg("report_json"),
      "speedscope's JSON, a profile a measure.\n\nRaises ValueError when the bytes are not a report of this schema version.");
  module.def(
      "render_csv", [](const py::bytes& report_json) { return Render(report_json, Library().render_csv); }, py::arg("report_json"),
      "A CSV table of every site.\n\nRaises ValueError when the bytes are not a report of this schema version.");
  module.def(
      "render_pprof",
      [](const py::bytes& report_json) {
        const auto rendered = WithoutGil(report_json, [](std::string_view text) { return Library().render_pprof(text); });
        return py::bytes(ValueOf(rendered));
      },
      py::arg("report_json"),
      "pprof's profile.proto as bytes, not compressed.\n\nRaises ValueError when the bytes are not a report of this schema version.");
}
