// The output of every terminal view: lines cut at a width, in colour if wanted; and small shared formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/views/views.h"

namespace memprof {

enum class Ink { kPlain, kBold, kDim, kWarm, kHot };

// Length in code points: the columns that a terminal needs for the Latin letters, arrows and bars used here.
size_t Columns(std::string_view text);

// Strings of the user may contain anything, including escape sequences: control characters never reach the terminal.
std::string Printable(std::string_view text);

std::string Fit(std::string_view text, size_t columns);    // cut, with "…"
std::string Right(std::string_view text, size_t columns);  // filled up on the left
std::string Left(std::string_view text, size_t columns);   // cut or filled up on the right

// "███████▌······": in eighths of a column; a value above the whole fills the bar.
std::string Bar(double share, size_t columns);

// "1 line", "1,234 lines".
std::string Counted(uint64_t count, const char* what, const char* plural = "s");

class TextPage {
 public:
  explicit TextPage(const TextOptions& options);

  bool narrow() const;
  size_t lines() const { return lines_.size(); }

  // `ink` colours the whole line; the text is cut at the width.
  void Line(std::string_view text, Ink ink = Ink::kPlain);
  // A paragraph: as many lines as needed, with `indent` before each; at most `most`, the last one cut.
  void Wrapped(std::string_view text, size_t indent, Ink ink, size_t most = SIZE_MAX);
  void Blank();
  void Append(const TextPage& other, size_t most);  // its first lines
  TextPage Empty() const;                           // of the same kind

  std::string Text(int max_lines) const;

 private:
  size_t width_;
  bool colour_;
  std::vector<std::string> lines_;
};

}  // namespace memprof
