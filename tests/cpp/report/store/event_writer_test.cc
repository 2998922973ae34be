#include "store/event_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/hash.h"
#include "eventlog/event_log.h"
#include "eventlog/event_parts.h"
#include "proto/envelope.h"
#include "report/json.h"
#include "report/postmortem/heap_scene.h"
#include "report/sample_store.h"
#include "report/told.h"
#include "rollup/state.h"

namespace memprof {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

constexpr int64_t kDone = 1'700'000'002'003;

std::vector<std::string> Names(const std::vector<ReportEvent>& events) {
  std::vector<std::string> names;
  for (const ReportEvent& event : events) names.push_back(event.part + " " + event.id);
  return names;
}

void Task(ProfileStore& store, int64_t id, int stage, uint64_t bytes) {
  testing::ProfileBuilder task(id, stage, static_cast<int>(id));
  task.Site(proto::ORIGIN_PYTHON, {testing::Python("f", "job.py", 5)}, bytes, 1).set_live_at_peak_bytes(bytes);
  ASSERT_TRUE(store.Ingest(task.Bytes()).ok());
  store.TaskEnded({id, stage, 0, static_cast<int>(id), 0, "1", TaskOutcome::kSucceeded, "", kDone - 7});
}

class Written : public ::testing::Test {
 protected:
  std::vector<ReportEvent> Take(int64_t after_ms, bool end = false, bool with_source = true) {
    return store_.TakeEvents(kDone + after_ms, end, with_source);
  }

