#include "base/run_within.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <memory>
#include <stdexcept>

namespace memprof {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kAmple{60'000};

TEST(RunWithin, WaitsForTheEnd) {
  std::atomic<bool> ran = false;
  EXPECT_TRUE(RunWithin(kAmple, [&] { ran = true; }));
  EXPECT_TRUE(ran);
}

// Without a bound the test would never end.
TEST(RunWithin, DoesNotWaitForWhatHangs) {
  const auto let_go = std::make_shared<std::promise<void>>();
  const auto ended = std::make_shared<std::promise<void>>();
  EXPECT_FALSE(RunWithin(milliseconds(1), [let_go, ended] {
    let_go->get_future().wait();
    ended->set_value();
  }));
  let_go->set_value();
  ended->get_future().wait();
}

TEST(RunWithin, AnExceptionIsAnEnd) {
  EXPECT_TRUE(RunWithin(kAmple, [] { throw std::runtime_error("no"); }));
}

TEST(RunApartWithin, WaitsForTheEnd) {
  const pid_t caller = gettid();
  std::atomic<pid_t> thread = 0;
  EXPECT_TRUE(RunApartWithin(kAmple, [&] { thread = gettid(); }));
  EXPECT_NE(thread, 0);
  EXPECT_NE(thread, caller);
}

}  // namespace
}  // namespace memprof
