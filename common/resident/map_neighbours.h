// What a mapping is, judged by the one before it: pass mappings in order of address. HOOK.
#pragma once

#include <cstdint>

#include "resident/memory_map.h"
#include "resident/rss_rows.h"

namespace memprof {

class MapNeighbours {
 public:
  explicit MapNeighbours(ModuleEnd module_end) : module_end_(module_end) {}

  static bool IsAnonymous(const Mapping& mapping) { return mapping.name_size == 0 && !mapping.of_file; }

  // An anonymous mapping behind a library's data begins with the library's .bss: returns where that .bss ends. For other
  // mappings, returns their begin.
  uintptr_t BssEnd(const Mapping& mapping) const;
  // It lies above what looks like a stack's guard. So may a heap of malloc's (malloc_heaps.h).
  bool IsStack(const Mapping& mapping) const;
  void Pass(const Mapping& mapping);

 private:
  ModuleEnd module_end_;
  uintptr_t library_end_ = 0, guard_end_ = 0;
};

}  // namespace memprof
