#include "resident/rss_rows.h"

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/mman.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "malloc_heap_above.h"

namespace memprof {
namespace {

std::string NameOf(const std::string& path) { return NameOfLibrary(path.data(), path.size()).text; }
bool Runtime(const std::string& path) { return IsRuntime(path.data(), path.size()); }

TEST(RssRows, LibrariesAreCalledByTheirPackageAndFile) {
  EXPECT_EQ(NameOf("/v/lib/python3.11/site-packages/numpy/_core/_multiarray_umath.cpython-311-x86_64-linux-gnu.so"),
            "numpy/_multiarray_umath");
  EXPECT_EQ(NameOf("/usr/lib/python3/dist-packages/pyarrow/libarrow.so.1700"), "pyarrow/libarrow.so.1700");
  EXPECT_EQ(NameOf("/v/site-packages/numpy.libs/libopenblas64.so"), "numpy/libopenblas64.so");
  EXPECT_EQ(NameOf("/v/site-packages/polars/polars.abi3.so"), "polars/polars");
  EXPECT_EQ(NameOf("/v/site-packages/_cffi_backend.cpython-311-x86_64-linux-gnu.so"), "_cffi_backend");
  EXPECT_EQ(NameOf("/usr/lib/x86_64-linux-gnu/libcrypto.so.3"), "libcrypto.so.3");
  EXPECT_EQ(NameOf("/v/site-packages/" + std::string(80, 'p') + "/x.so"), std::string(63, 'p'));
}

TEST(RssRows, TheRuntimeIsNobodysLibrary) {
  for (const char* path :
       {"", "/lib/x86_64-linux-gnu/libc.so.6", "/lib64/ld-linux-x86-64.so.2", "/usr/bin/python3.11", "/opt/lib/libpython3.11.so.1.0",
        "/usr/lib/libstdc++.so.6", "/usr/lib/python3.11/lib-dynload/mmap.cpython-311-x86_64-linux-gnu.so"}) {
    EXPECT_TRUE(Runtime(path)) << path;
  }
  for (const char* path : {"/v/site-packages/numpy/_core/_multiarray_umath.so", "/usr/lib/libcrypto.so.3", "/jobs/libcounter.so"}) {
    EXPECT_FALSE(Runtime(path)) << path;
  }
}

TEST(RssRows, AHeapOfMallocsAboveAnInaccessiblePlaceIsNoStack) {
  NEEDS_GLIBCS_MALLOC;
  const MallocHeapAbove heap(PROT_NONE);
  ASSERT_NE(heap.below(), nullptr);
  const auto scratch = std::make_unique<MapScratch>();
  const auto regions = std::make_unique<RegionTable>();
  MappedParts parts;
  ASSERT_TRUE(MeasureMappedParts(*scratch, nullptr, *regions, 0, &parts));
  EXPECT_LT(parts.stack_bytes, MallocHeapAbove::kTouchedBytes / 2);
}

TEST(RssRows, OfAPoolsReservationOnlyWhatCanBeUsedIsLookedAt) {
#ifdef __SANITIZE_THREAD__  // it needs most of the address space itself
  constexpr uint64_t kReserved = uint64_t{1} << 30;
#else
  constexpr uint64_t kReserved = uint64_t{1} << 40;
#endif
  constexpr uint64_t kUsed = 37 * 4096;
  void* place = mmap(nullptr, kReserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(place, MAP_FAILED);
  ASSERT_EQ(mprotect(place, kUsed, PROT_READ | PROT_WRITE), 0);
  memset(place, 1, kUsed);
  const auto scratch = std::make_unique<MapScratch>();
  const auto regions = std::make_unique<RegionTable>();
  const auto begin = reinterpret_cast<uintptr_t>(place);
  regions->Add(begin, begin + kReserved, RegionKind::kPool, "pool", 4);
  MappedParts parts;
  ASSERT_TRUE(MeasureMappedParts(*scratch, nullptr, *regions, 0, &parts));
  EXPECT_EQ(parts.pools[0].bytes, kUsed);
  ASSERT_EQ(mprotect(place, kUsed, PROT_NONE), 0);
  ASSERT_TRUE(MeasureMappedParts(*scratch, nullptr, *regions, 0, &parts));
  EXPECT_EQ(parts.pools[0].bytes, 0u);
  munmap(place, kReserved);
}

// Such as a library that keeps a terabyte for itself from before profiling began, and may write to all of it.
TEST(RssRows, WhatIsFarLargerThanAllThatIsResidentIsNotWalked) {
#ifdef __SANITIZE_THREAD__
  constexpr uint64_t kReserved = uint64_t{8} << 30;
#else
  constexpr uint64_t kReserved = uint64_t{1} << 40;
#endif
  constexpr uint64_t kUsed = 37 * 4096, kSmall = uint64_t{64} << 20;
  const auto map = [](uint64_t size) {
    void* place = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    EXPECT_NE(place, MAP_FAILED);
    madvise(place, size, MADV_NOHUGEPAGE);  // only the pages that are touched
    return reinterpret_cast<uintptr_t>(place);
  };
  const uintptr_t large = map(kReserved), small = map(kSmall);
  const auto scratch = std::make_unique<MapScratch>();
  const auto regions = std::make_unique<RegionTable>();
  for (const auto& [begin, size] : {std::pair(large, kReserved), std::pair(small, kSmall)}) {
    memset(reinterpret_cast<void*>(begin), 1, kUsed);
    regions->Add(begin, begin + size, begin == large ? RegionKind::kBefore : RegionKind::kPool, "pool", 4);
  }
  const auto before_bytes = [&](uint64_t rss_bytes) {
    MappedParts parts;
    EXPECT_TRUE(MeasureMappedParts(*scratch, nullptr, *regions, rss_bytes, &parts));
    EXPECT_EQ(parts.pools[0].bytes, kUsed) << "beside it, all is measured";
    return parts.before_bytes;
  };
  EXPECT_EQ(before_bytes(100 << 20), 0u);
  munmap(reinterpret_cast<void*>(large), kReserved - kMostWalkedBytes / 2);
  memset(reinterpret_cast<void*>(large + kReserved - kUsed), 1, kUsed);
  EXPECT_EQ(before_bytes(100 << 20), kUsed) << "what is left of it has room";
  munmap(reinterpret_cast<void*>(large), kReserved);
  munmap(reinterpret_cast<void*>(small), kSmall);
}

TEST(RssRows, ABlockTakesWhatMallocTakes) {
  for (const size_t size : {1, 24, 25, 40, 41, 100, 1000, 100'001}) {
    void* block = malloc(size);
    // ASan's malloc and others have no word before the block.
    if (malloc_usable_size(block) % 16 == 8) {
      EXPECT_EQ(ChunkBytes(size), malloc_usable_size(block) + 8) << size;
    }
    free(block);
  }
}

TEST(RssRows, WhatFindsNoRowGoesToTheOthers) {
  auto list = std::make_unique<RssRowList>();
  list->Add("nothing", 0);
  EXPECT_EQ(list->count, 0u);
  for (size_t i = 0; i < RssRowList::kMost + 7; ++i) list->Add("native: ", std::to_string(i).c_str(), i + 1);
  EXPECT_EQ(list->count, RssRowList::kMost);
  EXPECT_STREQ(list->rows[0].name, "native: 0");
  EXPECT_STREQ(list->rows[RssRowList::kMost - 1].name, "others");
  uint64_t others = 0;
  for (size_t i = RssRowList::kMost - 1; i < RssRowList::kMost + 7; ++i) others += i + 1;
  EXPECT_EQ(list->rows[RssRowList::kMost - 1].bytes, others);
}

TEST(RssRows, TwoPercentOfTheTimeAreSpent) {
  TimeBudget budget;
  int64_t now = 1'000'000'000;
  int64_t spent = 0;
  for (int i = 0; i < 100'000; ++i, now += 1'000'000) {
    if (!budget.Has(now)) continue;
    budget.Spend(3'000'000);
    spent += 3'000'000;
  }
  EXPECT_GT(spent, 2'000'000'000);               // of 100 s
  EXPECT_LT(spent, 2'000'000'000 + 53'000'001);  // and what it began with
}

TEST(RssRows, WhatStandsIsRememberedButForStacksAndLibraries) {
  const auto scratch = std::make_unique<MapScratch>();
  const auto regions = std::make_unique<RegionTable>();
  AddRegionsBefore(*scratch, nullptr, regions.get());
  const uintptr_t here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  regions->ForEachIn(0, UINTPTR_MAX, [&](const RegionTable::Region& region) {
    EXPECT_EQ(region.kind, RegionKind::kBefore);
    EXPECT_FALSE(here >= region.begin && here < region.end) << "the stack";
  });
  EXPECT_FALSE(regions->Empty());
  MappedParts parts;
  ASSERT_TRUE(MeasureMappedParts(*scratch, nullptr, *regions, 0, &parts));
  EXPECT_GT(parts.stack_bytes, 0u);
  EXPECT_GT(parts.library_data_bytes, 0u);
  EXPECT_GT(parts.before_bytes, 0u);
}

}  // namespace
}  // namespace memprof
