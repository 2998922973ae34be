// Replaces a name that must not leave an executor (spark.memprof.source=none) by its hash. The same name always has the same
// hash, so lines can still be distinguished and compared. It hides names from readers; somebody who knows a name can confirm it.
// Pure function.
#pragma once

#include <string>
#include <string_view>

namespace memprof {

std::string Withheld(std::string_view what, std::string_view name);  // "file-0123456789"

}  // namespace memprof
