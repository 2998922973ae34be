// Names the functions behind return addresses of one module. Cold: opens files, allocates, takes milliseconds.
// Thread-safe (no state).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"

namespace memprof {

// `return_addresses` are pc - load bias; a call's return address may be the first byte of the next function, so each is
// looked up one byte before. Names are demangled, "" where the module has none.
//
// `build_id` (lower-case hex, "" = unknown) must be the file's: kNotFound when the file was replaced or is gone. Local
// functions of a stripped module are looked for in `debug_root`/.build-id/, where Debian's -dbgsym packages put them.
Result<std::vector<std::string>> NameFunctions(const std::string& module, const std::string& build_id,
                                               const std::vector<uint64_t>& return_addresses,
                                               const std::string& debug_root = "/usr/lib/debug");

// A linker's name as NameFunctions gives it: demangled, of at most kMaxNameBytes before repair (template names run to many KB),
// and UTF-8 whatever the symbol table holds.
std::string ShownName(const std::string& linker_name);

inline constexpr size_t kMaxNameBytes = 512;

}  // namespace memprof
