// Service threads: threads that work for no single task, by what they do. The list is closed: a thread that isn't in it keeps its
// own name, so that it is noticed. docs/report.md lists the services with their reasons. Pure functions.
#pragma once

#include <string_view>

namespace memprof {

// The service of a thread, by its normalised name (stacks/class_names.h); "" when it is in none.
std::string_view ServiceOfThread(std::string_view normalized_thread_name);

// True if a thread of this name works for all tasks, whichever of them started it. The threads around a task's Python worker, and
// those on which tasks are launched, work for one task at a time.
bool ServesAllTasks(std::string_view normalized_thread_name);

}  // namespace memprof
