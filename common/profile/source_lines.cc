#include "profile/source_lines.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "base/cut_text.h"
#include "base/setting_value.h"
#include "base/valid_utf8.h"
#include "profile/zip_member.h"

namespace memprof {
namespace {

constexpr size_t kMostBytes = 8u << 20;
constexpr size_t kMostLineBytes = 160;
constexpr int kLinesPerMessage = 256;

std::optional<std::string> ReadFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0) return std::nullopt;
  std::optional<std::string> text;
  struct stat about;
  if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && static_cast<uint64_t>(about.st_size) <= kMostBytes) {
    text.emplace(static_cast<size_t>(about.st_size), '\0');
    size_t size = 0;
    while (size < text->size()) {
      const ssize_t read_bytes = read(file, text->data() + size, text->size() - size);
      if (read_bytes <= 0) break;
      size += static_cast<size_t>(read_bytes);
    }
    text->resize(size);
  }
  close(file);
  return text;
}

std::string Shortened(std::string_view line) {
  if (line.size() <= kMostLineBytes) return ValidUtf8(line);
  return ValidUtf8(CutText(line, kMostLineBytes)) + "…";
}

// Why the regular expression may mean something else in Java than in C++, or may take very long; null: neither. It is strict: a group
// may only have the quantifier ?, so that quantifiers aren't nested.
const char* WhyNotCommon(std::string_view regex) {
  constexpr std::string_view kEscapes = "dDwWsSbBtnr.\\-/[](){}+*?|^$";
  bool in_class = false;
  for (size_t i = 0; i < regex.size(); ++i) {
    const char c = regex[i], next = i + 1 < regex.size() ? regex[i + 1] : '\0';
    if (c == '\\') {
      if (kEscapes.find(next) == std::string_view::npos || next == '\0') return "an escape that is Java's own";
      ++i;
    } else if (in_class) {
      if (c == '[' || (c == '&' && next == '&')) return "a class within a class";
      if (c == ']') in_class = false;
    } else if (c == '[') {
      in_class = true;
      if (next == '^') ++i;
      if (i + 1 < regex.size() && regex[i + 1] == ']') return "a class that begins with ]";
    } else if (c == '(' && next == '?') {
      if (i + 2 >= regex.size() || regex[i + 2] != ':') return "a group other than ( ) and (?: )";
      i += 2;
    } else if (c == ')' && (next == '*' || next == '+' || next == '{')) {
      return "a group that is repeated";
    } else if ((c == '*' || c == '+' || c == '?' || c == '}') && (next == '*' || next == '+' || next == '{')) {
      return "a quantifier after a quantifier";
    }
  }
  return nullptr;
}

}  // namespace

std::vector<SourceLineKey> SourceLinesOf(const proto::TaskProfile& profile, const ProfileSites& sites) {
  std::set<SourceLineKey> found;
  for (const proto::Frame& frame : profile.frames()) {
    if (frame.language() != proto::PYTHON || frame.line() == 0) continue;
    const std::string& file = profile.strings(static_cast<int>(frame.file()));
    if (const std::string* path = sites.PathOf(file)) found.insert({*path, file, frame.line()});
  }
  return {found.begin(), found.end()};
}

bool Redaction::Hides(std::string_view line) const {
  constexpr size_t kMostSearched = 1000;  // std::regex recurses for each byte
  return line.size() > kMostSearched || std::regex_search(line.begin(), line.end(), regex_);
}

Result<Redaction> Redaction::Make(std::string_view regex) {
  constexpr std::string_view kIgnoringCase = "(?i)";  // Java's; C++ has a flag for it
  auto flags = std::regex::ECMAScript | std::regex::optimize;
  if (regex.starts_with(kIgnoringCase)) {
    regex.remove_prefix(kIgnoringCase.size());
    flags |= std::regex::icase;
  }
  if (const char* reason = WhyNotCommon(regex)) return Status::Error(ErrorCode::kInvalidArgument, "%s", reason);
  Redaction redaction;
  try {
    redaction.regex_.assign(regex.begin(), regex.end(), flags);
  } catch (const std::regex_error& error) {
    return Status::Error(ErrorCode::kInvalidArgument, "%s", error.what());
  }
  return redaction;
}

std::string ShownLine(std::string_view line, const Redaction& redaction) {
  line = Trimmed(line);
  return line.empty() ? "" : redaction.Hides(line) ? "(redacted)" : Shortened(line);
}

std::map<uint32_t, std::string> ReadSourceLines(const std::string& path, const std::set<uint32_t>& lines, const Redaction& redaction) {
  std::map<uint32_t, std::string> found;
  std::optional<std::string> text = ReadFile(path);
  if (!text) text = ReadZipMember(path, kMostBytes);
  if (!text) return found;
  std::string_view rest = *text;
  uint32_t number = 1;
  for (const uint32_t wanted : lines) {
    for (; number < wanted && !rest.empty(); ++number) {
      const size_t end = rest.find('\n');
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    if (number != wanted) break;  // 0, or beyond the file's end
    if (std::string line = ShownLine(rest.substr(0, rest.find('\n')), redaction); !line.empty()) found.emplace(wanted, std::move(line));
  }
  return found;
}

void ReadSourceLines(const std::vector<SourceLineKey>& lines, const Redaction& redaction, const std::function<void(proto::Symbols)>& send) {
  std::map<std::pair<std::string, std::string>, std::set<uint32_t>> by_file;
  for (const SourceLineKey& key : lines) by_file[{key.path, key.file}].insert(key.line);
  proto::Symbols message;
  for (const auto& [file, numbers] : by_file) {
    for (auto& [number, text] : ReadSourceLines(file.first, numbers, redaction)) {
      proto::SourceLine* line = message.add_source_lines();
      line->set_file(file.second);
      line->set_line(number);
      line->set_text(std::move(text));
      if (message.source_lines_size() < kLinesPerMessage) continue;
      send(std::move(message));
      message = {};
    }
  }
  if (message.source_lines_size() > 0) send(std::move(message));
}

}  // namespace memprof
