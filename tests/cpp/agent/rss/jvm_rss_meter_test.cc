#include "rss/jvm_rss_meter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "malloc_heap_above.h"
#include "resident/memory_map.h"
#include "rss/other_malloc.h"

namespace memprof {
namespace {

constexpr const char* kOthers = "metaspace, GC structures and other mappings";

uint64_t RowOf(const RssRows& rows, std::string_view name) {
  for (const RssRows::Row& row : rows.rows) {
    if (row.name == name) return row.bytes;
  }
  return 0;
}

// HotSpot may reserve something below a heap of malloc's and use all of it but a page or four, which then look like a stack's guard.
TEST(JvmRssMeter, AHeapOfMallocsAboveAnInaccessiblePlaceIsNoStack) {
  NEEDS_GLIBCS_MALLOC;
  const MallocHeapAbove heap(PROT_NONE);
  ASSERT_NE(heap.below(), nullptr);
  const std::optional<RssRows> rows = JvmRssMeter().Measure({});
  ASSERT_TRUE(rows);
  EXPECT_GE(RowOf(*rows, "malloc"), heap.touched_bytes());
  EXPECT_LT(RowOf(*rows, "thread stacks"), MallocHeapAbove::kTouchedBytes / 2);
}

// jemalloc's arenas are anonymous mappings like any others.
TEST(JvmRssMeter, WhereMallocIsAnothersItsMemoryIsAmongOtherMappings) {
  NEEDS_GLIBCS_MALLOC;
  JvmRssMeter meter("libjemalloc.so.2");
  const std::optional<RssRows> rows = meter.Measure({});
  ASSERT_TRUE(rows);
  EXPECT_GT(RowOf(*rows, "malloc (libjemalloc.so.2), metaspace and other mappings"), 0u);
  EXPECT_GT(RowOf(*rows, "malloc, in use and free"), 0u) << "what there is in libc's heaps";
  for (const char* of_libc : {kOthers, "malloc", "allocator retention"}) EXPECT_EQ(RowOf(*rows, of_libc), 0u) << of_libc;
  EXPECT_FALSE(meter.Wanted(rows->rss_bytes, MonotonicNs() + 3'600'000'000'000)) << "there is no word to wait for";
}

TEST(JvmRssMeter, LibcsOwnMallocIsNoOther) {
  NEEDS_GLIBCS_MALLOC;
  EXPECT_EQ(OtherMalloc(), "");
}

// The size of the mapping that holds this address, 0 if it can't be read.
uintptr_t MappedAround(const void* address) {
  uintptr_t size = 0;
  const auto scratch = std::make_unique<MapScratch>();
  VisitMappings(*scratch, [&](const Mapping& mapping) {
    const auto at = reinterpret_cast<uintptr_t>(address);
    if (mapping.begin <= at && at < mapping.end) size = mapping.end - mapping.begin;
  });
  return size;
}

TEST(JvmRssMeter, AHeapOfMallocsIsKnownWhereTheKernelHasJoinedItToWhatLiesBelow) {
  NEEDS_GLIBCS_MALLOC;
  const MallocHeapAbove heap(PROT_READ | PROT_WRITE);
  ASSERT_NE(heap.below(), nullptr);
  ASSERT_GT(MappedAround(heap.below()), MallocHeapAbove::kTouchedBytes) << "the kernel has not joined them";
  const std::optional<RssRows> rows = JvmRssMeter().Measure({});
  ASSERT_TRUE(rows);
  EXPECT_GE(RowOf(*rows, "malloc"), heap.touched_bytes());
  EXPECT_LT(RowOf(*rows, kOthers), MallocHeapAbove::kTouchedBytes / 2);
}

// One thread fills several heaps to their last page. glibc places the next one directly beside another where it can; what ran before in
// this process may have left holes, which are filled first.
TEST(JvmRssMeter, HeapsOfMallocsThatTheKernelHasJoinedAreKnown) {
  NEEDS_GLIBCS_MALLOC;
  constexpr size_t kBlockBytes = 2024, kBlocks = 140'000, kMostBlocks = 3 * kBlocks;
  std::thread([] {
    std::vector<char*> blocks;
    bool joined = false;
    for (size_t i = 0; i < kBlocks || (!joined && i < kMostBlocks); ++i) {
      blocks.push_back(static_cast<char*>(malloc(kBlockBytes)));
      *blocks.back() = 1;
      if (i % 5'000 == 4'999) joined |= MappedAround(blocks.back()) > kMallocHeapBytes;
    }
    EXPECT_TRUE(joined) << "no two heaps are neighbours";
    const std::optional<RssRows> rows = JvmRssMeter().Measure({});
    ASSERT_TRUE(rows);
    EXPECT_GE(RowOf(*rows, "malloc"), kBlockBytes * blocks.size());
    EXPECT_LT(RowOf(*rows, kOthers), kBlockBytes * blocks.size() / 10);
    for (char* block : blocks) free(block);
  }).join();
}

}  // namespace
}  // namespace memprof
