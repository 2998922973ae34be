#include "report/views/html_escape.h"

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

std::string EscapeJsonInHtml(std::string_view json) {
  std::string escaped;
  escaped.reserve(json.size() + json.size() / 16);
  for (char letter : json) {
    if (letter == '<') {
      escaped += "\\u003c";
    } else {
      escaped += letter;
    }
  }
  return escaped;
}

}  // namespace memprof
