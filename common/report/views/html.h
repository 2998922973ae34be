// The page of the Memory tab, and the HTML file around an element that holds its model; views.h makes the whole file.
#pragma once

#include <string>
#include <string_view>

#include "base/text_sink.h"
#include "report/model.h"

namespace memprof {

// The part inside Spark's own page: a place for the app, which loads the report itself, and links to its script and style. Links
// are relative, and no script or style is inline, so it works behind any proxy and under Spark's content security policy. kPast:
// the application has ended and its report doesn't change, so the app does not reload it.
enum class Time : bool { kLive, kPast };
std::string RenderTab(const Report& report, Time time);

inline constexpr std::string_view kModelId = "sparkmemprof-model";  // of that element (views/model_element.h)
void RenderHtmlAround(std::string_view model_element, const Report& report, TextSink& to);

}  // namespace memprof
