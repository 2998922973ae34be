// The recorder's rows of resident memory (rss_rows.h). Hot: a sample may find the resident set grown.
#include <algorithm>
#include <cstring>

#include "base/clock.h"
#include "resident/residency.h"
#include "sites/recorder.h"
#include "sites/recorder_state.h"

namespace memprof {
namespace {

constexpr uint64_t kLargestInArenas = 512;  // pymalloc leaves larger ones to malloc
constexpr size_t kMostLibraries = 24;
constexpr uint64_t kSmallLibrary = 64u << 10;  // smaller libraries share a row

// Growth since the last moment that is worth another one: one part in this many of its RSS. If imports have used up the budget, the peak
// isn't missed: growth by 5 % is rare in a process's life, so it needs no budget.
constexpr uint64_t kWithinBudget = 50, kBeyondBudget = 20;

}  // namespace

// A module's reference; kInterpreter if only libc and the interpreter were below the innermost Python line (the interpreter's own frames
// aren't kept); kNoLibrary if it isn't known.
uint32_t Recorder::State::LibraryOf(uint32_t node) const {
  const auto* nodes = file.table<box::Node>(box::kNodeTable);
  const auto* frames = file.table<box::Frame>(box::kFrameTable);
  if (node == 0) return RssMeter::kNoLibrary;
  for (; node != 0; node = nodes[node - 1].parent) {
    const box::Frame& frame = frames[nodes[node - 1].frame - 1];
    if (frame.language != static_cast<uint32_t>(Language::kNative)) break;
    if (frame.file != 0 && frame.file <= RssMeter::kModules && !rows.runtime[frame.file]) return frame.file;
  }
  return RssMeter::kInterpreter;
}

void Recorder::State::MeasureLibraries() {
  const uint32_t modules = std::min<uint32_t>(file.header().committed.modules, RssMeter::kModules);
  for (uint32_t module = 1; module <= modules; ++module) {
    uint32_t size = 0;
    const char* path = intern.ModulePath(module, &size);
    rows.runtime[module] = IsRuntime(path, size);
  }
  for (uint32_t site = 0; site < sites.total(); ++site) {
    const box::Site& record = sites.Read(site);
    rows.library_of_site[site] = static_cast<uint16_t>(record.session == 0 ? RssMeter::kNoLibrary : LibraryOf(record.node));
  }
  memset(rows.library_bytes, 0, sizeof rows.library_bytes);
  RegionTable::Span arenas, shared;
  const auto is_in = [&](RegionKind kind, RegionTable::Span& span, uintptr_t address) {
    if (!span.Contains(address)) span = rows.regions->Around(address, kind);
    return span.is_kind;
  };
  const int64_t now_ns = MonotonicNs();
  live.Sweep([&](const LiveBlock& block) {
    if ((block.address & LiveSet::kPageMask) == 0 && is_in(RegionKind::kShared, shared, block.address)) return true;  // in "shared memory"
    const bool known = (sites.generation(block.site) & kGenerationMask) == block.generation;
    uint32_t library = known ? rows.library_of_site[block.site] : RssMeter::kNoLibrary;
    // If the thread had no Python frame, the stack of an object has only native frames, which may be a library's.
    if (block.size <= kLargestInArenas && (library == RssMeter::kInterpreter || is_in(RegionKind::kArena, arenas, block.address))) {
      library = RssMeter::kArenas;
    }
    uint64_t& bytes = rows.library_bytes[library];
    if (IsLarge(block)) {
      const bool is_new = &block == newcomer || young.Has(block.address, now_ns);  // a moved block keeps its pages
      if (is_new) {
        bytes += ResidentBytes(block.address, block.size);
      } else if (block.resident != LiveBlock::kUnread) {
        bytes += block.resident;
      }
    } else if (block.size != 0) {
      bytes += static_cast<uint64_t>(static_cast<double>(block.weight) / static_cast<double>(block.size) *
                                     static_cast<double>(ChunkBytes(block.size)));
    }
    return true;
  });
}

void Recorder::State::AddLibraries(RssRowList& list) {
  const auto bytes_of = [this](uint32_t library) { return rows.library_bytes[library]; };
  uint64_t others = 0;
  for (size_t i = 0; i < kMostLibraries; ++i) {
    uint32_t heaviest = 0;
    for (uint32_t module = 1; module <= RssMeter::kModules; ++module) {
      if (bytes_of(module) > (heaviest == 0 ? kSmallLibrary : bytes_of(heaviest))) heaviest = module;
    }
    if (heaviest == 0) break;
    uint32_t size = 0;
    const char* path = intern.ModulePath(heaviest, &size);
    list.Add("native: ", NameOfLibrary(path, size).text, bytes_of(heaviest));
    rows.library_bytes[heaviest] = 0;
  }
  for (uint32_t module = 1; module <= RssMeter::kModules; ++module) others += bytes_of(module);
  list.Add("native: other libraries", others);
}

void Recorder::State::MeasureRss(uint64_t free_bytes) {
  const int64_t begin = ThreadCpuNs();  // CPU time: on a busy machine the clock would count others' time
  SharedPages shared;
  MappedParts mapped;
  if (!ReadSharedPages(rows.scratch, &shared) ||
      !MeasureMappedParts(rows.scratch, rows.module_end, *rows.regions, shared.rss_bytes, &mapped)) {
    rows.regions = nullptr;  // don't try again: this /proc lacks the files
    return;
  }
  SweepResidency(false);
  MeasureLibraries();
  // Without arenas, small objects are ordinary blocks of malloc.
  const uint64_t small = mapped.arena_bytes == 0 ? rows.library_bytes[RssMeter::kArenas] : 0;
  const uint64_t objects = mapped.arena_bytes + small + rows.library_bytes[RssMeter::kInterpreter];

  RssRowList& list = rows.list;
  list.count = 0;
  list.Add("Python objects", objects);
  for (const MappedParts::Pool& pool : mapped.pools) {
    list.Add("pool: ", NameOfLibrary(pool.label == nullptr ? "" : pool.label, pool.label_size).text, pool.bytes);
  }
  list.Add("mapped files", shared.file_bytes);
  list.Add("shared memory", shared.shmem_bytes);
  list.Add("interpreter", mapped.before_bytes + rows.in_use_before);
  list.Add("data of libraries", mapped.library_data_bytes);
  list.Add("thread stacks", mapped.stack_bytes);
  list.Add("profiler", ResidentBytes(reinterpret_cast<uintptr_t>(memory), memory_bytes));
  AddLibraries(list);
  if (free_bytes != RssMeter::kUnknown) {  // malloc's word is of addresses, also of pages that it has given back to the kernel
    list.Add("allocator retention", std::min(free_bytes, shared.rss_bytes - std::min(shared.rss_bytes, list.Sum())));
  }
  rows.rss_bytes = shared.rss_bytes;
  rows.highest_rss_bytes = std::max(rows.highest_rss_bytes, shared.rss_bytes);
  rows.has_retention = free_bytes != RssMeter::kUnknown;
  PublishRss();
  rows.budget.Spend(ThreadCpuNs() - begin);
}

void Recorder::State::PublishRss() {
  auto& moment = file.table<box::TwoCopies<box::RssMoment>>(box::kRssMomentTable)[0];
  const uint64_t number = moment.Current().number + 1;
  const uint32_t first = number % 2 == 0 ? 0 : box::kRssRowsPerMoment;
  auto* records = file.table<box::RssRow>(box::kRssRowTable);
  for (uint32_t i = 0; i < rows.list.count; ++i) {
    box::RssRow& record = records[first + i];
    record.moment = number;
    record.bytes = rows.list.rows[i].bytes;
    memcpy(record.name, rows.list.rows[i].name, sizeof record.name);
    record.check = box::CheckOf(record, first + i);
  }
  moment.Begin() = {number, rows.rss_bytes, EpochMs(), static_cast<uint32_t>(rows.list.count), 0};
  moment.Commit(box::RecordSeed(box::kRssMomentTable, 0));
}

void Recorder::State::MeasureRssIfGrown(int64_t now_ns) {
  if (rows.regions == nullptr) return;
  rows.highest_rss_bytes = std::max(rows.highest_rss_bytes, rss_bytes);
  const bool has_time = rows.budget.Has(now_ns);
  if (rss_bytes > rows.rss_bytes + rows.rss_bytes / (has_time ? kWithinBudget : kBeyondBudget)) MeasureRss(RssMeter::kUnknown);
}

}  // namespace memprof