  ProfileStore store_;
};

TEST_F(Written, AStageALittleAfterItHasCompletedAndOnce) {
  store_.StageSubmitted(4, 0, "collect", "", 1, kDone - 5000);
  Task(store_, 1, 4, 1'999'993);
  EXPECT_THAT(Take(0), IsEmpty());
  store_.StageCompleted(4, 0, "", kDone);
  EXPECT_THAT(Take(1999), IsEmpty());
  const std::vector<ReportEvent> events = Take(2000);
  EXPECT_THAT(Names(events), ElementsAre("stage 4.0"));
  EXPECT_EQ(ReadReportJson(events[0].text)->stages.at(0).sites.at(0).allocated_bytes, 1'999'993u);
  EXPECT_THAT(Take(3000), IsEmpty());
  EXPECT_THAT(Names(Take(4000, true)), ElementsAre("executor 1", "application ")) << "the stage has not changed";
  EXPECT_THAT(Take(5000, true), IsEmpty());
}

TEST(EventWriter, OnABusyMachineAStageHasMoreTime) {
  StoreState state(64u << 20);
  StageFacts& stage = state.Stage({4, 0});
  stage.submitted = stage.completed = true;
  stage.completed_ms = kDone;
  EventWriter writer(9);
  EXPECT_THAT(writer.Take(state, kDone + 9 * 2000 - 1, false, true), IsEmpty());
  EXPECT_THAT(Names(writer.Take(state, kDone + 9 * 2000, false, true)), ElementsAre("stage 4.0"));
}

// A stream's stages: those beyond the bound wait for the end, and are not made anew each second; what else there is, is written.
TEST(EventWriter, StagesBeyondTheirBoundLeaveRoomForTheRest) {
  StoreState state(64u << 20);
  for (int32_t id = 0; id < 30; ++id) {
    StageFacts& stage = state.Stage({id, 0});
    stage.submitted = stage.completed = true;
    stage.completed_ms = kDone;
  }
  EventWriter writer(1, 20);
  EXPECT_EQ(writer.Take(state, kDone + 5'000, false, true).size(), 20u);
  EXPECT_THAT(writer.Take(state, kDone + 6'000, false, true), IsEmpty());
  EXPECT_THAT(Names(writer.Take(state, kDone + 90'000, false, true)), ElementsAre("application "));
  const std::vector<std::string> last = Names(writer.Take(state, kDone + 95'000, true, true));
  EXPECT_EQ(last.size(), 11u);
  EXPECT_THAT(last, Contains("stage 29.0"));
}

TEST_F(Written, AlsoAfterTheClockWasSetBack) {
  constexpr int64_t kHour = 3'600'000;
  store_.StageSubmitted(4, 0, "collect", "", 1, kDone - 5000);
  Task(store_, 1, 4, 1'999'993);
  EXPECT_THAT(Take(0), IsEmpty());
  store_.StageCompleted(4, 0, "", kDone);
  EXPECT_THAT(Names(Take(-kHour)), ElementsAre("stage 4.0"));
  EXPECT_THAT(Take(-kHour + 29'999), IsEmpty());
  EXPECT_THAT(Names(Take(-kHour + 30'000)), ElementsAre("executor 1", "application ")) << "what runs is written again";
}

TEST_F(Written, WhatChangedLaterAndWhatStillRan) {
  store_.StageSubmitted(4, 0, "collect", "", 2, kDone - 5000);
  store_.StageSubmitted(5, 0, "count", "", 1, kDone - 5000);
  Task(store_, 1, 4, 1'999'993);
  store_.StageCompleted(4, 0, "", kDone);
  EXPECT_THAT(Names(Take(2000)), ElementsAre("stage 4.0"));
  Task(store_, 2, 4, 2'000'003);
  const std::vector<ReportEvent> events = Take(4000, true);
  EXPECT_THAT(Names(events), ElementsAre("stage 4.0", "stage 5.0", "executor 1", "application "));
  EXPECT_EQ(ReadReportJson(events[0].text)->stages.at(0).sites.at(0).allocated_bytes, 1'999'993u + 2'000'003u);
  EXPECT_FALSE(ReadReportJson(events[3].text)->unfinished);
}

TEST_F(Written, AnExecutorWhenItIsRemovedAndADeathWhenItIsTold) {
  store_.ApplicationStarted("app-1", "n", "4.3.0", "", "local-cluster[2,1,1024]", kDone);
  store_.ExecutorAdded({"2", "node", 1, 1024, -1, -1, -1, kDone});
  ASSERT_TRUE(store_.Ingest(testing::DeathBedBytes("2", 4217, 1'100'000'000)).ok());
  EXPECT_THAT(Take(1000), IsEmpty());
  store_.ExecutorRemoved("2", "Command exited with code 137", kDone + 1100);
  EXPECT_THAT(Names(Take(1200)), ElementsAre("executor 2"));
  EXPECT_THAT(Take(1300), IsEmpty());
  ASSERT_FALSE(testing::TakePostMortems(store_, kDone + 9000, true).empty());
  const std::vector<ReportEvent> events = Take(9100);
  EXPECT_THAT(Names(events), ElementsAre("postMortem 2"));
  EXPECT_TRUE(ReadReportJson(events[0].text)->post_mortems.at(0).out_of_memory);
}

// Spark's bus drops events under load: a log without the first record of a death has the death.
TEST_F(Written, APostMortemOnceMoreAtTheEnd) {
  testing::FillSample(store_);
  ASSERT_FALSE(testing::TakePostMortems(store_, kDone + 60'000, true).empty());
  EventLogReport log;
  size_t dropped = 0;
  for (const bool end : {false, true}) {
    for (const ReportEvent& event : Take(end ? 70'000 : 61'000, end)) {
      const bool drop = !end && event.part == kPostMortemPart;
      dropped += drop;
      if (!drop) log.Add(event.part, event.id, kReportSchemaVersion, event.text);
    }
  }
  ASSERT_EQ(dropped, store_.Model(false).post_mortems.size());
  const Result<Report> read = log.Make();
  ASSERT_TRUE(read.ok());
  ASSERT_EQ(read->post_mortems.size(), dropped);
  EXPECT_EQ(read->post_mortems.at(0).headline, store_.Model(false).post_mortems.at(0).headline);
}

// The log's reader would otherwise find both that the executor lived on and that it died of the same error.
TEST_F(Written, AnErrorThatWasSurvivedAndThenEndedTheExecutorIsTakenBack) {
  using namespace testing;
  FillLivingScene(store_);
  ASSERT_TRUE(store_.Ingest(HeapError(false, kErrorMs, -1).SerializeAsString()).ok());
  EventLogReport log;
  const auto put = [&](int64_t time_ms, bool end) {
    const std::vector<ReportEvent> events = store_.TakeEvents(time_ms, end, true);
    for (const ReportEvent& event : events) log.Add(event.part, event.id, kReportSchemaVersion, event.text);
    return Names(events);
  };
  ASSERT_FALSE(TakePostMortems(store_, kErrorMs + 5'000, true).empty());
  const std::string key = "1/heap/-1/" + std::to_string(kErrorMs);
  EXPECT_THAT(put(kErrorMs + 5'000, false), Contains("postMortem " + key));
  EXPECT_TRUE(log.Make()->post_mortems.at(0).survived);
  store_.ExecutorRemoved("1", "Command exited with code 52", kErrorMs + 8'000);
  store_.ApplicationEnded(kErrorMs + 60'000);
  EXPECT_THAT(put(kErrorMs + 60'000, true), IsSupersetOf({std::string("postMortem 1"), "postMortem " + key}));
  const Result<Report> read = log.Make();
  ASSERT_TRUE(read.ok());
  ASSERT_EQ(read->post_mortems.size(), 1u);
  EXPECT_FALSE(read->post_mortems[0].survived);
}

// What a second writes of an executor that is gone is what a whole report would write, so the end has nothing to add.
TEST_F(Written, AnExecutorThatIsGoneAndItsTimeLineOnce) {
  std::vector<TimeSample> life(600);
  for (size_t i = 0; i < life.size(); ++i) {
    life[i].time_ms = kDone - 600'000 + static_cast<int64_t>(i) * 1000;
    life[i].Set(Gauge::kUsed, 100'000'000 + i * 1009);
  }
  constexpr int kExecutors = 100;  // so many that a report has no room for 600 samples of each
  for (int id = 0; id < kExecutors; ++id) {
    store_.ExecutorAdded({std::to_string(id), "node", 1, 1024, -1, -1, -1, kDone - 600'000});
    ASSERT_TRUE(store_.Ingest(testing::TimeLineBytes(std::to_string(id), life)).ok());
  }
  EXPECT_THAT(Take(0), IsEmpty());
  store_.ExecutorRemoved("7", "Executor killed by driver.", kDone + 100);
  EXPECT_THAT(Names(Take(200)), ElementsAre("executor 7"));
  EXPECT_THAT(Names(Take(1000, true)), Not(Contains("executor 7")));
}

TEST_F(Written, WhatRunsEverMoreRarely) {
  store_.ExecutorAdded({"1", "node", 1, 1024, -1, -1, -1, kDone});
  std::vector<int64_t> when;
  for (int64_t second = 0; second < 1000; ++second) {
    // Every second it is another one, that it be worth writing.
    ASSERT_TRUE(store_.Ingest(testing::SnapshotBytes("1", 4211 + static_cast<int>(second), 546'570'240, 0)).ok());
    for (const ReportEvent& event : Take(second * 1000)) {
      if (event.part == kExecutorPart) when.push_back(second);
    }
  }
  EXPECT_THAT(when, ElementsAre(30, 90, 210, 450, 930));
}

TEST_F(Written, SourceOnlyWhereItIsWanted) {
  testing::ProfileBuilder task(1, 4, 0);
  task.Site(proto::ORIGIN_PYTHON, {testing::Python("f", "job.py", 5)}, 1'999'993, 1).set_live_at_peak_bytes(1'999'993);
  ASSERT_TRUE(store_.Ingest(task.Bytes()).ok());
  store_.TaskEnded({1, 4, 0, 0, 0, "1", TaskOutcome::kSucceeded, "", kDone});
  proto::Envelope envelope = EnvelopeOf("");
  proto::SourceLine& source = *envelope.mutable_symbols()->add_source_lines();
  source.set_file("job.py");
  source.set_line(5);
  source.set_text("x = 1");
  ASSERT_TRUE(store_.Ingest(envelope.SerializeAsString()).ok());
  EXPECT_EQ(store_.Model(false).stages.at(0).lines.at(0).source, "x = 1");
  EXPECT_EQ(ReadReportJson(Take(0, true, false).at(0).text)->stages.at(0).lines.at(0).source, "");
}

// Bounds: half of a stage's for what is written while it runs, and all of it with the last word.
TEST_F(Written, AStageTakesNoMoreThanItsBoundHoweverManySites) {
  store_.StageSubmitted(4, 0, "collect", "", 1, kDone - 5000);
  auto task = [&](int64_t id) {
    testing::ProfileBuilder builder(id, 4, static_cast<int>(id));
    for (uint32_t i = 0; i < 150; ++i) {
      std::vector<testing::TestFrame> frames;
      for (uint32_t depth = 0; depth < 60; ++depth) {
        const uint64_t noise = Mix64(static_cast<uint64_t>(id) << 40 | i << 8 | depth);  // of no use to a packer
        frames.push_back(testing::Python("f" + std::to_string(noise), "job.py", i + depth + 1));
      }
      builder.Site(proto::ORIGIN_PYTHON, frames, 10'007 + i, 1).set_live_at_peak_bytes(10'007 + i);
    }
    ASSERT_STREQ(store_.Ingest(builder.Bytes()).message(), "");
    store_.TaskEnded({id, 4, 0, static_cast<int>(id), 0, "1", TaskOutcome::kSucceeded, "", kDone - 7});
  };
  task(1);
  store_.StageCompleted(4, 0, "", kDone);
  const std::vector<ReportEvent> first = Take(2000);
  ASSERT_THAT(Names(first), ElementsAre("stage 4.0"));
  EXPECT_LE(RecordBytes(first[0].text), kStagePartBytes / 2);
  EXPECT_GT(RecordBytes(first[0].text), kStagePartBytes / 8);
  task(2);
  const std::vector<ReportEvent> last = Take(4000, true);
  ASSERT_THAT(Names(last), ElementsAre("stage 4.0", "executor 1", "application "));
  EXPECT_LE(RecordBytes(first[0].text) + RecordBytes(last[0].text), kStagePartBytes);
  const Report application = *ReadReportJson(PartJson(last[2].text).value());
  EXPECT_THAT(application.not_available,
              ::testing::Contains(::testing::Field(&ReportNotAvailable::what, ::testing::HasSubstr("sites of stages"))));
}

}  // namespace
}  // namespace memprof
