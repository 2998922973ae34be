// The profiler of this Python process: installs the hooks, owns the recorder, survives forks. Cold: nothing here runs inside
// malloc. Call with the GIL held; one thread at a time (the GIL sees to that).
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "sites/recorder.h"

namespace memprof {

// Makes this process's box and starts counting. Does nothing when it is started already. On failure nothing is hooked and the
// status says why: no place for the box, an interpreter that isn't laid out as expected. A forked child is not profiled until it
// calls this itself. `started_by_task`: it is no worker, but a process that a task has started.
Status StartProfiler(const char* box_directory, const char* application_id, const char* executor_id, uint64_t interval_bytes,
                     bool started_by_task);

// Removes the hooks, and the box if nothing in it waits to be read. Does nothing when not started.
void StopProfiler();

bool ProfilerStarted();

// The open task's session; see Recorder. Without a started profiler they do nothing.
void OpenTaskSession();
void SetSessionTask(const TaskIdentity& task);
// False: no room for it.
bool AddSessionUdf(std::string_view name, std::string_view file, uint32_t line, std::string_view kind, bool is_generator);
// A UDF whose code has another name: stacks show it by `name`, until the session closes. `code` is alive until then.
void NameSessionCode(const void* code, std::string_view name);
void SetSessionCounter(std::string_view name, uint64_t value);
void CloseTaskSession();

struct ProfilerCounters {
  Recorder::Counters recorder;
  uint64_t reservations, reserved_bytes;  // mappings that only reserve address space, since start
  uint64_t dropped_modules;               // native frames in them have no name
};
ProfilerCounters ReadProfilerCounters();

const char* BoxPath();  // "" when not started

}  // namespace memprof
