// What of the process is really in memory. Both readings are system calls of microseconds (mincore about 10 ns a page);
// they allocate nothing, keep errno, and are callable from hooks.
#pragma once

#include <cstdint>

namespace memprof {

// Bytes of [address, address + size) whose pages are resident, whole bytes of partly covered pages included. What is not
// mapped (any more) counts as not resident.
uint64_t ResidentBytes(uintptr_t address, uint64_t size);

// /proc/self/statm, kept open: 5 µs a reading. The descriptor belongs to the process that opened it; a forked child closes it.
class RssReader {
 public:
  void Open();  // never in a hook; without /proc the readings are 0
  void Close();
  uint64_t Read() const;  // resident set size in bytes; 0 when unknown

 private:
  int fd_ = -1;
};

}  // namespace memprof
