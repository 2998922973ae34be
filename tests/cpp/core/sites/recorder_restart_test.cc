#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "blackbox/layout.h"
#include "core/sites/recorder_fixture.h"
#include "sites/recorder.h"

namespace memprof {
namespace {

class RecorderRestartTest : public RecorderTest {
 protected:
  // Two tasks, so that what the first one left has outlived it, and the tables are emptied before the second.
  void FillTablesAndRestart() {
    FillTables();
    recorder_->CloseSession();
    AcknowledgeAll();
    const uint32_t epoch = recorder_->intern_epoch();
    recorder_->OpenSession(Task(2));
    ASSERT_NE(recorder_->intern_epoch(), epoch);
  }

  void FillTables() {
    uint32_t line = 2;
    while (Line("filler", line) != kNoFrame) ASSERT_LT(++line, 100'000u);
  }

  void AcknowledgeAll() {
    BoxReader reader = OpenBox();
    for (const BoxReader::SessionKey& key : reader.Sessions()) {
      if (key.closed) {
        ASSERT_TRUE(reader.Acknowledge(key.number).ok());
      }
    }
  }
};

// It opens its next session at once, before anybody has read the last one.
TEST_F(RecorderRestartTest, AReusedWorkersTablesAreEmptiedOnceItsLastTaskHasBeenRead) {
  Start(kInterval, 1u << 20);
  recorder_->OpenSession(Task(1));
  Allocate(kSomewhere, 700'001, {Line("remember", 9)});
  FillTables();
  const uint32_t epoch = recorder_->intern_epoch();
  recorder_->CloseSession();
  recorder_->OpenSession(TaskIdentity());
  recorder_->SetTask(Task(2));
  EXPECT_EQ(recorder_->intern_epoch(), epoch) << "nobody has read the first one";
  recorder_->CloseSession();
  recorder_->OpenSession(TaskIdentity());
  Allocate(kSomewhere + (1 << 20), 300'007, {});
  AcknowledgeAll();
  recorder_->SetTask(Task(3));
  ASSERT_NE(recorder_->intern_epoch(), epoch);
  Allocate(kSomewhere + (2 << 20), 500'009, {Line("third", 1)});

  const BoxSession process = ReadTask(-1), third = ReadTask(3);
  EXPECT_EQ(process.live_bytes, 1'000'008u);
  ASSERT_NE(SiteOf(process, "remember"), nullptr);
  EXPECT_EQ(SiteOf(process, "remember")->live_bytes, 700'001u);
  EXPECT_EQ(third.live_bytes, 500'009u) << "what was allocated while it waited is not the task's";
  ASSERT_NE(SiteOf(third, "third"), nullptr);
  EXPECT_EQ(SiteOf(third, "third")->live_bytes, 500'009u);
}

// A reader does so as soon as the session is closed, and what is live of it needs places in a full site table then.
TEST_F(RecorderRestartTest, ASessionThatIsAcknowledgedWhileItsSlotIsPassedOnIsFreedOnce) {
  Start(kInterval, 1u << 20);
  recorder_->OpenSession(TaskIdentity());
  for (uint32_t line = 1; line <= 2000; ++line)
    AllocateSampled(kSomewhere + line * 0x1000, 1000, 66'000, 66, {Line("caller", line % 50), Line("small", line / 50)});
  FillTables();
  uint64_t waiting = 0;
  for (const BoxReader::SessionKey& key : OpenBox().Sessions()) waiting = std::max(waiting, key.number);
  box::Header header;
  const int box = open(recorder_->box_path(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(pread(box, &header, sizeof header, 0), ssize_t{sizeof header});
  const uint64_t slot = header.tables[box::kSessionTable].offset + sizeof(box::SessionSlot);  // the process's is the first
  ASSERT_EQ(pwrite(box, &waiting, sizeof waiting, static_cast<off_t>(slot + offsetof(box::SessionSlot, acknowledged))),
            ssize_t{sizeof waiting});
  close(box);
  const uint32_t epoch = recorder_->intern_epoch();
  recorder_->SetTask(Task(2));
  ASSERT_NE(recorder_->intern_epoch(), epoch);

  for (uint32_t line = 1; line <= 200; ++line) Allocate(kSomewhere + (uint64_t{line} << 24), 70'001 + line, {Line("fresh", line)});
  const BoxSession task = ReadTask(2);
  std::vector<uint64_t> fresh;
  for (const BoxSite& site : task.sites) {
    if (InnermostFunction(task, site) == "fresh") fresh.push_back(site.live_bytes);
  }
  std::sort(fresh.begin(), fresh.end());
  ASSERT_EQ(fresh.size(), 200u);
  for (uint32_t line = 1; line <= 200; ++line) EXPECT_EQ(fresh[line - 1], 70'001 + line);
  EXPECT_EQ(task.live_bytes, 200u * 70'001 + 200 * 201 / 2);
}

TEST_F(RecorderRestartTest, WhatIsLiveKeepsItsStackAndItsBytes) {
  Start(kInterval, 1u << 20);
  recorder_->OpenSession(Task(1));
  const uint32_t module = recorder_->InternModule(Ref("/opt/libcache.so"), Ref("00ff"));
  const FrameId native = recorder_->InternNativeFrame(module, 0x41);
  Allocate(kSomewhere, 700'001, {Line("outer", 7), Line("remember", 9), native});
  AllocateSampled(kSomewhere + (1 << 20), 24, 65'536, 2731, {Line("outer", 7), Line("small", 11)});
  Allocate(kSomewhere + (2 << 20), 300'007, {});
  Allocate(kSomewhere + (3 << 20), 500'009, {Line("given_back", 13)});
  recorder_->Freeing(kSomewhere + (3 << 20));
  const BoxSession before = ReadTask(-1);
  FillTablesAndRestart();

  BoxSession session = ReadTask(-1);
  EXPECT_EQ(session.opened_ms, before.opened_ms) << "the blocks go on, and so does their growth";
  EXPECT_EQ(session.rss_at_open_bytes, before.rss_at_open_bytes) << "of the process's beginning";
  EXPECT_EQ(session.skipped_records, 0u);
  const BoxSite* cached = nullptr;
  for (const BoxSite& site : session.sites) {
    const std::vector<std::string> functions = Functions(session, site);
    if (functions.size() == 3) cached = &site;
  }
  ASSERT_NE(cached, nullptr);
  EXPECT_EQ(Functions(session, *cached), (std::vector<std::string>{"outer", "remember", ""}));
  EXPECT_EQ(cached->live_bytes, 700'001u);
  EXPECT_EQ(cached->allocated_bytes, 0u) << "it is not allocated again";
  const BoxFrame& frame = session.frames[session.stacks[cached->stack - 1].frame];
  EXPECT_EQ(frame.offset, 0x41u);
  EXPECT_EQ(frame.module, "/opt/libcache.so");
  EXPECT_EQ(frame.build_id, "00ff");
  const BoxSite* small = SiteOf(session, "small");
  ASSERT_NE(small, nullptr);
  EXPECT_EQ(small->live_bytes, 65'536u);
  EXPECT_TRUE(small->sampled);
  EXPECT_EQ(SiteOf(session, "given_back"), nullptr);
  uint64_t live = 0;
  for (const BoxSite& site : session.sites) live += site.live_bytes;
  EXPECT_EQ(live, 700'001u + 65'536u + 300'007u);

  recorder_->Freeing(kSomewhere);
  session = ReadTask(-1);
  live = 0;
  for (const BoxSite& site : session.sites) live += site.live_bytes;
  EXPECT_EQ(live, 65'536u + 300'007u) << "its end is seen, too";
  EXPECT_EQ(recorder_->counters().dropped_live, 0u);
}

TEST_F(RecorderRestartTest, LiveStacksThatFillTheTablesAloneAreForgottenAndCounted) {
  Start(kInterval, 1u << 20);
  recorder_->OpenSession(Task(1));
  constexpr uint32_t kBlocks = 400;  // each with twelve nodes of a stack, of 5461
  for (uint32_t block = 0; block < kBlocks; ++block) {
    std::vector<FrameId> stack{Line("kept", block + 2)};
    for (uint32_t depth = 1; depth < 12; ++depth) stack.push_back(Line("deep", depth));
    Allocate(kSomewhere + 100'000 * block, 70'001, stack);
  }
  FillTablesAndRestart();
  EXPECT_EQ(recorder_->counters().dropped_live, kBlocks);
  const BoxSession session = ReadTask(-1);
  uint64_t live = 0;
  for (const BoxSite& site : session.sites) live += site.live_bytes;
  EXPECT_EQ(live, 0u);
  EXPECT_TRUE(std::any_of(session.counters.begin(), session.counters.end(),
                          [](const BoxCounter& counter) { return counter.name == "droppedLiveBlocks" && counter.value == kBlocks; }));
  recorder_->Freeing(kSomewhere);
  Allocate(kSomewhere, 70'003, {Line("fresh", 1)});
  const BoxSession task = ReadTask(2);
  ASSERT_NE(SiteOf(task, "fresh"), nullptr);
  EXPECT_EQ(SiteOf(task, "fresh")->live_bytes, 70'003u);
}

}  // namespace
}  // namespace memprof
