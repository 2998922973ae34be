#include "hooking/native_stack.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <optional>
#include <thread>
#include <vector>

extern "C" const char __start_descend[], __stop_descend[];

namespace memprof {
namespace {

struct Capture {
  size_t capacity = 64;
  std::vector<uintptr_t> addresses;
  size_t count = 0;
  std::optional<size_t> below, below_outer;
  const void *boundary = nullptr, *outer_boundary = nullptr;
  bool slowly = false;
  bool elsewhere = false;  // the array isn't on the stack
};

// Where the calls below will be: arrays and calls of before, still lying there, would be taken for the calls themselves.
__attribute__((noinline)) void ClearStack() {
  char room[64 * 1024];
  memset(room, 0, sizeof room);
  asm volatile("" : : "r"(room) : "memory");
}

// A stack of `depth` calls of this function; the frames at depth `marked` and one further out leave addresses of their own behind.
// In a section of its own, whose ends the linker names.
__attribute__((noinline, section("descend"))) void Descend(int depth, int marked, Capture* capture) {
  volatile char local = 0;
  if (depth == marked) capture->boundary = const_cast<char*>(&local);
  if (depth == marked + 1) capture->outer_boundary = const_cast<char*>(&local);
  if (depth > 0) {
    Descend(depth - 1, marked, capture);
  } else {
    static uintptr_t shared[64];
    uintptr_t local_addresses[64] = {};
    asm volatile("" : : "r"(local_addresses) : "memory");
    uintptr_t* addresses = capture->elsewhere ? shared : local_addresses;
    capture->count = CaptureNativeStack(addresses, capture->capacity, capture->slowly);
    FramePlaces places(addresses + 1, capture->count - 1);
    capture->below = places.Below(capture->boundary);
    capture->below_outer = places.Below(capture->outer_boundary);
    capture->addresses.assign(addresses, addresses + capture->count);
  }
  local = 1;  // after the call: it is no jump
}

bool IsDescend(uintptr_t address) {
  return address > reinterpret_cast<uintptr_t>(__start_descend) && address <= reinterpret_cast<uintptr_t>(__stop_descend);
}

class NativeStackTest : public testing::TestWithParam<bool> {
 protected:
  static void SetUpTestSuite() { InitNativeStack(); }
};

TEST_P(NativeStackTest, EachCallIsSeenInnermostFirst) {
  Capture capture;
  capture.slowly = GetParam();
  ClearStack();
  Descend(10, 5, &capture);
  ASSERT_GE(capture.count, 12u);
  for (size_t i = 0; i < 11; ++i) EXPECT_TRUE(IsDescend(capture.addresses[i])) << i;
  EXPECT_FALSE(IsDescend(capture.addresses[11]));
}

TEST_P(NativeStackTest, FewerThanThereIsRoomFor) {
  Capture capture;
  capture.slowly = GetParam();
  capture.capacity = 4;
  ClearStack();
  Descend(10, 5, &capture);
  EXPECT_EQ(capture.count, 3u);
}

INSTANTIATE_TEST_SUITE_P(FastAndSlow, NativeStackTest, testing::Values(false, true));

// Proves something as the first test of its process, as ctest runs it.
TEST(NativeStack, NoDescriptorIsOpened) {
  const auto open = [] { return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}); };
  const auto before = open();
  InitNativeStack();
  uintptr_t addresses[64];
  EXPECT_GT(CaptureNativeStack(addresses, std::size(addresses), true), 0u);
  EXPECT_EQ(open(), before);
}

TEST(FramePlaces, CountsTheCallsBelowAnAddressOnTheStack) {
  InitNativeStack();
  for (const bool elsewhere : {false, true}) {
    for (int marked = 1; marked <= 9; ++marked) {
      Capture capture;
      capture.elsewhere = elsewhere;
      ClearStack();
      Descend(10, marked, &capture);
      // Between the marked frame and the innermost one lie `marked` calls.
      EXPECT_EQ(capture.below, static_cast<size_t>(marked)) << elsewhere;
      EXPECT_EQ(capture.below_outer, static_cast<size_t>(marked + 1)) << elsewhere;
    }
  }
}

