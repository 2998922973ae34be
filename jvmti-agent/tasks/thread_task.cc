#include "tasks/thread_task.h"

namespace memprof {
namespace {

__attribute__((tls_model("initial-exec"))) thread_local constinit TaskTag current_task{0, 0};

}  // namespace

TaskTag CurrentTask() { return current_task; }
void SetCurrentTask(TaskTag tag) { current_task = tag; }

}  // namespace memprof
