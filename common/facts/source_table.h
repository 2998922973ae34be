// SourceTable: lines of the user's source that executors have read, by the file as frames name it, and the texts that only the driver
// has: notebooks' cells, and scripts that are not on the executors' hosts. Bounded. Not thread-safe.
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
  static constexpr size_t kMostDriverBytes = 1 << 20;

  explicit SourceTable(std::pmr::memory_resource* memory) : texts_(memory), driver_texts_(memory), order_(memory) {}

  // A line that was read with two texts has none from then on: a host may have another version of the file, or it was changed meanwhile.
  void Add(const proto::SourceLine& line, Interner& interner);
  // A cell comes before any frame of it. A script that comes with another text than before has none from then on: which of them a frame
  // is of isn't known. Beyond kMostDriverBytes those that came first are forgotten.
  void AddOfDriver(const proto::DriverSource& source);

  // The text of a frame's line; "" = not known, or the driver's file and the executors' differ there: functions of the driver's script run
  // by the driver's text on executors, and a module's by theirs. Good until the next Add.
  std::string_view Find(const InternedFrame& frame, const Interner& interner) const;

  // The lines of the frames that `copy` has copied, in its interner (bounds.h), and all of the driver's.
  SourceTable CopyUsed(InternerCopy& copy, std::pmr::memory_resource* memory) const;

 private:
  using Key = std::pair<StringId, uint32_t>;

  std::pmr::map<Key, StringId> texts_;
  std::pmr::map<std::pmr::string, std::pmr::string, std::less<>> driver_texts_;  // file -> its lines
  std::pmr::deque<std::pmr::string> order_;                                      // of their coming
  size_t driver_bytes_ = 0;
};

}  // namespace memprof
