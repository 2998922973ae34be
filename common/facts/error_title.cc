#include "facts/error_title.h"

#include "base/cut_text.h"

namespace memprof {
namespace {

constexpr size_t kMaxTitle = 240;
constexpr std::string_view kTraceback = "Traceback (most recent call last):";
constexpr std::string_view kCause = "Caused by: ";

// Removes the next line from `rest` and returns it.
std::string_view NextLine(std::string_view& rest) {
  size_t end = rest.find_first_of("\r\n");
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return line;
}

}  // namespace

std::string_view ErrorTitle(std::string_view text) {
  size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  std::string_view rest = text.substr(begin);
  std::string_view title = NextLine(rest);
  if (title.ends_with(kTraceback)) {
    while (!rest.empty()) {
      std::string_view line = NextLine(rest);
      if (line.starts_with("\tat ") || line.starts_with(kCause)) break;  // Java's own stack
      if (!line.empty() && line[0] != ' ' && line[0] != '\t') title = line;
    }
  }
  return CutText(title, kMaxTitle);
}

std::string_view FatalError(std::string_view text) {
  if (text.starts_with("FetchFailed(")) return {};
  while (!text.empty()) {
    std::string_view line = NextLine(text);
    if (line.starts_with(kCause)) line.remove_prefix(kCause.size());
    if (line.starts_with("java.lang.OutOfMemoryError") || line.starts_with("io.netty.util.internal.OutOfDirectMemoryError")) {
      return CutText(line, kMaxTitle);
    }
  }
  return {};
}

}  // namespace memprof
