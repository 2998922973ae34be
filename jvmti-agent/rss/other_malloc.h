// Whether malloc is another library's than libc's: jemalloc, mimalloc or tcmalloc, preloaded or linked in. What libc says of its own heaps
// is then of almost none of the process's blocks. Cold; thread-safe (no state).
#pragma once

#include <string>

namespace memprof {

// Its file's name, such as "libjemalloc.so.2"; "": it is libc's.
std::string OtherMalloc();

}  // namespace memprof
