#include "base/calls_in_flight.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>

namespace memprof {
namespace {

using std::chrono::milliseconds;

TEST(CallsInFlight, NobodyWaitsForNone) {
  CallsInFlight calls;
  EXPECT_TRUE(calls.WaitForEnd(milliseconds{0}));
  { const CallsInFlight::Call call(&calls); }
  EXPECT_TRUE(calls.WaitForEnd(milliseconds{0}));
}

TEST(CallsInFlight, ACallThatGoesOnIsWaitedForNoLongerThanThat) {
  CallsInFlight calls;
  const CallsInFlight::Call call(&calls);
  EXPECT_FALSE(calls.WaitForEnd(milliseconds{1}));
}

TEST(CallsInFlight, TheLastOneEndsTheWaiting) {
  CallsInFlight calls;
  std::atomic<bool> ended{false};
  std::optional<CallsInFlight::Call> first(&calls), second(&calls);
  std::thread other([&] {
    first.reset();
    std::this_thread::sleep_for(milliseconds{20});
    ended = true;
    second.reset();
  });
  EXPECT_TRUE(calls.WaitForEnd(milliseconds{60'000}));
  EXPECT_TRUE(ended);
  other.join();
}

}  // namespace
}  // namespace memprof
