// A JVM that ended itself of a full heap, by the last words that it left in a file (profile/words_file.h). Pure function.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/model.h"

namespace memprof {

// As an executor's death; what its limits were isn't known. Nothing: the words tell of no such end, or aren't of this version.
std::optional<ReportPostMortem> DeathByWords(const std::vector<std::string>& words);

}  // namespace memprof
