// Texts on their way into an HTML page.
#pragma once

#include <string>
#include <string_view>

namespace memprof {

// &, <, >, " and ' as entities; control characters as U+FFFD. Good in text and in quoted attributes.
std::string EscapeHtml(std::string_view text);

// JSON that may stand inside <script type="application/json">: nothing in it opens or closes an element or a comment. The same
// value to a reader of JSON, since `<` occurs in strings alone.
std::string EscapeJsonInHtml(std::string_view json);

}  // namespace memprof
