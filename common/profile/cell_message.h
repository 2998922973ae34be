// The message about a cell of a notebook: only the driver's Python knows which cell a kernel's name for it stands for, and its text. Pure
// function, thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "profile/source_lines.h"

namespace memprof {

// A serialised proto::Envelope. `file`: the kernel's name for the cell; a name that isn't one of a cell's (source_names.h) gives "".
// `number`: of its execution. `text`: its code; "" where it must not be shown.
std::string CellMessage(std::string_view file, uint32_t number, std::string_view text, const Redaction& redaction);

}  // namespace memprof
