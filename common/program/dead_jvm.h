// A JVM whose heap was full when it exited, or before, from the last words that it left in a file (profile/words_file.h). Pure function.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/model.h"

namespace memprof {

// Reported like an executor's death; its limits aren't known. Nothing: the words report no such error, or aren't of this version.
std::optional<ReportPostMortem> DeathByWords(const std::vector<std::string>& words);

}  // namespace memprof
