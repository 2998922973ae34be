#include "watch/message_queue.h"

#include <gtest/gtest.h>

#include <thread>

namespace memprof {
namespace {

using std::chrono::milliseconds;

TEST(MessageQueue, HandsOutInOrderAndEndsAfterTheLast) {
  MessageQueue queue;
  queue.Open();
  queue.Put("a");
  queue.Put("b");
  EXPECT_EQ(queue.Take(milliseconds(0)), "a");
  queue.Close();
  EXPECT_EQ(queue.Take(milliseconds(60'000)), "b");
  EXPECT_EQ(queue.Take(milliseconds(60'000)), std::nullopt);  // at once: it is closed
}

TEST(MessageQueue, AFullQueueLosesTheOldest) {
  MessageQueue queue;
  queue.Open();
  for (size_t i = 0; i < MessageQueue::kMaxMessages + 3; ++i) queue.Put(std::to_string(i));
  EXPECT_EQ(queue.dropped(), 3u);
  EXPECT_EQ(queue.Take(milliseconds(0)), "3");

  queue.Put(std::string(MessageQueue::kMaxBytes, 'x'));
  EXPECT_EQ(queue.Take(milliseconds(0))->size(), MessageQueue::kMaxBytes);
  EXPECT_EQ(queue.Take(milliseconds(0)), std::nullopt);
}

TEST(MessageQueue, WhatCouldNotBeSentComesFirstAgain) {
  MessageQueue queue;
  queue.Open();
  queue.Put("a");
  queue.Put("b");
  queue.PutBack(*queue.Take(milliseconds(0)));
  EXPECT_EQ(queue.Take(milliseconds(0)), "a");
  for (size_t i = 0; i < MessageQueue::kMaxMessages; ++i) queue.Put("newer");
  queue.PutBack("a");
  EXPECT_EQ(queue.dropped(), 2u) << "b, and then a itself: what is newer stays";
  EXPECT_EQ(queue.Take(milliseconds(0)), "newer");
}

TEST(MessageQueue, KnowsWhenTheLastOneWasSent) {
  MessageQueue queue;
  queue.Open();
  queue.Put("a");
  EXPECT_FALSE(queue.WaitUntilTaken(milliseconds(1)));
  std::thread sender([&] {
    while (queue.Take(milliseconds(60'000))) {
    }
  });
  EXPECT_TRUE(queue.WaitUntilTaken(milliseconds(60'000)));
  queue.Close();
  sender.join();
}

TEST(MessageQueue, OpensEmpty) {
  MessageQueue queue;
  queue.Open();
  queue.Put("of whoever was here before");
  queue.Close();
  queue.Open();
  EXPECT_EQ(queue.Take(milliseconds(0)), std::nullopt);
}

TEST(MessageQueue, WakesWhoWaits) {
  MessageQueue queue;
  queue.Open();
  std::thread waiting([&] {
    EXPECT_EQ(queue.Take(milliseconds(60'000)), "late");
    EXPECT_EQ(queue.Take(milliseconds(60'000)), std::nullopt);
  });
  queue.Put("late");
  queue.Close();
  waiting.join();
}

}  // namespace
}  // namespace memprof
