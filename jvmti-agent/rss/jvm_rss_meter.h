// The composition of the JVM's resident memory at one moment: rows by kind, each measured on its own in resident bytes, and the
// resident set at that moment. It is measured mapping by mapping, so rows don't overlap; what they don't explain is in no row.
//
//   mapped files              RssFile of /proc/self/status
//   shared memory             shared mappings without a file on disk, except ZGC's heap
//   Java heap                 pages of the range that HotSpot reserved for it, or of ZGC's file
//   code cache                pages of compiled code
//   thread stacks             of all threads: Java's, the collector's, the compiler's and others; with mappings that the kernel happened to
//                             merge with one
//   off-heap blocks           followed blocks of Unsafe that have mappings of their own: direct buffers, Spark's off-heap pages, Netty, …
//   malloc                    what malloc has allocated from its heaps, at most: the JVM's own structures, smaller blocks of Unsafe and
//                             of libraries
//   allocator retention       what its heaps hold and nobody uses, at least
//   malloc, in use and free   pages of its heaps, instead of these two, where malloc wasn't asked: asking locks its heaps and walks
//                             their lists, so it takes at most half a percent of the time
//   data of libraries         pages of their images, and of the class archive, that were written to
//   metaspace, GC structures and other mappings
//                             anonymous mappings that are none of these: the JVM doesn't say which is which. Its pools say what is
//                             committed and used, which is not what is resident (docs/decisions/0306)
//   malloc (libjemalloc.so.2), metaspace and other mappings
//                             likewise, where malloc is another library's (rss/other_malloc.h): its arenas are such mappings, too. What is
//                             left in libc's heaps is then "malloc, in use and free"
//
// About 1 ms for 800 mappings and 2.5 ms a GB of heap. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "blackbox/box_reader.h"
#include "resident/memory_map.h"
#include "resident/rss_rows.h"
#include "rss/hotspot_layout.h"

namespace memprof {

class JvmRssMeter {
 public:
  explicit JvmRssMeter(std::string other_malloc = "") : other_malloc_(std::move(other_malloc)) {}

  // Whether to measure at a resident set of so many bytes: it is 2 % larger than at the last measurement, if that takes at most 2
  // % of the time; or 10 % larger; or still as large, and malloc may be asked now but could not be asked then.
  bool Wanted(uint64_t rss_bytes, int64_t now_ns);

  // `offheap`: followed blocks, in order of address. Nothing when /proc can't be read.
  std::optional<RssRows> Measure(const std::vector<AddressRange>& offheap);

 private:
  std::string other_malloc_;  // whose it is; "": libc's
  TimeBudget budget_;
  int64_t ask_malloc_from_ns_ = 0;
  bool lacks_mallocs_word_ = false;
  uint64_t measured_rss_ = 0;
  MapScratch scratch_;
};

}  // namespace memprof
