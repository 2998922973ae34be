// What dead processes left in their black boxes, and dead JVMs in their last words (profile/words_file.h), by directory, without
// Spark. Boxes are not trusted until they have been checked (blackbox/box_reader.h). Boxes of living processes are skipped.
// Nothing is changed or removed. Thread-safe (no state).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace memprof {

struct DeadBoxes {
  std::vector<std::string> post_mortems;                     // as text, in the order of the files' names
  std::vector<std::pair<std::string, std::string>> refused;  // path and reason
  std::vector<std::string> alive;                            // their owners hold the lock
  bool cut = false;                                          // there were more than are read
};

inline constexpr size_t kMaxDeadBoxes = 1000;

// Boxes in the directory, in the folders directly below it (one for each application), and in those of a folder sparkmemprof-<uid> in it,
// at most kMaxDeadBoxes; links are not followed. kNotFound: it can't be read.
Result<DeadBoxes> ReadDeadBoxes(const std::string& directory);

}  // namespace memprof
