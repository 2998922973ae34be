#include "sites/recorder.h"

#include <sys/mman.h>

#include <cstring>

#include "core/sites/recorder_fixture.h"

namespace memprof {
namespace {

// Addresses nobody maps: below 1 MiB sizes nothing looks at them.
constexpr uintptr_t kSomewhere = 0x10'0000'0000;

TEST_F(RecorderTest, ASessionReadsBackWhatWasRecorded) {
  Start();
  recorder_->OpenSession(Task(17));
  recorder_->AddUdf(Ref("aggregate"), Ref("/jobs/job.py"), 41, Ref("MAP_PANDAS_ITER"));
  uint32_t module = recorder_->InternModule(Ref("/opt/libhidden.so"), Ref("00ff"));
  std::vector<FrameId> stack = {Line("main", 10), Line("aggregate", 41), Line("call_library", 7),
                                recorder_->InternNativeFrame(module, 0x1234)};
  Allocate(kSomewhere, 999'983, stack);
  Allocate(kSomewhere + 0x200000, 1'000'003, {Line("main", 10), Line("other", 3)});
  recorder_->Freeing(kSomewhere + 0x200000);
  recorder_->SetCounter(Ref("arrowPoolPeakBytes"), 12'345);
  recorder_->CloseSession();

  BoxSession session = ReadTask(17);
  EXPECT_TRUE(session.closed);
  EXPECT_TRUE(session.checksum_ok);
  EXPECT_EQ(session.skipped_records, 0u);
  EXPECT_EQ(session.stage_id, 3);
  EXPECT_EQ(session.partition, 5);
  EXPECT_EQ(session.attempt_number, 1);
  EXPECT_EQ(session.allocated_bytes, 999'983u + 1'000'003u);
  EXPECT_EQ(session.live_peak_bytes, 999'983u + 1'000'003u);
  EXPECT_EQ(session.live_bytes, 999'983u);
  EXPECT_GT(session.rss_at_open_bytes, 0u);
  EXPECT_GE(session.rss_max_bytes, session.rss_at_open_bytes);
  EXPECT_GT(session.opened_ms, 0);
  EXPECT_GE(session.closed_ms, session.opened_ms);
  ASSERT_EQ(session.sites.size(), 2u);
  ASSERT_EQ(session.udfs.size(), 1u);
  EXPECT_EQ(session.udfs[0].name, "aggregate");
  EXPECT_EQ(session.udfs[0].file, "/jobs/job.py");
  EXPECT_EQ(session.udfs[0].line, 41u);
  EXPECT_EQ(session.udfs[0].kind, "MAP_PANDAS_ITER");
  ASSERT_EQ(session.counters.size(), 1u);
  EXPECT_EQ(session.counters[0].name, "arrowPoolPeakBytes");
  EXPECT_EQ(session.counters[0].value, 12'345u);

  const BoxSite* native = SiteOf(session, "");
  ASSERT_NE(native, nullptr);
  const BoxFrame& innermost = session.frames[session.stacks[native->stack - 1].frame];
  EXPECT_EQ(innermost.language, Language::kNative);
  EXPECT_EQ(innermost.module, "/opt/libhidden.so");
  EXPECT_EQ(innermost.build_id, "00ff");
  EXPECT_EQ(innermost.offset, 0x1234u);
  EXPECT_EQ(Functions(session, *native), (std::vector<std::string>{"main", "aggregate", "call_library", ""}));
  EXPECT_EQ(native->allocated_bytes, 999'983u);
  EXPECT_EQ(native->allocations, 1u);
  EXPECT_EQ(native->live_at_peak_bytes, 999'983u);
  EXPECT_FALSE(native->sampled);
  EXPECT_EQ(native->variance, 0);
  EXPECT_FALSE(native->has_resident);

  const BoxSite* other = SiteOf(session, "other");
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(other->live_bytes, 0u);
  EXPECT_EQ(other->live_at_peak_bytes, 1'000'003u);
  const BoxFrame& line = session.frames[session.stacks[other->stack - 1].frame];
  EXPECT_EQ(line.file, "/jobs/helper.py");
  EXPECT_EQ(line.line, 3u);
  EXPECT_EQ(line.first_line, 1u);
}

}  // namespace
}  // namespace memprof
