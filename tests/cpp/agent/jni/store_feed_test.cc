#include "jni/store_feed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "proto/envelope.h"

namespace memprof {
namespace {

constexpr std::chrono::seconds kAmple{60};

std::string SnapshotOf(const std::string& executor) {
  proto::Envelope envelope = EnvelopeOf(executor);
  envelope.mutable_executor()->set_taken_ms(EpochMs());
  envelope.mutable_executor()->set_jvm_pid(4711);
  return envelope.SerializeAsString();
}

bool IsTold(const ProfileStore& store, const std::string& what, const std::string& why) {
  const std::vector<ReportNotAvailable> lines = store.Model(false, false).not_available;
  return std::any_of(lines.begin(), lines.end(), [&](const auto& line) { return line.what == what && line.why == why; });
}

TEST(StoreFeeds, MessagesAndEventsReachTheStoreInTheirOrder) {
  ProfileStore store;
  StoreFeed feed(&store);
  ASSERT_TRUE(feed.Start().ok());
  feed.Add(3, [](ProfileStore& to) { to.ApplicationStarted("app-6", "six", "4.1.0", "", "yarn", 900); });
  feed.Add(3, [](ProfileStore& to) { to.ApplicationStarted("app-7", "seven", "4.1.0", "", "yarn", 1'000); });
  feed.Ingest(SnapshotOf("1"));
  feed.Add(3, [](ProfileStore& to) { to.ExecutorRemoved("1", "Command exited with code 137", EpochMs()); });
  ASSERT_TRUE(feed.queue().WaitUntilDone(kAmple));
  const Report report = store.Model(false, false);
  EXPECT_EQ(report.application.id, "app-7");
  ASSERT_EQ(report.executors.size(), 1u);
  EXPECT_EQ(report.post_mortems.size(), 1u);
  EXPECT_EQ(feed.TakeRefusal(), std::nullopt);
}

TEST(StoreFeeds, TheFirstRefusalIsToldOnce) {
  ProfileStore store;
  StoreFeed feed(&store);
  ASSERT_TRUE(feed.Start().ok());
  feed.Ingest("garbage");
  feed.Ingest("other garbage");
  ASSERT_TRUE(feed.queue().WaitUntilDone(kAmple));
  const std::optional<std::string> told = feed.TakeRefusal();
  ASSERT_TRUE(told);
  EXPECT_EQ(feed.TakeRefusal(), std::nullopt);
  EXPECT_TRUE(IsTold(store, "part of the profile", *told));
  feed.Ingest("more garbage");
  ASSERT_TRUE(feed.queue().WaitUntilDone(kAmple));
  EXPECT_EQ(feed.TakeRefusal(), std::nullopt);
}

TEST(StoreFeeds, WhatHadNoRoomIsInTheReport) {
  ProfileStore store;
  StoreFeed feed(&store);
  ASSERT_TRUE(feed.Start().ok());
  feed.Ingest(std::string(WorkQueue::kMostBytes, 'x'));
  feed.queue().CountDropped(WorkQueue::Kind::kEvent);
  feed.TellDropped();
  for (const char* what : {"messages of executors", "events of Spark"})
    EXPECT_TRUE(IsTold(store, what, "1 were dropped, the driver's queue for them was full")) << what;
}

TEST(StoreFeeds, AClosedFeedTakesNothing) {
  auto store = std::make_unique<ProfileStore>();
  StoreFeed feed(store.get());
  ASSERT_TRUE(feed.Start().ok());
  feed.Close();
  store.reset();
  feed.Ingest(SnapshotOf("1"));
  feed.Add(0, [](ProfileStore& to) { to.ApplicationEnded(1); });
  EXPECT_TRUE(feed.queue().Idle());
}

}  // namespace
}  // namespace memprof
