#include "report/html_page.h"

namespace memprof {

std::string EscapeHtml(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (char letter : text) {
    switch (letter) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      case '\t':
      case '\n':
      case '\r':
        escaped += ' ';
        break;
      default: {
        auto byte = static_cast<unsigned char>(letter);
        if (byte < 0x20 || byte == 0x7f) {
          escaped += "\xef\xbf\xbd";
        } else {
          escaped += letter;
        }
      }
    }
  }
  return escaped;
}

HtmlPage& HtmlPage::Element(std::string_view tag, std::string_view names, std::string_view text) {
  return Open(tag, names).Text(text).Close(tag);
}

HtmlPage& HtmlPage::Open(std::string_view tag, std::string_view names) {
  html_.append("<").append(tag);
  if (!names.empty()) html_.append(" class=\"").append(EscapeHtml(names)).append("\"");
  html_ += ">";
  return *this;
}

HtmlPage& HtmlPage::Close(std::string_view tag) {
  html_.append("</").append(tag).append(">");
  return *this;
}

}  // namespace memprof