TEST(FramePlaces, SaysNothingBeyondWhatWasCaptured) {
  InitNativeStack();
  Capture capture;
  capture.capacity = 6;
  ClearStack();
  Descend(10, 8, &capture);
  EXPECT_EQ(capture.below, std::nullopt);
}

TEST(FramePlaces, AnAddressElsewhereSaysNothing) {
  uintptr_t addresses[] = {1, 2, 3};
  FramePlaces places(addresses, 3);
  EXPECT_EQ(places.Below(nullptr), std::nullopt);
  EXPECT_EQ(places.Below(reinterpret_cast<void*>(UINTPTR_MAX - 4096)), std::nullopt);
}

TEST(NativeStackFork, NobodyUnwindsWhileForking) {
  InitNativeStack();
  uintptr_t addresses[8];
  EXPECT_GT(CaptureNativeStack(addresses, 8, false), 0u);
  PrepareFork();
  EXPECT_EQ(CaptureNativeStack(addresses, 8, false), 0u);
  AfterForkInParent();
  EXPECT_GT(CaptureNativeStack(addresses, 8, false), 0u);
  PrepareFork();
  AfterForkInChild();
  EXPECT_GT(CaptureNativeStack(addresses, 8, false), 0u);
}

TEST(NativeStackFork, NobodyUnwindsUntilTheLastOfSeveralForksIsOver) {
  InitNativeStack();
  uintptr_t addresses[8];
  PrepareFork();
  PrepareFork();
  AfterForkInParent();
  EXPECT_EQ(CaptureNativeStack(addresses, 8, false), 0u);
  AfterForkInParent();
  EXPECT_GT(CaptureNativeStack(addresses, 8, false), 0u);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
constexpr const char* kLocksOfItsOwn = "a sanitizer's runtime has locks of its own that a fork beside starting threads leaves taken";

// Forks fifty times while three threads do `meanwhile` again and again. `unwind` runs in each child, with whose status it ends.
void ForkBeside(void (*meanwhile)(), void (*unwind)()) {
  InitNativeStack();
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!stop.load()) meanwhile();
    });
  }
  for (int i = 0; i < 50 && !::testing::Test::HasFailure(); ++i) {
    PrepareFork();
    const pid_t child = fork();
    if (child == 0) {
      AfterForkInChild();
      alarm(20);
      unwind();
    }
    AfterForkInParent();
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
  }
  stop.store(true);
  for (std::thread& thread : threads) thread.join();
}

void ExitWhetherItUnwinds() {
  Capture capture;
  Descend(3, 1, &capture);
  _exit(capture.count >= 4 ? 0 : 1);
}

TEST(NativeStackFork, AChildOfUnwindingThreadsUnwinds) {
  if (kSanitized) GTEST_SKIP() << kLocksOfItsOwn;
  const auto in_a_new_thread = [] {  // which makes a new cache, under a lock of libunwind's
    std::thread([] {
      Capture capture;
      Descend(3, 1, &capture);
    }).join();
  };
  ForkBeside(in_a_new_thread, [] { std::thread(ExitWhetherItUnwinds).join(); });
}

// While a thread forks, the others find out again and again that they may not unwind. In the child none of them is left.
TEST(NativeStackFork, AChildUnwindsWhateverOthersTriedMeanwhile) {
  if (kSanitized) GTEST_SKIP() << kLocksOfItsOwn;
  const auto in_this_thread = [] {
    uintptr_t addresses[4];
    CaptureNativeStack(addresses, std::size(addresses), false);
  };
  ForkBeside(in_this_thread, ExitWhetherItUnwinds);
}

}  // namespace
}  // namespace memprof
