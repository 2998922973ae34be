// RssReader: the process's resident set from /proc/self/statm, kept open: 5 µs a reading. The descriptor belongs to the
// process that opened it (the file is about the opener, whoever reads it); a forked child closes it. Where the program has closed it,
// nothing is known any more.
#pragma once

#include <cstdint>

#include "base/own_descriptor.h"

namespace memprof {

class RssReader {
 public:
  void Open();  // not in a hook; without /proc all readings are 0
  void Close();
  // HOOK. Resident set size in bytes; 0 when unknown. Keeps errno, and is not a cancellation point: a thread that was cancelled
  // here would leave the recorder locked.
  uint64_t Read() const { return ReadSizes().resident_bytes; }
  // HOOK. The same; both figures from one reading.
  struct Sizes {
    uint64_t virtual_bytes = 0, resident_bytes = 0;
  };
  Sizes ReadSizes() const;

 private:
  OwnDescriptor file_;
};

}  // namespace memprof
