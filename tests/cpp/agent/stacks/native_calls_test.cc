#include "stacks/native_calls.h"

#include <gtest/gtest.h>

#include <barrier>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "hooking/native_stack.h"

namespace memprof {
namespace {

// Exact, unlike statm, whose counters may lie in the CPUs.
int64_t ResidentBytes() {
  std::ifstream rollup("/proc/self/smaps_rollup");
  for (std::string word; rollup >> word;) {
    int64_t kib = 0;
    if (word == "Rss:" && rollup >> kib) return kib << 10;
  }
  ADD_FAILURE() << "no Rss";
  return 0;
}

// libunwind's cache of frames would be 256 KiB for each of them.
TEST(NativeCalls, ThreadsThatSampleRarelyKeepLittleMemory) {
  constexpr int kThreads = 96;
  constexpr int64_t kMostOfEach = 128 << 10;
  static LoaderWatch loader;  // it knows no module
  InitNativeStack();
  std::barrier all_run(kThreads + 1), may_sample(kThreads + 1), all_sampled(kThreads + 1), may_end(kThreads + 1);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      NativeCalls calls;
      all_run.arrive_and_wait();
      may_sample.arrive_and_wait();
      CaptureNativeCalls(
          &loader, [](uintptr_t) { return false; }, &calls);
      all_sampled.arrive_and_wait();
      may_end.arrive_and_wait();
    });
  }
  all_run.arrive_and_wait();
  const int64_t before = ResidentBytes();
  may_sample.arrive_and_wait();
  all_sampled.arrive_and_wait();
  EXPECT_LT(ResidentBytes() - before, kThreads * kMostOfEach);
  may_end.arrive_and_wait();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace memprof
