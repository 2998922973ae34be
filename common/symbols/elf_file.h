// ElfFile: the function names and sections of one 64-bit little-endian ELF file. It reads with pread into memory of its own, symbol
// tables in pieces, and checks every offset and count against the file: a broken or hostile file gives a Status or no names.
//
// Memory: section headers (at most 4 MiB), their names (1 MiB) and one piece of 128 KiB. A look-up walks the whole symbol table once, for
// all addresses together: about 5 ms per 100,000 symbols. Ordinary C++ without exceptions. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace memprof {

class ElfFile {
 public:
  static Result<ElfFile> Open(const std::string& path);
  ElfFile(ElfFile&& other) noexcept;
  ElfFile& operator=(ElfFile&& other) noexcept;
  ~ElfFile();

  const std::string& build_id() const { return build_id_; }    // lower-case hex; "" when it has none
  bool has_symbol_table() const { return symbols_ != kNone; }  // .symtab; false after strip

  // Where a section lies in the file.
  struct Extent {
    uint64_t offset, size;
    bool compressed;  // begins with an Elf64_Chdr
  };
  std::optional<Extent> FindSection(std::string_view name) const;
  bool ReadExtent(const Extent& extent, void* target) const;  // false: beyond the file's end

  // The linker's name of the function that holds each address (virtual addresses of this file), "" where there is none.
  // Local functions are known only with a symbol table; exported ones always.
  Status FindFunctions(const std::vector<uint64_t>& addresses, std::vector<std::string>* names) const;

 private:
  struct Section {
    uint32_t name, type;
    uint64_t flags, address, offset, size, entry_size;
    uint32_t link;
  };
  struct Candidate {
    uint64_t value = 0;
    uint64_t name_offset = 0;
    int rank = 0;  // 0: none yet
  };
  static constexpr size_t kNone = SIZE_MAX;

  ElfFile() = default;
  Status Load(const std::string& path);
  Status LoadSections(const std::string& path);
  void LoadBuildId(const Section& note);
  bool Read(uint64_t offset, void* target, size_t size) const;
  bool SearchTable(size_t table, const std::vector<uint64_t>& sorted, std::vector<Candidate>* best) const;
  std::string NameAt(size_t table, uint64_t offset) const;

  int descriptor_ = -1;
  uint64_t file_size_ = 0;
  std::vector<Section> sections_;
  size_t symbols_ = kNone, dynamic_symbols_ = kNone;  // indexes of the tables
  std::string section_names_;                         // as the file has them, one behind the other
  std::string build_id_;
};

}  // namespace memprof
