// The page of the Memory tab; views.h makes the HTML file.
#pragma once

#include <string>

#include "report/model.h"

namespace memprof {

// The part inside Spark's own page: a place for the app, which loads the report itself, and links to its script and style. Links
// are relative, and no script or style is inline, so it works behind any proxy and under Spark's content security policy. kPast:
// the application has ended and its report doesn't change, so the app does not reload it.
enum class Time : bool { kLive, kPast };
std::string RenderTab(const Report& report, Time time);

}  // namespace memprof
