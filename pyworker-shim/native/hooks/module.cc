// _hooks: the profiler of a Python worker, as sparkmemprof/worker.py drives it. Everything else is in profiler.h.
#include <pybind11/pybind11.h>

#include <stdexcept>
#include <string>

#include "allocators/arena_hooks.h"
#include "base/installed_code.h"
#include "fatal_signals.h"
#include "frames/unicode_text.h"
#include "profiler.h"

namespace {

namespace py = pybind11;
using namespace memprof;

void Start(const std::string& box_directory, const std::string& application_id, const std::string& executor_id, uint64_t interval_bytes,
           bool started_by_task) {
  Status status = StartProfiler(box_directory.c_str(), application_id.c_str(), executor_id.c_str(), interval_bytes, started_by_task);
  if (!status.ok()) throw std::runtime_error(status.message());
}

void SetTask(int64_t task_attempt_id, int32_t stage_id, int32_t stage_attempt, int32_t partition, int32_t attempt_number) {
  SetSessionTask({task_attempt_id, stage_id, stage_attempt, partition, attempt_number});
}

py::dict CountersAsDict() {
  const ProfilerCounters counters = ReadProfilerCounters();
  py::dict result;
  result["samples"] = counters.recorder.samples;
  result["droppedSites"] = counters.recorder.dropped_sites;
  result["droppedFrames"] = counters.recorder.dropped_frames;
  result["droppedLive"] = counters.recorder.dropped_live;
  result["droppedSessions"] = counters.recorder.dropped_sessions;
  result["evictedSites"] = counters.recorder.evicted_sites;
  result["intervalDoublings"] = counters.recorder.interval_doublings;
  result["droppedModules"] = counters.dropped_modules;
  result["reservations"] = counters.reservations;
  result["reservedBytes"] = counters.reserved_bytes;
  return result;
}

// Stacks of installed code, such as a package's wrapper, are shown as they are even where the user's names are withheld: they must not
// have any of those.
void NameCode(const py::object& code, const std::string& name) {
  if (!PyCode_Check(code.ptr())) throw py::type_error("name_code: no code object");
  char buffer[4096];
  const StringRef file = TextOf(reinterpret_cast<PyCodeObject*>(code.ptr())->co_filename, buffer, sizeof buffer);
  if (!IsInstalledCode({file.data, file.size})) NameSessionCode(code.ptr(), name);
}

}  // namespace

PYBIND11_MODULE(_hooks, module) {
  module.doc() = "Allocation hooks of a Python worker. Sizes are bytes.";
  InstallArenaHooks();
  module.def("start", &Start, py::arg("box_directory"), py::arg("application_id"), py::arg("executor_id"), py::arg("interval_bytes"),
             py::arg("started_by_task") = false,
             "Makes this process's black box in box_directory (which exists, mode 0700) and starts counting; a second call does "
             "nothing. started_by_task: it is no worker, but a process that a task has started. A forked child is inert until it calls "
             "this itself. Raises RuntimeError, with nothing hooked, saying why.");
  module.def("stop", &StopProfiler, "Puts everything back; removes the box if nothing in it waits to be read.");
  module.def("started", &ProfilerStarted, "True between start() and stop(), in the process that called start().");
  module.def("open_session", &OpenTaskSession, "Opens a task's session; one that is open is closed.");
  module.def("set_task", &SetTask, py::arg("task_attempt_id"), py::arg("stage_id"), py::arg("stage_attempt"), py::arg("partition"),
             py::arg("attempt_number"), "Says which task the open session serves; -1 is unknown.");
  module.def("add_udf", &AddSessionUdf, py::arg("name"), py::arg("file"), py::arg("line"), py::arg("kind"), py::arg("is_generator") = false,
             "Names a user's function that the open session runs: name, file, line of its def, kind of evaluation, whether its code is a "
             "generator's. False: the session names as many others as it can.");
  module.def("name_code", &NameCode, py::arg("code"), py::arg("name"),
             "Stacks of the open session show the code object of one of its UDFs by this name; installed code keeps its own. The code must "
             "live until close_session().");
  module.def("set_counter", &SetSessionCounter, py::arg("name"), py::arg("value"), "Sets a counter of the open session.");
  module.def("close_session", &CloseTaskSession, "Closes and seals the open session, if there is one.");
  module.def("note_fatal_signals", &NoteFatalSignals,
             "From now on the box says of which signal this process or a child that it forks dies (SIGSEGV, SIGABRT, ...), and where.");
  module.def("counters", &CountersAsDict, "What was dropped or left out since start(), by name, as a dict of int.");
  module.def("box_path", &BoxPath, "The box file's path; empty when not started.");
}
