// glibc's heaps, except the first, among this process's mappings. The kernel joins neighbours of equal access to one mapping, which may
// then hold several heaps, and what happens to lie beside them; it may also have cut a heap in two. HOOK: system calls only, errno is kept.
#pragma once

#include <algorithm>
#include <cstdint>

#include "resident/memory_map.h"

namespace memprof {

// Size and alignment of such a heap (HEAP_MAX_SIZE of glibc's malloc/arena.c for 64 bits).
inline constexpr uintptr_t kMallocHeapBytes = uintptr_t{64} << 20;

class MallocHeaps {
 public:
  explicit MallocHeaps(const PageMap& pages) : pages_(pages) {}

  // Divides a writable mapping: calls visit(begin, end, is_heap) for each of its parts, in order of address. A heap is known by its head
  // (heap_info of glibc's malloc/arena.c). Pages that nobody has touched stay so. Where this process may not read its own memory by a
  // system call, a heap is what begins a mapping at a multiple of kMallocHeapBytes.
  template <typename Visit>
  void Split(uintptr_t begin, uintptr_t end, Visit&& visit) const {
    uintptr_t from = begin;
    for (uintptr_t at = begin & ~(kMallocHeapBytes - 1); at < end; at += kMallocHeapBytes) {
      if (!BeginsAt(at, at == begin)) continue;
      const uintptr_t heap = std::max(begin, at);
      if (from < heap) visit(from, heap, false);
      from = std::min(end, at + kMallocHeapBytes);
      visit(heap, from, true);
    }
    if (from < end) visit(from, end, false);
  }

 private:
  bool BeginsAt(uintptr_t address, bool begins_mapping) const;

  const PageMap& pages_;
};

}  // namespace memprof
