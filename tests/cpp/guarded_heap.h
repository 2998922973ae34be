// A heap of glibc's malloc above what looks like the guard of a thread's stack.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <latch>
#include <thread>
#include <vector>

namespace memprof {

class GuardedHeap {
 public:
  static constexpr size_t kBlockBytes = 100'003, kBlocks = 300;
  static constexpr size_t kTouchedBytes = kBlockBytes * kBlocks;  // of each heap, at least

  // Threads that live at once have heaps of their own. Something else may lie below one, such as another thread's stack: then the next
  // thread's is tried. Threads of earlier tests have left heaps to the first ones.
  GuardedHeap() : ends_(1) {
    while (guard_ == nullptr && threads_.size() < kMostThreads) {
      uintptr_t begin = 0;
      std::latch made(1);
      threads_.emplace_back([this, &begin, &made] {
        std::vector<void*> blocks;
        for (size_t n = 0; n < kBlocks; ++n) {
          blocks.push_back(malloc(kBlockBytes));
          memset(blocks.back(), 1, kBlockBytes);
        }
        begin = reinterpret_cast<uintptr_t>(blocks[0]) / kHeapBytes * kHeapBytes;
        made.count_down();
        ends_.wait();
        for (void* block : blocks) free(block);
      });
      made.wait();
      void* wanted = reinterpret_cast<void*>(begin - kGuardBytes);
      void* mapped = mmap(wanted, kGuardBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
      if (mapped == wanted) guard_ = mapped;
      if (mapped != wanted && mapped != MAP_FAILED) munmap(mapped, kGuardBytes);
    }
  }
  ~GuardedHeap() {
    if (guard_ != nullptr) munmap(guard_, kGuardBytes);
    ends_.count_down();
    for (std::thread& thread : threads_) thread.join();
  }
  GuardedHeap(const GuardedHeap&) = delete;
  GuardedHeap& operator=(const GuardedHeap&) = delete;

  bool has_guard() const { return guard_ != nullptr; }
  size_t touched_bytes() const { return threads_.size() * kTouchedBytes; }  // in all heaps, at least

 private:
  static constexpr size_t kMostThreads = 12;
  static constexpr uintptr_t kHeapBytes = uintptr_t{64} << 20, kGuardBytes = 4096;

  std::latch ends_;
  std::vector<std::thread> threads_;
  void* guard_ = nullptr;
};

}  // namespace memprof
