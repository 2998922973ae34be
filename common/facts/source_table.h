// SourceTable: lines of the user's source that executors have read, by the file as frames name it, and what notebooks' cells consist of.
// Bounded. Not thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory_resource>
#include <string>
#include <string_view>
#include <utility>

#include "facts/interner.h"
#include "proto/memprof.pb.h"

namespace memprof {

class SourceTable {
 public:
  static constexpr size_t kMostLines = 16384;
  static constexpr size_t kMostTextBytes = 256;
  static constexpr size_t kMostCellBytes = 1 << 20;

  explicit SourceTable(std::pmr::memory_resource* memory) : texts_(memory), cells_(memory), order_(memory) {}

  // If a line was read twice, the text that sorts last is kept, so that the order of arrival does not matter.
  void Add(const proto::SourceLine& line, Interner& interner);
  // A cell comes before any frame of it. Beyond kMostCellBytes those that came first are forgotten.
  void AddCell(const proto::NotebookCell& cell);

  // The text of a frame's line; "" = not known. Good until the next Add.
  std::string_view Find(const InternedFrame& frame, const Interner& interner) const;

  // The lines of the frames that `copy` has copied, in its interner (bounds.h), and all cells.
  SourceTable CopyUsed(InternerCopy& copy, std::pmr::memory_resource* memory) const;

 private:
  using Key = std::pair<StringId, uint32_t>;

  std::pmr::map<Key, StringId> texts_;
  std::pmr::map<std::pmr::string, std::pmr::string, std::less<>> cells_;  // file -> its lines
  std::pmr::deque<std::pmr::string> order_;                               // of their coming
  size_t cell_bytes_ = 0;
};

}  // namespace memprof
