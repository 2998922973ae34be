// Why this executor's Python workers are not profiled, as their daemon left it beside the black boxes (refusal.py).
#pragma once

#include <string>

#include "boxes/executor_boxes.h"

namespace memprof {

// Removes what was left. One line; "": nothing was. Thread-safe (no state).
std::string TakePythonRefusal(const BoxPlace& place);

}  // namespace memprof
