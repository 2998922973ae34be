// HtmlPage: collects the pieces of a page. Text is escaped unless it is markup of ours, by the type of the call: no user's
// string gets into the page through Markup.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace memprof {

// &, <, >, " and ' as entities; control characters as U+FFFD. Good in text and in quoted attributes.
std::string EscapeHtml(std::string_view text);

class HtmlPage {
 public:
  HtmlPage& Markup(std::string_view markup) {
    html_ += markup;
    return *this;
  }
  HtmlPage& Text(std::string_view text) {
    html_ += EscapeHtml(text);
    return *this;
  }
  // <tag class="names">text</tag>
  HtmlPage& Element(std::string_view tag, std::string_view names, std::string_view text);
  // <tag class="names">
  HtmlPage& Open(std::string_view tag, std::string_view names = {});
  HtmlPage& Close(std::string_view tag);

  std::string Take() { return std::move(html_); }

 private:
  std::string html_;
};

}  // namespace memprof
