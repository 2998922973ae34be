// BoxWork: what a reader has done with one box, and how much of that a box is worth. A sound box of 4 MiB stays far below. One that
// is damaged or forged is given up, instead of being read for as long as it likes. A plain value.
#pragma once

#include <cstdint>

namespace memprof {

struct BoxWork {
  static constexpr uint64_t kMostReadBytes = uint64_t{256} << 20, kMostTextBytes = uint64_t{64} << 20, kMostRecords = 8'000'000;

  uint64_t read_bytes = 0;  // of the file, with what was read again
  uint64_t text_bytes = 0;  // of strings: many records may refer to one
  uint64_t records = 0;     // sites, nodes and frames that were looked at

  bool beyond() const { return read_bytes > kMostReadBytes || text_bytes > kMostTextBytes || records > kMostRecords; }
};

}  // namespace memprof
