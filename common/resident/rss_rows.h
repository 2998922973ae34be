// The composition of this process's resident memory at one moment: rows by kind, each measured on its own in resident bytes, and
// the resident set at that moment. Rows don't overlap; what they don't explain is in no row.
//
//   mapped files, shared memory   RssFile and RssShmem of /proc/self/status
//   Python objects                pymalloc's arenas, and blocks that the interpreter itself took from malloc or mmap
//   native: LIBRARY               followed blocks, by the library of the innermost frame that is neither libc's nor the
//                                 interpreter's; large ones by their resident pages, smaller ones by what malloc takes for them
//   pool: LIBRARY                 resident pages of the address space that a library has reserved for an allocator of its own
//   interpreter                   what was there before profiling began: anonymous mappings, and malloc's blocks in use
//   data of libraries             pages of their images that were written to (relocated, mostly), and their .bss
//   thread stacks, profiler
//   allocator retention           what malloc holds and nobody uses, at most what the other rows leave of the resident set: read
//                                 where no hook runs, so only at the end of a session
//
// Rows are measured when the resident set has grown by 2 % since the last measurement, also before a large block is freed, and at
// the end of a session. Steps below 5 % may take at most 2 % of the time (1 to 2 ms each). Plain data; the recorder's lock covers
// it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.h"
#include "resident/memory_map.h"
#include "resident/region_table.h"

namespace memprof {

struct RssRow {
  char name[72];  // NUL-terminated
  uint64_t bytes;
};

struct RssRowList {
  static constexpr size_t kMost = 48;

  RssRow rows[kMost];
  size_t count = 0;

  // `prefix` and `name` are joined, and cut where they are too long. Beyond kMost - 1 rows, bytes are added to the last row,
  // "others". Rows without bytes are not made.
  void Add(const char* prefix, const char* name, uint64_t bytes);
  void Add(const char* name, uint64_t bytes) { Add(name, "", bytes); }
  uint64_t Sum() const;
};

// The name of a library in a row: numpy/_multiarray_umath, pyarrow/libarrow.so.1700, libcrypto.so.3. NUL-terminated, cut when
// long.
struct LibraryName {
  char text[64];
};
LibraryName NameOfLibrary(const char* path, size_t size);

// libc and layers above it (the C++ runtime), the interpreter, its standard library's extensions, and our own module.
bool IsRuntime(const char* path, size_t size);

// Spends at most 2 % of the time, plus 50 ms at the start.
class TimeBudget {
 public:
  bool Has(int64_t now_ns);
  void Spend(int64_t ns) { credit_ns_ -= ns; }
  // Looks if there is time for it, which it pays for by the monotonic clock.
  template <typename Look>
  void IfThereIsTime(Look look) {
    const int64_t begin = MonotonicNs();
    if (!Has(begin)) return;
    look();
    Spend(MonotonicNs() - begin);
  }

 private:
  static constexpr int64_t kMostCreditNs = 50'000'000;
  static constexpr int64_t kShare = 50;

  int64_t credit_ns_ = kMostCreditNs;
  int64_t seen_ns_ = 0;
};

// Where the module that has this address ends, 0 where none has it. HOOK.
using ModuleEnd = uintptr_t (*)(uintptr_t address);

// What malloc takes for a block of so many bytes (glibc's: a word before it, in steps of two words, at least four).
inline uint64_t ChunkBytes(uint64_t size) { return size + 8 <= 32 ? 32 : (size + 8 + 15) & ~uint64_t{15}; }

// The rows that come from this process's mappings and from the regions in them.
struct MappedParts {
  static constexpr size_t kMostPools = 8;  // the last takes what is left, under its own name

  struct Pool {
    const char* label = nullptr;  // of its regions
    uint32_t label_size = 0;
    uint64_t bytes = 0;
  };

  uint64_t library_data_bytes = 0, stack_bytes = 0;
  uint64_t arena_bytes = 0, before_bytes = 0;
  Pool pools[kMostPools];
};
// False when the mappings can't be read. `rss_bytes`: of the process, now. Regions, but for arenas, are walked for at most kMostWalkedBytes
// in all, or four times the resident set: a part that has no more room in that is mostly untouched address space (a library that keeps a
// terabyte for itself), and its pages are in no row. Only the mapped part of a region is measured, because libc unmaps blocks without any
// hook seeing it. Memory from before profiling that was unmapped this way is removed from `regions`; something else may be mapped
// there later.
inline constexpr uint64_t kMostWalkedBytes = uint64_t{4} << 30;  // 2 ms where nothing is touched, 10 ms where all is
bool MeasureMappedParts(MapScratch& scratch, ModuleEnd module_end, RegionTable& regions, uint64_t rss_bytes, MappedParts* parts);

// Not HOOK: adds what anonymous mappings there are now and is in no region, but for stacks and malloc's heaps.
void AddRegionsBefore(MapScratch& scratch, ModuleEnd module_end, RegionTable* regions);

}  // namespace memprof
