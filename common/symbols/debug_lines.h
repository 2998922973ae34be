// DebugLines: files, lines and inlined functions, as the DWARF of one ELF file has them. Sections are read into memory
// of its own (never mapped: docs/decisions/0303); libbacktrace reads them and takes its memory from the same budget.
// Cold: takes about 10 ms per MiB of DWARF. Ordinary C++ without exceptions. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/status.h"
#include "symbols/elf_file.h"
#include "symbols/source_call.h"

namespace memprof {

class DebugLines {
 public:
  // kNotFound: the file has no DWARF. kExhausted: it needs more than `max_bytes`. kCorrupt: it can't be understood.
  static Result<DebugLines> Read(const ElfFile& file, size_t max_bytes);
  DebugLines(DebugLines&&) noexcept;
  DebugLines& operator=(DebugLines&&) noexcept;
  ~DebugLines();

  // The calls at an address of the file, outermost first; empty when nothing is known. Function names are the linker's where the
  // compiler recorded those. A unit that doesn't fit into the rest of `max_bytes` is unknown.
  SourceCalls Find(uint64_t address);

  bool exhausted() const;  // something was left out for lack of room

 private:
  struct Reader;
  explicit DebugLines(std::unique_ptr<Reader> reader);

  std::unique_ptr<Reader> reader_;
};

}  // namespace memprof
