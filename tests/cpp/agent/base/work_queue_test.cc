#include "base/work_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace memprof {
namespace {

using Kind = WorkQueue::Kind;
constexpr std::chrono::seconds kAmple{60};
constexpr size_t kLarge = (size_t{1} << 20) - WorkQueue::kEntryBytes;
constexpr int kLargeThatFit = static_cast<int>(WorkQueue::kMostBytes >> 20);

// A queue whose thread is held up in its first piece.
class WorkQueues : public ::testing::Test {
 protected:
  ~WorkQueues() override { LetGo(); }

  void HoldUp() {
    ASSERT_TRUE(queue_.Start("test-queue").ok());
    queue_.Add(Kind::kEvent, 0, [this, over = over_.get_future().share()] {
      begun_.set_value();
      over.wait();
    });
    begun_.get_future().wait();
  }
  void LetGo() {
    if (!std::exchange(let_go_, true)) over_.set_value();
  }
  void Add(Kind kind, size_t bytes, const std::string& name) {
    queue_.Add(kind, bytes, [this, name] { done_.push_back(name); });
  }
  void FinishAll() {
    LetGo();
    ASSERT_TRUE(queue_.WaitUntilDone(kAmple));
  }

  std::promise<void> begun_, over_;
  bool let_go_ = false;
  std::vector<std::string> done_;  // of the queue's thread until it is idle
  WorkQueue queue_;
};

TEST_F(WorkQueues, WhatWasAddedIsDoneInItsOrder) {
  HoldUp();
  for (int i = 0; i < 100; ++i) Add(i % 3 == 0 ? Kind::kMessage : Kind::kEvent, 10, std::to_string(i));
  EXPECT_FALSE(queue_.Idle());
  FinishAll();
  ASSERT_EQ(done_.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(done_[i], std::to_string(i));
  EXPECT_TRUE(queue_.Idle());
}

// The thread looks by itself for a while and then sleeps: pieces come before, at and after that moment.
TEST_F(WorkQueues, WhatComesLaterIsDoneToo) {
  ASSERT_TRUE(queue_.Start("test-queue").ok());
  for (int i = 0; i < 60; ++i) {
    std::promise<void> done;
    queue_.Add(Kind::kEvent, 0, [&done] { done.set_value(); });
    ASSERT_EQ(done.get_future().wait_for(kAmple), std::future_status::ready);  // whoever asks the queue itself wakes it
    std::this_thread::sleep_for(WorkQueue::kLooksAgain * (i % 20) / 8);
  }
}

TEST_F(WorkQueues, AFloodOfMessagesDropsNoEvent) {
  HoldUp();
  for (int i = 0; i < kLargeThatFit + 3; ++i) Add(Kind::kMessage, kLarge, "message");
  Add(Kind::kEvent, kLarge, "executor removed");
  EXPECT_EQ(queue_.dropped(Kind::kMessage), 3u);
  EXPECT_EQ(queue_.dropped(Kind::kEvent), 0u);
  FinishAll();
  EXPECT_EQ(done_.size(), kLargeThatFit + 1u);
  EXPECT_EQ(done_.back(), "executor removed");
}

TEST_F(WorkQueues, EventsAreBoundedTooAndRoomIsUsedAgain) {
  HoldUp();  // with one event
  for (int i = 0; i < kLargeThatFit + 3; ++i) Add(Kind::kEvent, kLarge, "event");
  EXPECT_EQ(queue_.dropped(Kind::kEvent), 4u);
  EXPECT_EQ(queue_.dropped(Kind::kMessage), 0u);
  FinishAll();
  Add(Kind::kEvent, kLarge, "later");
  FinishAll();
  EXPECT_EQ(queue_.dropped(Kind::kEvent), 4u);
  EXPECT_EQ(done_.back(), "later");
}

TEST_F(WorkQueues, AnExceptionEndsItsOwnPieceOnly) {
  HoldUp();
  queue_.Add(Kind::kEvent, 0, [] { throw std::runtime_error("of a test"); });
  Add(Kind::kEvent, 0, "after it");
  FinishAll();
  EXPECT_EQ(done_, std::vector<std::string>{"after it"});
}

TEST_F(WorkQueues, ClosedItEndsAfterThePieceThatIsDoneAndTakesNothingMore) {
  HoldUp();
  const auto held = std::make_shared<int>();
  queue_.Add(Kind::kEvent, kLarge, [this, held] { done_.push_back("too late"); });
  std::thread closing([this] { queue_.Close(); });
  while (held.use_count() > 1) std::this_thread::yield();  // it forgets what waits, and then waits for the piece
  Add(Kind::kEvent, 0, "after the end");
  EXPECT_FALSE(queue_.Idle());
  LetGo();
  closing.join();
  EXPECT_TRUE(queue_.Idle());
  EXPECT_TRUE(done_.empty());
}

TEST_F(WorkQueues, NobodyWaitsWhoAdds) {
  HoldUp();
  EXPECT_FALSE(queue_.WaitUntilDone(std::chrono::milliseconds(1)));
  std::atomic<int> done{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([this, &done] {
      for (int i = 0; i < 5000; ++i) queue_.Add(Kind::kEvent, 0, [&done] { ++done; });
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(done, 0);
  FinishAll();
  EXPECT_EQ(done, 20'000);
}

}  // namespace
}  // namespace memprof
