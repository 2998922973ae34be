#include "shortage/out_of_memory_command.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>

namespace memprof {

bool IsSigkill(std::string_view command) {
  std::string words;  // in lower case, with single spaces
  for (const char c : command) {
    if (c != ' ' || !words.ends_with(' ')) words += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  // As `kill` takes it: POSIX, and bash's and util-linux' own forms.
  static constexpr std::string_view kForms[] = {"kill -9 ",      "kill -kill ",      "kill -sigkill ", "kill -s 9 ",
                                                "kill -s kill ", "kill -s sigkill ", "kill -n 9 "};
  return std::any_of(std::begin(kForms), std::end(kForms), [&](std::string_view form) { return words.find(form) != words.npos; });
}

}  // namespace memprof
