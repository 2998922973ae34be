// Escapes texts for an HTML page.
#pragma once

#include <string>
#include <string_view>

namespace memprof {

// &, <, >, " and ' as entities; control characters as U+FFFD. Good in text and in quoted attributes.
std::string EscapeHtml(std::string_view text);

// JSON that may stand inside <script type="application/json">: nothing in it opens or closes an element or a comment. A JSON
// reader gets the same value, because `<` occurs only in strings.
std::string EscapeJsonInHtml(std::string_view json);

}  // namespace memprof
