// This process's mappings, as /proc/self/maps lists them, and which pages of a file's private mapping have become the process's
// own. About 1 ms for 800 mappings. HOOK: system calls only, 12 KiB of the caller's memory, errno is kept.
#pragma once

#include <cstddef>
#include <cstdint>

namespace memprof {

struct Mapping {
  uintptr_t begin = 0, end = 0;
  bool readable = false, writable = false, executable = false, is_private = false;
  bool of_file = false;
  const char* name = "";  // valid during the visit: a path, [heap], [stack], ...; cut when long
  uint32_t name_size = 0;

  bool Named(const char* text) const;
  bool accessible() const { return readable || writable || executable; }  // else its addresses are only reserved
};

struct MapScratch {
  char text[4096];
  uint64_t pages[1024];
};

// False when the list can't be read, or not to its end. Mappings come in order of address.
using MappingVisitor = void (*)(const Mapping& mapping, void* context);
bool VisitMappings(MapScratch& scratch, MappingVisitor visitor, void* context);

template <typename Visitor>
bool VisitMappings(MapScratch& scratch, Visitor&& visitor) {
  return VisitMappings(
      scratch, [](const Mapping& mapping, void* context) { (*static_cast<decltype(&visitor)>(context))(mapping); }, &visitor);
}

// RssFile and RssShmem of /proc/self/status; false when they can't be read.
struct SharedPages {
  uint64_t rss_bytes = 0, file_bytes = 0, shmem_bytes = 0;
};
bool ReadSharedPages(MapScratch& scratch, SharedPages* pages);

// Pages as /proc/self/pagemap has them.
class PageMap {
 public:
  PageMap();
  ~PageMap();
  PageMap(const PageMap&) = delete;
  PageMap& operator=(const PageMap&) = delete;

  // Pages of a file's private mapping that have been written to: this process's own copies.
  uint64_t OwnBytes(MapScratch& scratch, uintptr_t begin, uintptr_t end) const;
  // False: nobody has ever written to or read from this page, or it isn't mapped. Where the page map can't be read: not in memory now.
  bool IsTouched(uintptr_t address) const;
  // Pages that this process has in memory, its own or shared.
  uint64_t PresentBytes(MapScratch& scratch, uintptr_t begin, uintptr_t end) const;

 private:
  uint64_t Bytes(MapScratch& scratch, uintptr_t begin, uintptr_t end, uint64_t mask, uint64_t wanted) const;

  long fd_;
};

}  // namespace memprof
