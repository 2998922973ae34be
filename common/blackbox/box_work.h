// BoxWork: how much work a reader has done on one box, and the bound on it. An undamaged box of 4 MiB stays far below the bound. A
// damaged or forged box that needs more is given up, so that it can't keep its reader busy. A plain value.
#pragma once

#include <cstdint>

namespace memprof {

struct BoxWork {
  static constexpr uint64_t kMostReadBytes = uint64_t{256} << 20, kMostTextBytes = uint64_t{64} << 20, kMostRecords = 8'000'000;

  uint64_t read_bytes = 0;  // of the file; bytes that were read again count again
  uint64_t text_bytes = 0;  // of strings: many records may refer to one
  uint64_t records = 0;     // sites, nodes and frames that were looked at

  bool beyond() const { return read_bytes > kMostReadBytes || text_bytes > kMostTextBytes || records > kMostRecords; }
};

}  // namespace memprof
