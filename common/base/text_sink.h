// Where a long text goes piece by piece, so that no memory has to hold all of it. Not thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace memprof {

class TextSink {
 public:
  virtual ~TextSink() = default;
  virtual void Write(std::string_view piece) = 0;  // may throw: the text ends there
};

// For texts that are wanted as a whole.
class StringSink : public TextSink {
 public:
  void Write(std::string_view piece) override { text += piece; }

  std::string text;
};

}  // namespace memprof
