#include "report/views/text_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/units.h"

namespace memprof {
namespace {

constexpr int kNarrowest = 40, kWidest = 400;
constexpr size_t kNarrow = 90;

std::string CodeOf(Ink ink) {
  switch (ink) {
    case Ink::kBold:
      return "\x1b[1m";
    case Ink::kDim:
      return "\x1b[2m";
    case Ink::kWarm:
      return "\x1b[33m";
    case Ink::kHot:
      return "\x1b[1;31m";
    case Ink::kPlain:
      break;
  }
  return "";
}

}  // namespace

size_t Columns(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xc0) != 0x80; }));
}

std::string Printable(std::string_view text) {
  std::string clean;
  for (size_t at = 0; at < text.size(); ++at) {
    auto byte = static_cast<unsigned char>(text[at]);
    bool c1 = byte == 0xc2 && at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) < 0xa0;
    if (c1) ++at;
    clean += byte < 0x20 || byte == 0x7f || c1 ? ' ' : text[at];
  }
  return clean;
}

std::string Fit(std::string_view text, size_t columns) {
  if (Columns(text) <= columns) return std::string(text);
  if (columns == 0) return {};
  size_t end = 0;
  for (size_t seen = 0; end < text.size(); ++end) {
    if ((text[end] & 0xc0) != 0x80 && seen++ == columns - 1) break;
  }
  return std::string(text.substr(0, end)) + "…";
}

std::string Right(std::string_view text, size_t columns) {
  return std::string(columns - std::min(columns, Columns(text)), ' ') + std::string(text);
}

std::string Left(std::string_view text, size_t columns) {
  std::string fitted = Fit(text, columns);
  return fitted + std::string(columns - Columns(fitted), ' ');
}

std::string Bar(double share, size_t columns) {
  static constexpr std::array<const char*, 8> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  auto eighths = static_cast<size_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(columns) * 8 + 0.5);
  std::string bar;
  for (size_t i = 0; i < eighths / 8; ++i) bar += "█";
  bar += kEighths[eighths % 8];
  for (size_t i = Columns(bar); i < columns; ++i) bar += "·";
  return bar;
}

std::string Counted(uint64_t count, const char* what, const char* plural) {
  return fmt::format("{} {}{}", FormatCount(count), what, count == 1 ? "" : plural);
}

TextPage::TextPage(const TextOptions& options)
    : width_(static_cast<size_t>(std::clamp(options.width, kNarrowest, kWidest))), colour_(options.colour) {}

bool TextPage::narrow() const { return width_ < kNarrow; }

void TextPage::Line(std::string_view text, Ink ink) {
  std::string line = Fit(text, width_);
  size_t last = line.find_last_not_of(' ');
  line.erase(last == std::string::npos ? 0 : last + 1);
  lines_.push_back(colour_ && ink != Ink::kPlain && !line.empty() ? CodeOf(ink) + line + "\x1b[0m" : line);
}

void TextPage::Wrapped(std::string_view text, size_t indent, Ink ink, size_t most) {
  std::string line;
  size_t written = 0;
  while (!text.empty()) {
    size_t blank = text.find(' ');
    std::string_view word = text.substr(0, blank);
    bool full = !line.empty() && indent + Columns(line) + 1 + Columns(word) > width_;
    if (full && written + 1 >= most) {
      line += " " + std::string(text);  // Line() cuts it
      break;
    }
    text.remove_prefix(blank == std::string_view::npos ? text.size() : blank + 1);
    if (full) {
      Line(std::string(indent, ' ') + line, ink);
      ++written;
      line.clear();
    }
    line += line.empty() ? std::string(word) : " " + std::string(word);
  }
  if (!line.empty()) Line(std::string(indent, ' ') + line, ink);
}

void TextPage::Blank() {
  if (!lines_.empty() && !lines_.back().empty()) lines_.emplace_back();
}

void TextPage::Append(const TextPage& other, size_t most) {
  lines_.insert(lines_.end(), other.lines_.begin(), other.lines_.begin() + static_cast<ptrdiff_t>(std::min(most, other.lines_.size())));
}

TextPage TextPage::Empty() const {
  TextPage page = *this;
  page.lines_.clear();
  return page;
}

std::string TextPage::Text(int max_lines) const {
  auto bound = static_cast<size_t>(std::max(max_lines, 0));
  size_t shown = bound == 0 || lines_.size() <= bound ? lines_.size() : bound - 1;
  std::string text;
  for (size_t i = 0; i < shown; ++i) text += lines_[i] + "\n";
  if (shown < lines_.size()) text += Fit("… " + Counted(lines_.size() - shown, "more line") + " in the report's files", width_) + "\n";
  return text;
}

}  // namespace memprof
