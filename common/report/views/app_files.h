// The browser app (report-app/) as it was built into this library, for the HTML file and the tab.
#pragma once

#include <string_view>

namespace memprof {

std::string_view AppScript();
std::string_view AppStyle();

// The script's hash as a content security policy names it: "sha256-…".
std::string_view AppScriptHash();

}  // namespace memprof
