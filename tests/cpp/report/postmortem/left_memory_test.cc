// Off-heap and native memory that no running task holds: in post-mortems, and in the report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "proto/envelope.h"
#include "report/postmortem/worker_scene.h"
#include "report/told.h"

namespace memprof {
namespace {

using ::testing::HasSubstr;
using namespace testing;

TEST(LeftMemory, WhatEndedTasksHadLeftOffHeap) {
  constexpr uint64_t kLeft = 444'000'017;
  for (const bool is_news : {true, false}) {
    ProfileStore store;
    const int64_t newest = kBegin + 9'400 - (is_news ? 0 : 70'000);
    ASSERT_TRUE(store.Ingest(LeftBytes("1", newest, kLeft)).ok());
    ASSERT_TRUE(store.Ingest(LeftBytes("1", newest - 1, 5)).ok()) << "older, and late";
    FillScene(store, kCode137, kFull);
    const Json sites = TheDeath(store)["sites"];
    EXPECT_EQ(sites[0]["liveAtPeakBytes"], kDeadlyBytes + kOtherBytes);
    if (!is_news) {
      EXPECT_NE(sites[1]["liveAtPeakBytes"], kLeft);
      continue;
    }
    EXPECT_EQ(sites[1]["liveAtPeakBytes"], kLeft) << "before those that held less";
    EXPECT_EQ(sites[1]["origin"], "jvm-offheap");
    EXPECT_EQ(sites[1]["stageId"], 2);
    EXPECT_EQ(sites[1]["tasks"], 12);
    EXPECT_EQ(sites[1]["errorBytes"], 2'000'000);
    EXPECT_EQ(sites[1]["frames"].back()["function"], "put");
    EXPECT_EQ(sites.back()["origin"], "jvm-heap") << "what has no such figure stays last";
  }
}

// What a JNI library holds: of a thread of its own, by a call that has no name yet.
std::string LeftNativeBytes(int64_t time_ms, uint64_t bytes, const char* thread) {
  proto::Envelope envelope;
  EXPECT_TRUE(envelope.ParseFromString(LeftBytes("1", time_ms, bytes, 1, thread)));
  proto::LeftMemory left = envelope.left_off_heap();
  proto::TaskProfile& names = *left.mutable_names();
  const auto text = [&](const char* of) {
    names.add_strings(of);
    return static_cast<uint32_t>(names.strings_size()) - 1;
  };
  proto::Frame frame;
  frame.set_language(proto::NATIVE);
  frame.set_module(text("/opt/libengine.so"));
  frame.set_build_id(text("6a1f77"));
  frame.set_offset(0x1230);
  for (proto::Frame& each : *names.mutable_frames()) each = frame;
  *envelope.mutable_left_native() = left;
  return envelope.SerializeAsString();
}

TEST(LeftMemory, WhatLibrariesHoldForNoTaskIsNative) {
  ProfileStore store;
  ASSERT_TRUE(store.Ingest(LeftNativeBytes(kBegin + 300, 555'000'011, "native thread tokio-runtime-w")).ok());
  ASSERT_TRUE(store.Ingest(LeftNativeBytes(kBegin + 9'400, 444'000'017, "native thread tokio-runtime-w")).ok());
  FillScene(store, kCode137, kFull);
  const auto held = [&] { return Json::parse(store.ReportJson(false))["executors"][0]["nativeOfNoTask"]; };
  const Json unnamed = held();
  EXPECT_EQ(unnamed["sites"][0]["frames"].back()["function"], nullptr);
  ASSERT_TRUE(store.Ingest(SymbolBytes("6a1f77", 0x1230, "grow", "table.rs", 7, {"insert"})).ok());
  const Json named = held();
  EXPECT_EQ(named["timeMs"], kBegin + 300);
  EXPECT_EQ(named["totalBytes"], 555'000'018);
  ASSERT_EQ(named["sites"].size(), 1u);
  const Json& site = named["sites"][0];
  EXPECT_EQ(site["origin"], "jvm-native");
  EXPECT_EQ(site["bytes"], 555'000'011);
  EXPECT_EQ(site["thread"], "native thread tokio-runtime-w");
  ASSERT_EQ(site["frames"].size(), 2u * unnamed["sites"][0]["frames"].size()) << "with what was inlined";
  EXPECT_EQ(site["frames"].back()["function"], "grow");
  EXPECT_EQ(site["frames"][site["frames"].size() - 2]["function"], "insert");
  EXPECT_EQ(site["frames"].back()["module"], "/opt/libengine.so");
  const Json death = TheDeath(store);
  const auto told =
      std::find_if(death["sites"].begin(), death["sites"].end(), [](const Json& each) { return each["liveAtPeakBytes"] == 444'000'017; });
  ASSERT_NE(told, death["sites"].end());
  EXPECT_EQ((*told)["origin"], "jvm-native");
  EXPECT_EQ((*told)["frames"].back()["function"], "grow");
}

TEST(LeftMemory, WhatNoTaskAllocatedIsTheServices) {
  ProfileStore store;
  ASSERT_TRUE(store.Ingest(LeftBytes("1", kBegin + 9'400, 444'000'017, 1, "block transfer")).ok());
  EXPECT_FALSE(store.Ingest(LeftBytes("1", kBegin + 9'500, 1, 9)).ok()) << "a stack that is not there";
  FillScene(store, kCode137, kFull);
  const Json site = TheDeath(store)["sites"][1];
  EXPECT_EQ(site["liveAtPeakBytes"], 444'000'017);
  EXPECT_EQ(site["thread"], "block transfer");
  EXPECT_FALSE(site.contains("stageId"));
  EXPECT_THAT(TakePostMortems(store, kBegin, true).at(0), HasSubstr("block transfer"));
}

TEST(LeftMemory, OffHeapMemoryOfNoTaskIsTheExecutorsWhenItWasMost) {
  ProfileStore store;
  ASSERT_TRUE(store.Ingest(LeftBytes("1", kBegin + 100, 5)).ok());
  ASSERT_TRUE(store.Ingest(LeftBytes("1", kBegin + 300, 444'000'017, 1, "thread warmer-#")).ok());
  ASSERT_TRUE(store.Ingest(LeftBytes("1", kBegin + 500, 6)).ok());
  FillScene(store, kCode137, kFull);
  const Json held = Json::parse(store.ReportJson(false))["executors"][0]["offHeapOfNoTask"];
  EXPECT_EQ(held["timeMs"], kBegin + 300);
  EXPECT_EQ(held["totalBytes"], 444'000'024);
  EXPECT_EQ(held["otherBytes"], 7);
  ASSERT_EQ(held["sites"].size(), 1u);
  EXPECT_EQ(held["sites"][0]["bytes"], 444'000'017);
  EXPECT_EQ(held["sites"][0]["blocks"], 3);
  EXPECT_EQ(held["sites"][0]["thread"], "thread warmer-#");
  EXPECT_EQ(held["sites"][0]["stageId"], nullptr);
  EXPECT_EQ(held["sites"][0]["frames"].back()["function"], "put");
}

// Netty lets go of what it held when it finds no room, and Spark 3.5 says in the first line only that a fetch failed.
TEST(LeftMemory, WhereDirectBuffersRanOutTheirMostIsTold) {
  ProfileStore store;
  ASSERT_TRUE(store.Ingest(LeftBytes("1", kBegin + 9'000, 444'000'017, 1, "block transfer")).ok());
  ASSERT_TRUE(store.Ingest(LeftBytes("1", kBegin + 9'400, 6)).ok());
  FillScene(store, "Command exited with code 50", kFull / 4);
  store.TaskEnded({77, 5, 0, 3, 0, "1", TaskOutcome::kFailed,
                   "org.apache.spark.shuffle.FetchFailedException\n\tat X.y(X.scala:3)...\n"
                   "Caused by: java.lang.OutOfMemoryError: Cannot reserve 21037056 bytes of direct buffer memory (allocated: 444832933, "
                   "limit: 459715200)",
                   kBegin + 9'300});
  const Json death = TheDeath(store);
  EXPECT_EQ(death["outOfMemory"], true) << death["how"];
  EXPECT_THAT(death["headline"].get<std::string>(),
              HasSubstr("task 77 (stage 5) failed when direct buffers held 424.2 MiB of 438.4 MiB and 20.1 MiB more were asked for"));
  EXPECT_EQ(death["sites"][1]["liveAtPeakBytes"], 444'000'017) << death["sites"];
  EXPECT_EQ(death["sites"][1]["thread"], "block transfer");
  EXPECT_EQ(death["advice"][0]["conf"], "spark.network.maxRemoteBlockSizeFetchToMem");
  EXPECT_EQ(death["advice"][0]["from"], "200m");
  store.Configuration({{"spark.network.maxRemoteBlockSizeFetchToMem", "8m"}});
  EXPECT_NE(TheDeath(store)["advice"][0]["conf"], "spark.network.maxRemoteBlockSizeFetchToMem") << "it is smaller than that already";
}

// The agent says that it is less only after a while; how much there is in all comes with every sample.
TEST(LeftMemory, WhatIsMoreThanAllBlocksLaterWasFreed) {
  for (const bool freed : {true, false}) {
    ProfileStore store;
    ASSERT_TRUE(store.Ingest(LeftBytes("1", kBegin + 9'000, 444'000'017)).ok());
    FillScene(store, kCode137, kFull);
    proto::Envelope last;
    last.ParseFromString(LastSnapshot(kFull).SerializeAsString());
    last.mutable_executor()->set_taken_ms(kBegin + 9'600);
    last.mutable_executor()->mutable_last()->set_time_ms(kBegin + 9'600);
    proto::NamedBytes& row = *last.mutable_executor()->mutable_last()->add_regions();
    row.set_name("offHeap");
    row.set_bytes(freed ? 300'000'000 : 444'000'000);
    ASSERT_TRUE(store.Ingest(last.SerializeAsString()).ok());
    const Json death = TheDeath(store);
    const auto told = [&] {
      return std::any_of(death["sites"].begin(), death["sites"].end(),
                         [](const Json& site) { return site["liveAtPeakBytes"] == 444'000'017; });
    };
    EXPECT_EQ(told(), !freed);
  }
}

// A task that failed of an error of the JVM, and so ended before its executor did, has what it held in its own profile, too.
TEST(LeftMemory, WhatATaskHeldThatHasEndedIsToldOnce) {
  constexpr const char* kDirect =
      "java.lang.OutOfMemoryError: Cannot reserve 300000007 bytes of direct buffer memory (allocated: 16385, limit: 104857600)";
  for (const int64_t later_ms : {100, -100}) {
    for (const proto::Origin origin : {proto::ORIGIN_JVM_OFFHEAP, proto::ORIGIN_JVM_NATIVE}) {
      ProfileStore store;
      FillScene(store, "Command exited with code 52", kFull / 4);
      const int64_t gone_ms = TheDeath(store)["timeMs"];
      ProfileBuilder task(77, 2, 3, "1");
      proto::Site& site = task.Site(origin, {Java("org.example.Cache", "put", "Cache.java", 9)}, 444'000'017, 3);
      site.set_live_bytes(444'000'017);
      site.set_live_at_peak_bytes(444'000'017);
      task.profile().set_taken_ms(gone_ms - 1000);
      ASSERT_TRUE(store.Ingest(task.Bytes()).ok());
      store.TaskEnded({77, 2, 0, 3, 0, "1", TaskOutcome::kFailed, kDirect, gone_ms - 900});
      proto::Envelope left;
      ASSERT_TRUE(left.ParseFromString(LeftBytes("1", gone_ms - 1000 + later_ms, 444'000'017)));
      const bool native = origin == proto::ORIGIN_JVM_NATIVE;
      if (native) *left.mutable_left_native() = proto::LeftMemory(left.left_off_heap());
      ASSERT_TRUE(store.Ingest(left.SerializeAsString()).ok());
      uint64_t held = 0;
      const Json death = TheDeath(store);
      for (const Json& row : death["sites"]) {
        if (row["origin"] == (native ? "jvm-native" : "jvm-offheap") && row.value("stageId", -1) == 2)
          held += row["liveAtPeakBytes"].get<uint64_t>();
      }
      EXPECT_EQ(held, later_ms > 0 ? 444'000'017 : 2 * 444'000'017) << "what was left before it ended was another task's";
    }
  }
}

TEST(LeftMemory, WhatWasLeftAndThenFreedIsNotTold) {
  proto::Envelope nothing = EnvelopeOf("1");
  nothing.mutable_left_off_heap()->set_time_ms(kBegin + 9'401);
  ProfileStore store;
  ASSERT_TRUE(store.Ingest(LeftBytes("1", kBegin + 9'400, 444'000'017)).ok());
  ASSERT_TRUE(store.Ingest(nothing.SerializeAsString()).ok());
  FillScene(store, kCode137, kFull);
  const Json death = TheDeath(store);
  for (const Json& site : death["sites"]) EXPECT_NE(site["liveAtPeakBytes"], 444'000'017);
}

}  // namespace
}  // namespace memprof
