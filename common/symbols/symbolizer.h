// Finds the source positions of return addresses of one module: functions, and, where the module or its separate debug file has
// DWARF, files, lines and inlined functions. Cold: opens files, allocates, takes milliseconds. Thread-safe (no state).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "symbols/source_call.h"

namespace memprof {

struct SymbolizerOptions {
  size_t debug_bytes = 12u << 20;             // most memory for DWARF and what is made of it; 0: functions alone
  std::string debug_root = "/usr/lib/debug";  // separate debug files: below it, .build-id/xx/rest.debug
};

struct Symbolized {
  std::vector<SourceCalls> calls;  // one for each address, each of at least one entry
  bool lines_left_out = false;     // there is DWARF, but it needs more than debug_bytes
};

// `return_addresses` are pc - load bias; a call's return address may be the first byte of the next function, so each is
// looked up one byte before. Names are demangled, "" where the module has none.
//
// `build_id` (lower-case hex, "" = unknown) must be the file's: kNotFound when the file was replaced or is gone. Local
// functions and lines of a stripped module are looked for where Debian's -dbgsym packages put them.
Result<Symbolized> Symbolize(const std::string& module, const std::string& build_id, const std::vector<uint64_t>& return_addresses,
                             const SymbolizerOptions& options = {});

// A linker's name as Symbolize gives it: demangled, of at most kMaxNameBytes before repair (template names run to many KB),
// and UTF-8 whatever the symbol table holds.
std::string ShownName(const std::string& linker_name);

inline constexpr size_t kMaxNameBytes = 512;

}  // namespace memprof
