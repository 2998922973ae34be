#include "rss/jvm_rss_meter.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "resident/malloc_heaps.h"
#include "resident/map_neighbours.h"
#include "resident/residency.h"
#include "system/malloc_figures.h"

namespace memprof {
namespace {

// Growth since the last measurement that is worth another one: one part in this many of its RSS.
constexpr uint64_t kWithinBudget = 50, kBeyondBudget = 10;
constexpr int64_t kMallocsShare = 200;  // malloc is asked for at most one part in this many of the time

enum class Part : uint8_t { kNone, kJavaHeap, kSharedMemory, kCode, kStack, kOffHeap, kMallocHeap, kLibraryData, kOther };
constexpr size_t kParts = static_cast<size_t>(Part::kOther) + 1;

struct Piece {
  uintptr_t begin = 0, end = 0;
  bool writable = false, is_private = false, of_file = false, accessible = false;
  Part part = Part::kNone;  // as the mapping itself and its lower neighbours show

  uintptr_t size() const { return end - begin; }
};

bool StartsWith(const Mapping& mapping, std::string_view prefix) {
  return std::string_view(mapping.name, mapping.name_size).starts_with(prefix);
}

bool IsSharedMemory(const Mapping& mapping) {
  if (mapping.is_private) return false;
  return StartsWith(mapping, "/memfd:") || StartsWith(mapping, "/dev/shm/") || StartsWith(mapping, "/dev/zero") ||
         StartsWith(mapping, "/SYSV");
}

Part PartOf(const Mapping& mapping, const HotSpotLayout& layout, const MapNeighbours& neighbours) {
  if (layout.heap.Contains(mapping.begin) || StartsWith(mapping, "/memfd:java_heap")) return Part::kJavaHeap;
  if (IsSharedMemory(mapping)) return Part::kSharedMemory;
  if (mapping.of_file) return mapping.is_private ? Part::kLibraryData : Part::kNone;
  if (mapping.Named("[heap]")) return Part::kMallocHeap;
  if (neighbours.IsStack(mapping)) return Part::kStack;
  if (!MapNeighbours::IsAnonymous(mapping) || !mapping.is_private) return Part::kNone;  // [vdso] and the like
  return layout.code_cache.Contains(mapping.begin) ? Part::kCode : Part::kOther;
}

class Measurement {
 public:
  Measurement(MapScratch& scratch, const std::vector<AddressRange>& offheap) : scratch_(scratch), offheap_(offheap) {}

  void Add(const Piece& piece) {
    if (!piece.accessible) return;
    switch (piece.part) {
      case Part::kNone:
        return;
      case Part::kLibraryData:
        bytes_[Index(Part::kLibraryData)] += piece.writable ? pages_.OwnBytes(scratch_, piece.begin, piece.end) : 0;
        return;
      case Part::kSharedMemory:
        bytes_[Index(Part::kSharedMemory)] += pages_.PresentBytes(scratch_, piece.begin, piece.end);
        return;
      case Part::kJavaHeap:
        bytes_[Index(Part::kJavaHeap)] += HeapBytes(piece);
        return;
      case Part::kOther:
        SplitOffHeap(piece);
        return;
      case Part::kMallocHeap:
        bytes_[Index(Part::kMallocHeap)] += ResidentBytes(piece.begin, piece.size());
        ForEachBlock(piece,
                     [this](uintptr_t begin, uintptr_t end) { untouched_in_malloc_ += end - begin - ResidentBytes(begin, end - begin); });
        return;
      default:
        bytes_[Index(piece.part)] += ResidentBytes(piece.begin, piece.size());
    }
  }

  uint64_t Of(Part part) const { return bytes_[Index(part)]; }
  const PageMap& pages() const { return pages_; }
  uint64_t untouched_in_malloc() const { return untouched_in_malloc_; }  // of large blocks in malloc's heaps

 private:
  static size_t Index(Part part) { return static_cast<size_t>(part); }

  // Objects of the class archive are mapped from its file; ZGC's heap is a shared mapping, perhaps mapped several times.
  uint64_t HeapBytes(const Piece& piece) {
    if (!piece.is_private) return pages_.PresentBytes(scratch_, piece.begin, piece.end);
    if (piece.of_file) return pages_.OwnBytes(scratch_, piece.begin, piece.end);
    return ResidentBytes(piece.begin, piece.size());
  }

  // Calls visit(begin, end) for the share of each large block that lies in the piece.
  void ForEachBlock(const Piece& piece, auto visit) {
    const auto first = std::lower_bound(offheap_.begin(), offheap_.end(), piece.begin,
                                        [](const AddressRange& block, uintptr_t begin) { return block.end <= begin; });
    uintptr_t at = piece.begin;
    for (auto block = first; block != offheap_.end() && block->begin < piece.end; ++block) {
      const uintptr_t begin = std::max(at, block->begin), end = std::min(piece.end, block->end);
      if (begin >= end) continue;
      visit(begin, end);
      at = end;
    }
  }

