// Messages about source text that only the driver has. Of a notebook's cell only its Python knows which one a kernel's name stands for;
// the program's own script need not lie on the executors' hosts. Pure functions, thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "profile/source_lines.h"

namespace memprof {

// A serialised proto::Envelope. `file`: the kernel's name for the cell; a name that isn't one of a cell's (source_names.h) gives "".
// `number`: of its execution. `text`: its code; "" where it must not be shown. Its first thousand lines are taken. What was typed at
// Python's prompt (base/typed_code.h) keeps its name, so its number counts for nothing, and without a text it gives "".
std::string CellMessage(std::string_view file, uint32_t number, std::string_view text, const Redaction& redaction);

// Likewise of a script; `path` as Python names it in frames. Of a path that isn't absolute "". Its first four thousand lines are taken.
std::string ScriptMessage(std::string_view path, std::string_view text, const Redaction& redaction);

}  // namespace memprof
