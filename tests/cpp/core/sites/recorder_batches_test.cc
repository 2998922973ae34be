// Exact mode: steps are so small and many that they reach the box together.
#include <gtest/gtest.h>

#include "core/sites/recorder_fixture.h"

namespace memprof {
namespace {

constexpr uintptr_t kSomewhere = 0x7f0000000010;
constexpr uint64_t kStepsTogether = 64, kBytesTogether = 256 << 10;

class RecorderBatchesTest : public RecorderTest {
 protected:
  // What the box says, whose sites must add up to it at any time.
  uint64_t AllocatedInBox() {
    const BoxSession session = ReadTask(1);
    uint64_t allocated = 0, live = 0;
    for (const BoxSite& site : session.sites) {
      allocated += site.allocated_bytes;
      live += site.live_bytes;
    }
    EXPECT_EQ(allocated, session.allocated_bytes);
    EXPECT_EQ(live, session.live_bytes);
    EXPECT_EQ(session.skipped_records, 0u);
    return session.allocated_bytes;
  }
};

TEST_F(RecorderBatchesTest, NoKillLosesMoreThanAFewSmallSteps) {
  Start(1);
  recorder_->OpenSession(Task(1));
  uint64_t allocated = 0;
  for (uint64_t i = 1; i <= 10 * kStepsTogether; ++i) {
    Allocate(kSomewhere + 512 * i, 101 + i % 7, {Line("small", static_cast<uint32_t>(1 + i % 200))});
    allocated += 101 + i % 7;
    const uint64_t in_box = AllocatedInBox();
    ASSERT_LE(in_box, allocated);
    ASSERT_GT(in_box + kStepsTogether * 108, allocated) << "after " << i;
  }
}

TEST_F(RecorderBatchesTest, LargeStepsDontWait) {
  Start(1);
  recorder_->OpenSession(Task(1));
  Allocate(kSomewhere, 101, {Line("small", 1)});
  EXPECT_EQ(AllocatedInBox(), 0u);
  Allocate(kSomewhere + (1 << 20), kBytesTogether + 7, {Line("large", 2)});
  EXPECT_EQ(AllocatedInBox(), 101 + kBytesTogether + 7);
  recorder_->Freeing(kSomewhere + (1 << 20));
  EXPECT_EQ(ReadTask(1).live_bytes, 101u);
}

TEST_F(RecorderBatchesTest, AClosedSessionIsWhole) {
  Start(1);
  recorder_->OpenSession(Task(1));
  for (uint64_t i = 0; i < 5; ++i) Allocate(kSomewhere + 512 * i, 333, {Line("small", 1)});
  recorder_->Freeing(kSomewhere);
  recorder_->CloseSession();
  const BoxSession session = ReadTask(1);
  EXPECT_TRUE(session.closed && session.checksum_ok);
  EXPECT_EQ(AllocatedInBox(), 5 * 333u);
  EXPECT_EQ(session.live_bytes, 4 * 333u);
  EXPECT_EQ(session.live_peak_bytes, 5 * 333u);
  EXPECT_EQ(SiteOf(session, "small")->allocations, 5u);
}

TEST_F(RecorderBatchesTest, SampledStepsReachTheBoxOneByOne) {
  Start();
  recorder_->OpenSession(Task(1));
  AllocateSampled(kSomewhere, 101, 66'000, 650, {Line("small", 1)});
  EXPECT_EQ(AllocatedInBox(), 66'000u);
}

}  // namespace
}  // namespace memprof
