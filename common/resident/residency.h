// Which bytes of a block are really in memory: mincore, about 10 ns a page. Allocates nothing, takes no lock, keeps errno:
// callable from hooks; 2 KiB of stack.
#pragma once

#include <cstdint>

namespace memprof {

// Bytes of [address, address + size) whose pages are resident; for partly covered pages, the covered bytes. Memory that is not
// mapped (any more) counts as not resident.
uint64_t ResidentBytes(uintptr_t address, uint64_t size);

}  // namespace memprof
