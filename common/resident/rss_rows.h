// What this process's resident memory is made of, at one moment: rows by what they are, each measured by itself in resident
// bytes, and the resident set they were measured in. They don't overlap; what they don't explain is nobody's row.
//
//   mapped files, shared memory   RssFile and RssShmem of /proc/self/status
//   Python objects                pymalloc's arenas, and blocks that the interpreter itself took from malloc or mmap
//   native: LIBRARY               followed blocks, by the library of the innermost frame that is neither libc's nor the
//                                 interpreter's; large ones by their resident pages, smaller ones by what malloc takes for them
//   pool: LIBRARY                 resident pages of the address space that a library has reserved for an allocator of its own
//   interpreter                   what was there before profiling began: anonymous mappings, and malloc's blocks in use
//   data of libraries             pages of their images that were written to (relocated, mostly), and their .bss
//   thread stacks, profiler
//   allocator retention           what malloc holds and nobody uses: read where no hook runs, so only at the end of a session
//
// A moment is measured when the resident set has grown by 2 % over the last one, also before a large block goes, and at the
// end of a session. On steps below 5 %, 2 % of the time is spent at most (1 to 2 ms each). Plain data; the recorder's lock
// covers it.
#pragma once

#include <cstddef>
#include <cstdint>

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

  // `prefix` and `name` are joined, and cut where they are too long. Beyond kMost - 1 rows, bytes go to the last, "others". No
  // row without bytes.
  void Add(const char* prefix, const char* name, uint64_t bytes);
  void Add(const char* name, uint64_t bytes) { Add(name, "", bytes); }
};

// How a row calls a library: numpy/_multiarray_umath, pyarrow/libarrow.so.1700, libcrypto.so.3. NUL-terminated, cut when long.
struct LibraryName {
  char text[64];
};
LibraryName NameOfLibrary(const char* path, size_t size);

// libc and what stands between it and a library (C++'s runtime), the interpreter, its standard library's extensions, ours.
bool IsRuntime(const char* path, size_t size);

// Spends at most 2 % of the time, after 50 ms for a start.
class TimeBudget {
 public:
  bool Has(int64_t now_ns);
  void Spend(int64_t ns) { credit_ns_ -= ns; }

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

// The parts of this process that its mappings tell, and the regions that lie in them.
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
// False when the mappings can't be read. Of a region only what is mapped now is looked at: libc unmaps blocks without
// anybody hearing of it. What was there before and has gone so is taken out of `regions`; others may be mapping there.
bool MeasureMappedParts(MapScratch& scratch, ModuleEnd module_end, RegionTable& regions, MappedParts* parts);

// Not HOOK: adds every anonymous mapping that stands now and is nobody's.
void AddRegionsBefore(MapScratch& scratch, ModuleEnd module_end, RegionTable* regions);

}  // namespace memprof
