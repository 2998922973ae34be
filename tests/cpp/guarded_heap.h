// A heap of glibc's malloc above what looks like the guard of a thread's stack.
#pragma once

#include <sys/mman.h>

#include <array>
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

  // Threads that live at once have heaps of their own. Something else may lie below one: then the next is tried.
  GuardedHeap() : ends_(1) {
    std::latch made(kThreads);
    for (size_t i = 0; i < kThreads; ++i) {
      threads_.emplace_back([this, i, &made] {
        std::vector<void*> blocks;
        for (size_t n = 0; n < kBlocks; ++n) {
          blocks.push_back(malloc(kBlockBytes));
          memset(blocks.back(), 1, kBlockBytes);
        }
        begins_[i] = reinterpret_cast<uintptr_t>(blocks[0]) / kHeapBytes * kHeapBytes;
        made.count_down();
        ends_.wait();
        for (void* block : blocks) free(block);
      });
    }
    made.wait();
    for (size_t i = 0; i < kThreads && guard_ == nullptr; ++i) {
      void* wanted = reinterpret_cast<void*>(begins_[i] - kGuardBytes);
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

  static constexpr size_t kThreads = 4;

 private:
  static constexpr uintptr_t kHeapBytes = uintptr_t{64} << 20, kGuardBytes = 4096;

  std::array<uintptr_t, kThreads> begins_{};
  std::latch ends_;
  std::vector<std::thread> threads_;
  void* guard_ = nullptr;
};

}  // namespace memprof
