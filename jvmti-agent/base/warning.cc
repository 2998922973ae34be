#include "base/warning.h"

#include <unistd.h>

#include <algorithm>
#include <string>

namespace memprof {

void Warn(std::string_view message) {
  std::string line = "sparkmemprof: ";
  line.append(message);
  std::replace(line.begin(), line.end(), '\n', ' ');
  line.push_back('\n');
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace memprof
