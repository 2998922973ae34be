#include "system/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <cstring>

namespace memprof {

Result<std::string> ReadTextFile(const std::string& path, size_t most) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    return Status::Error(errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo, "cannot open %s: %s", path.c_str(), strerror(errno));
  }
  std::string text;
  char buffer[8192];
  for (;;) {
    const ssize_t got = read(descriptor, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      const Status status = Status::Error(ErrorCode::kIo, "cannot read %s: %s", path.c_str(), strerror(errno));
      close(descriptor);
      return status;
    }
    text.append(buffer, static_cast<size_t>(got));
    if (got == 0 || text.size() >= most) break;
  }
  close(descriptor);
  if (text.size() > most) text.resize(most);
  return text;
}

std::vector<std::string_view> SplitLines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return lines;
}

std::vector<std::string_view> SplitWords(std::string_view text) {
  std::vector<std::string_view> words;
  for (;;) {
    const size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return words;
    const size_t end = text.find_first_of(" \t", begin);
    words.push_back(text.substr(begin, end == std::string_view::npos ? end : end - begin));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end);
  }
}

std::optional<uint64_t> ParseNumber(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<uint64_t> NumberInFirstLine(std::string_view text) { return ParseNumber(text.substr(0, text.find('\n'))); }

std::optional<uint64_t> ReadNumberFile(const std::string& path) {
  const Result<std::string> text = ReadTextFile(path, 256);
  if (!text.ok()) return std::nullopt;
  return NumberInFirstLine(*text);
}

// Called many times a second for a few files, so it makes no list of lines.
std::optional<uint64_t> NumberOf(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view rest = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!rest.starts_with(key)) continue;
    rest.remove_prefix(key.size());
    if (rest.empty() || (rest.front() != ' ' && rest.front() != ':' && rest.front() != '\t')) continue;
    if (rest.front() == ':') rest.remove_prefix(1);
    const std::vector<std::string_view> words = SplitWords(rest);
    if (words.empty()) return std::nullopt;
    const std::optional<uint64_t> number = ParseNumber(words[0]);
    if (number && words.size() > 1 && words[1] == "kB") return *number * 1024;
    return number;
  }
  return std::nullopt;
}

}  // namespace memprof
