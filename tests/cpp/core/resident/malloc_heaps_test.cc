#include "resident/malloc_heaps.h"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cstddef>
#include <iterator>
#include <memory>
#include <thread>

#include "malloc_heap_above.h"
#include "resident/residency.h"
#include "resident/rss_rows.h"

namespace memprof {
namespace {

constexpr uintptr_t kMi = 1 << 20;

TEST(MallocHeaps, WhatNobodyHasTouchedStaysSo) {
  constexpr uintptr_t kSize = 1024 * kMi;
  void* place = mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(place, MAP_FAILED);
  const auto begin = reinterpret_cast<uintptr_t>(place);
  const PageMap pages;
  int parts = 0;
  MallocHeaps(pages).Split(begin, begin + kSize, [&](uintptr_t from, uintptr_t to, bool is_heap) {
    EXPECT_EQ(from, begin);
    EXPECT_EQ(to, begin + kSize);
    EXPECT_FALSE(is_heap);
    ++parts;
  });
  EXPECT_EQ(parts, 1);
  EXPECT_EQ(ResidentBytes(begin, kSize), 0u);
  munmap(place, kSize);
}

TEST(MallocHeaps, ZerosAtItsPlaceAreNoHeap) {
  void* place = mmap(nullptr, 128 * kMi, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(place, MAP_FAILED);
  const auto begin = reinterpret_cast<uintptr_t>(place);
  const uintptr_t multiple = (begin + kMallocHeapBytes - 1) & ~(kMallocHeapBytes - 1);
  for (const uint64_t word : {uint64_t{0}, ~uint64_t{0}, uint64_t{4096}}) {
    for (size_t i = 0; i < 8; ++i) reinterpret_cast<volatile uint64_t*>(multiple)[i] = word;
    const PageMap pages;
    MallocHeaps(pages).Split(begin, begin + 128 * kMi, [](uintptr_t, uintptr_t, bool is_heap) { EXPECT_FALSE(is_heap); });
  }
  munmap(place, 128 * kMi);
}

// Of these addresses, those which AddRegionsBefore remembers.
uint64_t RememberedBytes(uintptr_t begin, uintptr_t end) {
  const auto scratch = std::make_unique<MapScratch>();
  const auto regions = std::make_unique<RegionTable>();
  AddRegionsBefore(*scratch, nullptr, regions.get());
  uint64_t bytes = 0;
  regions->ForEachIn(begin, end, [&](const RegionTable::Region& region) { bytes += region.end - region.begin; });
  return bytes;
}

TEST(MallocHeaps, WhatStandsBesideOneIsRememberedWithoutIt) {
  NEEDS_GLIBCS_MALLOC;
  const MallocHeapAbove heap(PROT_READ | PROT_WRITE);
  ASSERT_NE(heap.below(), nullptr);
  const auto below = reinterpret_cast<uintptr_t>(heap.below());
  const uintptr_t begin = below + MallocHeapAbove::kBytesBelow;
  EXPECT_EQ(RememberedBytes(below, begin), MallocHeapAbove::kBytesBelow);
  EXPECT_EQ(RememberedBytes(begin, begin + kMallocHeapBytes), 0u);
  // Advice for a part of it, as numpy gives for large arrays, cuts the mapping in three.
  void* part = reinterpret_cast<void*>(begin + 8 * kMi);
  ASSERT_EQ(madvise(part, 4 * kMi, MADV_DONTDUMP), 0);
  EXPECT_EQ(RememberedBytes(begin, begin + kMallocHeapBytes), 0u);
  ASSERT_EQ(madvise(part, 4 * kMi, MADV_DODUMP), 0);
}

// From now on this thread may not read memory by a system call, as in a container with a strict seccomp profile.
bool ForbidReading() {
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{static_cast<unsigned short>(std::size(rules)), rules};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(MallocHeaps, WhereMemoryMayNotBeReadTheirPlaceCounts) {
  NEEDS_GLIBCS_MALLOC;
  const MallocHeapAbove heap(PROT_NONE);
  ASSERT_NE(heap.below(), nullptr);
  const uintptr_t begin = reinterpret_cast<uintptr_t>(heap.below()) + MallocHeapAbove::kBytesBelow;
  std::thread([begin] {
    ASSERT_TRUE(ForbidReading());
    EXPECT_EQ(RememberedBytes(begin, begin + kMallocHeapBytes), 0u);
    const PageMap pages;
    int heaps = 0;
    MallocHeaps(pages).Split(begin - kMi, begin + kMi, [&](uintptr_t, uintptr_t, bool is_heap) { heaps += is_heap; });
    EXPECT_EQ(heaps, 0) << "it doesn't begin a mapping there";
  }).join();
}

}  // namespace
}  // namespace memprof
