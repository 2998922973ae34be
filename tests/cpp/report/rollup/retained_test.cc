#include "rollup/retained.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "eventlog/event_parts.h"
#include "report/json.h"
#include "report/sample_store.h"

namespace memprof {
namespace {

using Json = nlohmann::ordered_json;

Json ReportOf(const ProfileStore& store) { return Json::parse(store.ReportJson(false)); }

proto::Envelope Envelope(uint64_t bytes) {
  proto::Envelope envelope;
  EXPECT_TRUE(envelope.ParseFromString(testing::RetainedBytes("0", 1'000, bytes)));
  return envelope;
}

TEST(Retained, AnExecutorShowsWhatItSaidLast) {
  for (bool late : {false, true}) {
    ProfileStore store;
    const std::string older = testing::RetainedBytes("0", 4'000, 20'000'003), newer = testing::RetainedBytes("0", 5'000, 33'000'007);
    ASSERT_TRUE(store.Ingest(late ? newer : older).ok());
    ASSERT_TRUE(store.Ingest(late ? older : newer).ok());
    const Json retained = ReportOf(store)["executors"][0]["retained"];
    EXPECT_EQ(retained["timeMs"], 5'000);
    EXPECT_EQ(retained["collection"], "G1 Old Generation (System.gc())");
    EXPECT_EQ(retained["heapUsedAfterBytes"], 101'000'003);
    EXPECT_EQ(retained["totalBytes"], 38'070'019);
    EXPECT_EQ(retained["errorBytes"], 4'000'000);
    ASSERT_EQ(retained["sites"].size(), 2u);
    const Json rows = retained["sites"][0], broadcast = retained["sites"][1];
    EXPECT_EQ(rows["retainedBytes"], 33'000'007);
    EXPECT_EQ(rows["errorBytes"], 2'000'000);
    EXPECT_EQ(rows["stageId"], 2);
    EXPECT_EQ(rows["thread"], nullptr);
    EXPECT_EQ(rows["frames"].back()["function"], "copy");
    EXPECT_EQ(broadcast["stageId"], nullptr);
    EXPECT_EQ(broadcast["thread"], "broadcast-exchange-#");
    EXPECT_EQ(broadcast["frames"], Json::array());
    EXPECT_EQ(retained["otherBytes"], 70'001);
  }
}

TEST(Retained, ASiteOfAStageSumsUpItsExecutors) {
  ProfileStore store;
  testing::FillSample(store);
  const Json report = ReportOf(store);
  int known = 0;
  for (const Json& stage : report["stages"]) {
    for (const Json& site : stage["sites"]) {
      if (site["retainedBytes"].is_null()) continue;
      ++known;
      EXPECT_EQ(stage["stageId"], 2);
      EXPECT_EQ(site["frames"].back()["function"], "copy");
      EXPECT_EQ(site["retainedBytes"], 33'000'007 + 44'000'009);
    }
  }
  EXPECT_EQ(known, 1);
}

TEST(Retained, FiguresOfCollectorsReachTheReport) {
  ProfileStore store;
  testing::FillSample(store);
  const Json executor = ReportOf(store)["executors"][0];
  EXPECT_EQ(executor["gcStoppedMs"], 4'217);
  EXPECT_EQ(executor["gcPercent"], 10.54) << "of 40 s";
  ASSERT_EQ(executor["gc"].size(), 1u);
  const Json collector = executor["gc"][0];
  EXPECT_EQ(collector["collector"], "G1 Young Generation");
  EXPECT_EQ(collector["collections"], 113);
  EXPECT_EQ(collector["percent"], 10.02) << "4,009 ms of 40 s";
  EXPECT_EQ(collector["longestMs"], 257);
  EXPECT_EQ(collector["longestAfterBytes"], 301u << 20);
  EXPECT_EQ(collector["causes"][0]["cause"], "G1 Evacuation Pause");
}

TEST(Retained, HostileMessagesAreRefused) {
  const auto refused = [](const proto::Envelope& envelope) {
    ProfileStore store;
    return !store.Ingest(envelope.SerializeAsString()).ok();
  };
  EXPECT_FALSE(refused(Envelope(7)));
  proto::Envelope envelope = Envelope(7);
  envelope.mutable_retained_heap()->mutable_sites(0)->set_stack(99);
  EXPECT_TRUE(refused(envelope));
  envelope = Envelope(7);
  envelope.mutable_retained_heap()->mutable_sites(1)->set_thread(99);
  EXPECT_TRUE(refused(envelope));
  envelope = Envelope(uint64_t{1} << 60);
  EXPECT_TRUE(refused(envelope));
  envelope = Envelope(7);
  envelope.mutable_retained_heap()->mutable_names()->mutable_stacks(0)->set_frame(99);
  EXPECT_TRUE(refused(envelope));
}

TEST(Retained, OneThatIsFarTooLongIsRefused) {
  proto::Envelope envelope = Envelope(7);
  envelope.mutable_retained_heap()->mutable_names()->add_strings(std::string(40'000, 'x'));
  ProfileStore store;
  EXPECT_FALSE(store.Ingest(envelope.SerializeAsString()).ok());
}

TEST(Retained, ManyExecutorsKeepTheirRowsAndShowTheirLargestSites) {
  constexpr int kExecutors = 500, kSites = 40;
  ProfileStore store;
  for (int executor = 1; executor <= kExecutors; ++executor) {
    proto::Envelope envelope = Envelope(7);
    envelope.set_executor_id(std::to_string(executor));
    proto::RetainedHeap& heap = *envelope.mutable_retained_heap();
    heap.mutable_names()->add_strings(std::string(12'000, 'n'));
    heap.clear_sites();
    heap.set_other_bytes(0);
    for (uint64_t i = 0; i < kSites; ++i) {
      proto::RetainedSite& site = *heap.add_sites();
      site.set_bytes(9'000'011 - i);
      site.set_stage_id(2);
      site.set_stack(1);
    }
    ASSERT_TRUE(store.Ingest(envelope.SerializeAsString()).ok());
  }
  const Report report = store.Model(false);
  ASSERT_EQ(report.executors.size(), size_t{kExecutors});
  for (const ReportExecutor& executor : report.executors) {
    ASSERT_TRUE(executor.retained);
    ASSERT_EQ(executor.retained->sites.size(), 3u);
    EXPECT_EQ(executor.retained->sites[2].retained_bytes, 9'000'009u);
    uint64_t others = 0;
    for (uint64_t i = 3; i < kSites; ++i) others += 9'000'011 - i;
    EXPECT_EQ(executor.retained->other_bytes, others);
  }
}

TEST(Retained, AnExecutorsPartOfTheEventLogKeepsItsSumWhenItIsCut) {
  ReportExecutor executor;
  executor.id = "0";
  ReportRetained& retained = executor.retained.emplace();
  for (uint64_t i = 0; i < 60; ++i) {
    ReportRetainedSite& site = retained.sites.emplace_back();
    site.retained_bytes = 1'000'003;
    for (uint32_t frame = 0; frame < 60; ++frame) {
      site.frames.push_back(
          {Language::kJava, "com.acme.Site" + std::to_string(i * 7919 * (frame + 1)), "Site.java", "", frame + 1, "", {}});
    }
    retained.total_bytes += site.retained_bytes;
  }
  const std::optional<PartText> part = ExecutorPart(executor, 24 << 10);
  ASSERT_TRUE(part);
  const Result<Report> report = ReadReportJson(*PartJson(part->text));
  ASSERT_TRUE(report.ok());
  const ReportRetained& read = *report->executors[0].retained;
  EXPECT_LT(read.sites.size(), 60u);
  EXPECT_EQ(read.sites.size() * 1'000'003 + read.other_bytes, read.total_bytes);
}

}  // namespace
}  // namespace memprof