  void SplitOffHeap(const Piece& piece) {
    uintptr_t at = piece.begin;
    ForEachBlock(piece, [&](uintptr_t begin, uintptr_t end) {
      bytes_[Index(Part::kOther)] += ResidentBytes(at, begin - at);
      bytes_[Index(Part::kOffHeap)] += ResidentBytes(begin, end - begin);
      at = end;
    });
    bytes_[Index(Part::kOther)] += ResidentBytes(at, piece.end - at);
  }

  MapScratch& scratch_;
  const std::vector<AddressRange>& offheap_;
  const PageMap pages_;
  std::array<uint64_t, kParts> bytes_{};
  uint64_t untouched_in_malloc_ = 0;
};

}  // namespace

bool JvmRssMeter::Wanted(uint64_t rss_bytes, int64_t now_ns) {
  const bool has_time = budget_.Has(now_ns);
  if (rss_bytes > measured_rss_ + measured_rss_ / kBeyondBudget) return true;
  if (rss_bytes > measured_rss_ + measured_rss_ / kWithinBudget) return has_time;
  return has_time && lacks_mallocs_word_ && now_ns >= ask_malloc_from_ns_ && rss_bytes >= measured_rss_ - measured_rss_ / kWithinBudget;
}

std::optional<RssRows> JvmRssMeter::Measure(const std::vector<AddressRange>& offheap) {
  const int64_t begin_ns = ThreadCpuNs();
  SharedPages before, shared;
  if (!ReadSharedPages(scratch_, &before)) return std::nullopt;
  const HotSpotLayout layout = ReadHotSpotLayout();
  MapNeighbours neighbours(nullptr);
  std::vector<Piece> pieces;
  const bool complete = VisitMappings(scratch_, [&](const Mapping& mapping) {
    pieces.push_back({mapping.begin, mapping.end, mapping.writable, mapping.is_private, mapping.of_file, mapping.accessible(),
                      PartOf(mapping, layout, neighbours)});
    neighbours.Pass(mapping);
  });
  if (!complete) return std::nullopt;

  Measurement measured(scratch_, offheap);
  const MallocHeaps known_heaps(measured.pages());
  for (const Piece& piece : pieces) {
    const bool may_hold_heaps = piece.writable && (piece.part == Part::kOther || piece.part == Part::kStack);
    if (!may_hold_heaps) {
      measured.Add(piece);
      continue;
    }
    known_heaps.Split(piece.begin, piece.end, [&](uintptr_t begin, uintptr_t end, bool is_heap) {
      Piece part = piece;
      part.begin = begin;
      part.end = end;
      if (is_heap) part.part = Part::kMallocHeap;
      measured.Add(part);
    });
  }
  if (!ReadSharedPages(scratch_, &shared)) return std::nullopt;
  MallocFigures malloc;
  if (other_malloc_.empty() && MonotonicNs() >= ask_malloc_from_ns_) {
    const int64_t asked_ns = ThreadCpuNs();
    malloc = ReadMallocFigures();
    ask_malloc_from_ns_ = MonotonicNs() + (ThreadCpuNs() - asked_ns) * kMallocsShare;
  }

  RssRows rows;
  rows.rss_bytes = shared.rss_bytes;
  rows.time_ms = EpochMs();
  const auto add = [&](std::string name, uint64_t bytes) {
    if (bytes != 0) rows.rows.push_back({std::move(name), bytes});
  };
  add("Java heap", measured.Of(Part::kJavaHeap));
  add("mapped files", shared.file_bytes);
  add("shared memory", measured.Of(Part::kSharedMemory));
  add("code cache", measured.Of(Part::kCode));
  add("thread stacks", measured.Of(Part::kStack));
  add("off-heap blocks", measured.Of(Part::kOffHeap));
  const bool is_told = malloc.in_use_bytes != 0;
  lacks_mallocs_word_ = !is_told && other_malloc_.empty();
  if (is_told) {
    // malloc's own figures are of addresses: also of pages that were never touched, or given back to the kernel.
    const uint64_t heaps = measured.Of(Part::kMallocHeap);
    const uint64_t in_use = malloc.in_use_bytes - std::min(malloc.in_use_bytes, measured.untouched_in_malloc());
    const uint64_t retained = std::min(malloc.free_bytes, heaps - std::min(heaps, in_use));
    add("malloc", heaps - retained);
    add("allocator retention", retained);
  } else {
    add("malloc, in use and free", measured.Of(Part::kMallocHeap));
  }
  add("data of libraries", measured.Of(Part::kLibraryData));
  add(other_malloc_.empty() ? "metaspace, GC structures and other mappings"
                            : "malloc (" + other_malloc_ + "), metaspace and other mappings",
      measured.Of(Part::kOther));
  measured_rss_ = std::min(before.rss_bytes, rows.rss_bytes);  // pages touched since `before` are in no row and count as growth
  budget_.Spend(ThreadCpuNs() - begin_ns);
  return rows;
}

}  // namespace memprof
