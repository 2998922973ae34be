#include <sys/resource.h>

#include "core/sites/recorder_fixture.h"

namespace memprof {
namespace {

using RecorderIncidents = RecorderTest;

TEST_F(RecorderIncidents, OfEachKindTheLastIsReadWithItsStack) {
  Start();
  recorder_->OpenSession({40, 1, 0, 0, 0});
  recorder_->NoteRefused(1'999'993, kNoStack);
  recorder_->NoteRefused(77'777'777, Stack({Line("outer", 3), Line("inner", 4)}));
  recorder_->NoteFatalSignal(11, -6, kNoStack);
  BoxSession session = ReadTask(40);
  ASSERT_EQ(session.incidents.size(), 2u);
  EXPECT_EQ(session.incidents[0].signal, 11);
  EXPECT_EQ(session.incidents[0].code, -6);
  EXPECT_EQ(session.incidents[0].stack, 0u);
  const BoxIncident& refused = session.incidents[1];
  EXPECT_EQ(refused.signal, 0);
  EXPECT_EQ(refused.asked_bytes, 77'777'777u);
  EXPECT_GT(refused.resident_bytes, 0u);
  EXPECT_GT(refused.virtual_bytes, refused.resident_bytes);
  ASSERT_NE(refused.stack, 0u);
  EXPECT_EQ(session.frames[session.stacks[refused.stack - 1].frame].function, "inner");
  recorder_->NoteFatalSignal(6, 0, Stack({Line("outer", 3)}));
  session = ReadTask(40);
  EXPECT_EQ(session.incidents[0].signal, 6);
  EXPECT_NE(session.incidents[0].stack, 0u);
  EXPECT_EQ(session.skipped_records, 0u);
}

TEST_F(RecorderIncidents, BelongToTheSessionThatWasOpen) {
  Start();
  recorder_->NoteRefused(1'999'993, kNoStack);  // before any task
  recorder_->OpenSession({40, 1, 0, 0, 0});
  EXPECT_TRUE(ReadTask(40).incidents.empty());
  recorder_->NoteRefused(2'999'993, kNoStack);
  recorder_->CloseSession();
  recorder_->OpenSession({41, 1, 0, 1, 0});
  ASSERT_EQ(ReadTask(40).incidents.size(), 1u) << "a closed one keeps it";
  EXPECT_EQ(ReadTask(40).incidents[0].asked_bytes, 2'999'993u);
  EXPECT_TRUE(ReadTask(41).incidents.empty());
}

// Of a thread that an earlier task has left behind.
TEST_F(RecorderIncidents, OfNoTaskTheyAreOfNoSessionOfATask) {
  Start();
  recorder_->OpenSession({40, 1, 0, 0, 0});
  recorder_->NoteRefused(1'999'993, kNoStack, true);
  EXPECT_TRUE(ReadTask(40).incidents.empty());
  recorder_->NoteRefused(2'999'993, kNoStack);
  recorder_->NoteRefused(3'999'993, kNoStack, true);  // the task may fail because of its own
  ASSERT_EQ(ReadTask(40).incidents.size(), 1u);
  EXPECT_EQ(ReadTask(40).incidents[0].asked_bytes, 2'999'993u);
  recorder_->CloseSession();
  recorder_->OpenSession({41, 1, 0, 1, 0});
  recorder_->NoteRefused(4'999'993, kNoStack, true);
  EXPECT_EQ(ReadTask(40).incidents.size(), 1u) << "it may not have been read yet";
  EXPECT_TRUE(ReadTask(41).incidents.empty());
}

TEST_F(RecorderIncidents, SayTheLimitOfTheAddressSpace) {
  Start();
  recorder_->OpenSession({40, 1, 0, 0, 0});
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  rlimit bounded = before;
  bounded.rlim_cur = uint64_t{1} << 45;  // nobody notices
  ASSERT_EQ(setrlimit(RLIMIT_AS, &bounded), 0);
  recorder_->NoteRefused(1'999'993, kNoStack);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_EQ(ReadTask(40).incidents[0].limit_bytes, uint64_t{1} << 45);
  recorder_->NoteRefused(1'999'993, kNoStack);
  EXPECT_EQ(ReadTask(40).incidents[0].limit_bytes, before.rlim_cur == RLIM_INFINITY ? 0 : before.rlim_cur);
}

}  // namespace
}  // namespace memprof
