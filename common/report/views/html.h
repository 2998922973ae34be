// The page of the Memory tab; views.h makes the HTML file.
#pragma once

#include <string>

#include "report/model.h"

namespace memprof {

// What stands inside Spark's own page: a place for the app, which asks for the report itself, and where its script and style
// lie. Links are relative, no script or style is inline: it holds behind any proxy and within Spark's content security policy.
// `Past`: of an application whose report stands, so that there is nothing to ask for again.
enum class Time : bool { kLive, kPast };
std::string RenderTab(const Report& report, Time time);

}  // namespace memprof
