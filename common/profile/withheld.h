// What leaves an executor instead of a name that must not (spark.memprof.source=none): a hash of it, so that the same name is the same
// everywhere and always, and lines can still be told apart and compared. It hides names from readers; who knows a name can confirm it.
// Pure function.
#pragma once

#include <string>
#include <string_view>

namespace memprof {

std::string Withheld(std::string_view what, std::string_view name);  // "file-0123456789"

}  // namespace memprof
