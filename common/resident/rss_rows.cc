#include "resident/rss_rows.h"

#include <algorithm>
#include <cstring>

#include "base/installed_code.h"
#include "resident/malloc_heaps.h"
#include "resident/map_neighbours.h"
#include "resident/residency.h"

namespace memprof {
namespace {

struct Text {
  const char* data;
  size_t size;
};

// The position of the first `part` in `text`; the text's size if there is none.
size_t Find(Text text, const char* part) {
  const size_t length = strlen(part);
  for (size_t i = 0; i + length <= text.size; ++i) {
    if (memcmp(text.data + i, part, length) == 0) return i;
  }
  return text.size;
}

bool StartsWith(Text text, const char* prefix) { return text.size >= strlen(prefix) && memcmp(text.data, prefix, strlen(prefix)) == 0; }

// The text behind the first `part`, or nothing.
Text Behind(Text text, const char* part) {
  const size_t at = std::min(text.size, Find(text, part) + strlen(part));
  return {text.data + at, text.size - at};
}

Text FileOf(const char* path, size_t size) {
  size_t begin = size;
  while (begin > 0 && path[begin - 1] != '/') --begin;
  return {path + begin, size - begin};
}

template <size_t N>
void Append(char (&to)[N], const char* from, size_t size) {
  const size_t used = strlen(to);
  memcpy(to + used, from, std::min(size, N - 1 - used));
}

void AddRegion(const RegionTable::Region& region, uint64_t* room, MappedParts* parts) {
  if (region.kind != RegionKind::kArena) {  // those are small, and touched
    if (region.end - region.begin > *room) return;
    *room -= region.end - region.begin;
  }
  const uint64_t resident = ResidentBytes(region.begin, region.end - region.begin);
  if (region.kind == RegionKind::kArena) parts->arena_bytes += resident;
  if (region.kind == RegionKind::kBefore) parts->before_bytes += resident;
  if (region.kind != RegionKind::kPool) return;
  for (size_t i = 0; i < MappedParts::kMostPools; ++i) {
    MappedParts::Pool& pool = parts->pools[i];
    if (pool.label == nullptr) pool = {region.label, region.label_size, 0};
    if (pool.label != region.label && i + 1 < MappedParts::kMostPools) continue;
    pool.bytes += resident;
    return;
  }
}

}  // namespace

uint64_t RssRowList::Sum() const {
  uint64_t sum = 0;
  for (size_t i = 0; i < count; ++i) sum += rows[i].bytes;
  return sum;
}

void RssRowList::Add(const char* prefix, const char* name, uint64_t bytes) {
  if (bytes == 0) return;
  if (count == kMost) {
    rows[kMost - 1].bytes += bytes;
    return;
  }
  RssRow& row = rows[count++];
  memset(row.name, 0, sizeof row.name);
  if (count == kMost) {
    Append(row.name, "others", 6);
  } else {
    Append(row.name, prefix, strlen(prefix));
    Append(row.name, name, strlen(name));
  }
  row.bytes = bytes;
}

LibraryName NameOfLibrary(const char* path, size_t size) {
  LibraryName name = {};
  Text file = FileOf(path, size);
  for (const char* folder : kPackageFolders) {
    const Text below = Behind({path, size}, folder);
    const Text package = {below.data, Find(below, "/")};
    if (below.size == 0 || package.size == below.size) continue;
    Append(name.text, package.data, Find(package, ".libs"));
    Append(name.text, "/", 1);
    break;
  }
  // Leaves out the part of an extension module's name that names the Python version and the processor.
  Append(name.text, file.data, std::min(Find(file, ".cpython-"), Find(file, ".abi3.")));
  return name;
}

bool IsRuntime(const char* path, size_t size) {
  const Text name = FileOf(path, size);
  if (name.size == 0) return true;  // the main program
  for (const char* prefix : {"libc.", "libc-", "ld-", "libpthread", "libstdc++", "libc++", "libgcc_s", "libpython", "python", "_hooks."}) {
    if (StartsWith(name, prefix)) return true;
  }
  return Find({path, size}, "/lib-dynload/") != size;
}

bool TimeBudget::Has(int64_t now_ns) {
  if (seen_ns_ != 0) credit_ns_ = std::min(kMostCreditNs, credit_ns_ + (now_ns - seen_ns_) / kShare);
  seen_ns_ = now_ns;
  return credit_ns_ > 0;
}

bool MeasureMappedParts(MapScratch& scratch, ModuleEnd module_end, RegionTable& regions, uint64_t rss_bytes, MappedParts* parts) {
  *parts = {};
  uint64_t room = std::max(kMostWalkedBytes, 4 * rss_bytes);
  const PageMap pages;
  const MallocHeaps heaps(pages);
  MapNeighbours neighbours(module_end);
  Mapping before;
  return VisitMappings(scratch, [&](const Mapping& mapping) {
    if (mapping.of_file && mapping.is_private && mapping.writable) {
      // Pages that the loader has relocated and then made read-only lie directly before the data. Other read-only pages are as in
      // the file.
      const bool relocated = before.of_file && before.is_private && !before.executable && before.end == mapping.begin;
      parts->library_data_bytes += pages.OwnBytes(scratch, relocated ? before.begin : mapping.begin, mapping.end);
    }
    const uintptr_t bss_end = neighbours.BssEnd(mapping);
    parts->library_data_bytes += ResidentBytes(mapping.begin, bss_end - mapping.begin);
    if (neighbours.IsStack(mapping)) {
      heaps.Split(mapping.begin, mapping.end, [parts](uintptr_t begin, uintptr_t end, bool is_heap) {
        if (!is_heap) parts->stack_bytes += ResidentBytes(begin, end - begin);
      });
    }
    // Address space that is only reserved may be a terabyte (V8, CUDA), and to look for its pages would take a second.
    if (!mapping.of_file && mapping.is_private && mapping.accessible()) {
      regions.ForEachIn(mapping.begin, mapping.end, [&](const RegionTable::Region& region) { AddRegion(region, &room, parts); });
    }
    if (before.end < mapping.begin) regions.RemoveOfKind(RegionKind::kBefore, before.end, mapping.begin);
    neighbours.Pass(mapping);
    before = mapping;
  });
}

void AddRegionsBefore(MapScratch& scratch, ModuleEnd module_end, RegionTable* regions) {
  const PageMap pages;
  const MallocHeaps heaps(pages);
  MapNeighbours neighbours(module_end);
  VisitMappings(scratch, [&](const Mapping& mapping) {
    const bool anonymous = MapNeighbours::IsAnonymous(mapping) && mapping.is_private && mapping.writable;
    if (anonymous && !neighbours.IsStack(mapping)) {
      heaps.Split(neighbours.BssEnd(mapping), mapping.end, [regions](uintptr_t begin, uintptr_t end, bool is_heap) {
        if (!is_heap) regions->Add(begin, end, RegionKind::kBefore);  // malloc itself counts what is in use of its heaps
      });
    }
    neighbours.Pass(mapping);
  });
}

}  // namespace memprof
