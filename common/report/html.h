// The HTML view of a model that is at hand; views.h makes the file from a report.json.
#pragma once

#include <string>

#include "report/model.h"

namespace memprof {

// What stands inside Spark's own page, in place of the file's header and frame: markup without script or inline style. Its
// style sheet is `style.css` beside it, its links are relative.
std::string RenderTab(const Report& report);

}  // namespace memprof
