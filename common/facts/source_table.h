// SourceTable: lines of the user's source that executors have read, by the file as frames name it. Bounded. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory_resource>
#include <utility>

#include "facts/interner.h"
#include "proto/memprof.pb.h"

namespace memprof {

class SourceTable {
 public:
  static constexpr size_t kMostLines = 16384;
  static constexpr size_t kMostTextBytes = 256;

  explicit SourceTable(std::pmr::memory_resource* memory) : texts_(memory) {}

  // If a line was read twice, the text that sorts last is kept, so that the order of arrival does not matter.
  void Add(const proto::SourceLine& line, Interner& interner);

  // The text of a frame's line; 0 = not known.
  StringId Find(const InternedFrame& frame) const;

  // The lines of the frames that `copy` has copied, in its interner (bounds.h).
  SourceTable CopyUsed(InternerCopy& copy, std::pmr::memory_resource* memory) const;

 private:
  using Key = std::pair<StringId, uint32_t>;

  std::pmr::map<Key, StringId> texts_;
};

}  // namespace memprof
