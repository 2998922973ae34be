// A heap of glibc's malloc with a mapping directly below it, such as what looks like the guard of a thread's stack.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <future>
#include <latch>
#include <thread>
#include <utility>
#include <vector>

#include "resident/malloc_heaps.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NEEDS_GLIBCS_MALLOC GTEST_SKIP() << "a sanitizer's runtime has a malloc of its own"
#else
#define NEEDS_GLIBCS_MALLOC
#endif

namespace memprof {

class MallocHeapAbove {
 public:
  static constexpr size_t kBlockBytes = 100'003, kBlocks = 300;
  static constexpr size_t kTouchedBytes = kBlockBytes * kBlocks;  // of each heap, at least
  static constexpr uintptr_t kBytesBelow = 4096;

  // Threads that live at once have heaps of their own. Something else may lie below one, such as another thread's stack: then the next
  // thread's is tried. The first threads may get heaps that threads of earlier tests have left.
  explicit MallocHeapAbove(int protection_below) : ends_(1) {
    while (below_ == nullptr && threads_.size() < kMostThreads) {
      std::promise<uintptr_t> made;
      std::future<uintptr_t> begin = made.get_future();
      threads_.emplace_back([this, made = std::move(made)]() mutable {
        std::vector<void*> blocks;
        for (size_t n = 0; n < kBlocks; ++n) {
          blocks.push_back(malloc(kBlockBytes));
          memset(blocks.back(), 1, kBlockBytes);
        }
        made.set_value(reinterpret_cast<uintptr_t>(blocks[0]) / kMallocHeapBytes * kMallocHeapBytes);
        ends_.wait();
        for (void* block : blocks) free(block);
      });
      void* wanted = reinterpret_cast<void*>(begin.get() - kBytesBelow);
      void* mapped = mmap(wanted, kBytesBelow, protection_below, kFlags, -1, 0);
      if (mapped == wanted) below_ = mapped;
      if (mapped != wanted && mapped != MAP_FAILED) munmap(mapped, kBytesBelow);
    }
  }
  ~MallocHeapAbove() {
    if (below_ != nullptr) munmap(below_, kBytesBelow);
    ends_.count_down();
    for (std::thread& thread : threads_) thread.join();
  }
  MallocHeapAbove(const MallocHeapAbove&) = delete;
  MallocHeapAbove& operator=(const MallocHeapAbove&) = delete;

  void* below() const { return below_; }                                    // null: nothing could be mapped there
  size_t touched_bytes() const { return threads_.size() * kTouchedBytes; }  // in all heaps, at least

 private:
  static constexpr size_t kMostThreads = 12;
  // The kernel joins mappings of one kind only: glibc's heaps, like HotSpot's reservations, are MAP_NORESERVE.
  static constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;

  std::latch ends_;
  std::vector<std::thread> threads_;
  void* below_ = nullptr;
};

}  // namespace memprof
