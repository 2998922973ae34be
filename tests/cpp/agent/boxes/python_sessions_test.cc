#include "boxes/python_sessions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "agent/boxes/much_work.h"
#include "base/clock.h"
#include "profile/process_level.h"
#include "sites/recorder.h"
#include "temporary_directory.h"

namespace memprof {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class PythonSessionsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const Result<Recorder*> made = Recorder::Create({folder_.c_str(), "app-1", "7", 65536, "3.11.7"});
    ASSERT_TRUE(made.ok()) << made.status().message();
    recorder_ = *made;
    recorder_->OpenSession({41, 0, 0, 0, 0});
  }
  void TearDown() override { Recorder::AbandonInChild(recorder_); }

  // A file beside the box, with a name like it.
  void WriteAnother(const std::string& content) const {
    const std::string path = std::string(recorder_->box_path()) + "2.box";
    std::ofstream(path) << content;
    ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  }

  TemporaryDirectory directory_;
  const std::string folder_ = directory_.path();
  Recorder* recorder_ = nullptr;
};

TEST_F(PythonSessionsTest, ABoxThatIsJustBeingMadeIsNotUnreadable) {
  WriteAnother("");
  EXPECT_EQ(FindSessions({folder_, "app-1", "7"}, 41, Leftovers::kRead).unreadable, 0u);
  WriteAnother(std::string(65536, '\0'));
  EXPECT_EQ(FindSessions({folder_, "app-1", "7"}, 41, Leftovers::kRead).unreadable, 0u);
  EXPECT_EQ(FindSessions({folder_, "app-1", "7"}, 41, Leftovers::kRead).sessions.size(), 1u);
}

TEST_F(PythonSessionsTest, ABoxThatIsNoneIsUnreadable) {
  WriteAnother(std::string(65536, 'x'));
  const FoundSessions found = FindSessions({folder_, "app-1", "7"}, 41, Leftovers::kRead);
  EXPECT_EQ(found.unreadable, 1u);
  ASSERT_EQ(found.refused.named.size(), 1u);
  EXPECT_THAT(found.refused.named[0].path, StartsWith(folder_));
  EXPECT_THAT(found.refused.named[0].why, HasSubstr("no magic"));
}

TEST_F(PythonSessionsTest, ABoxThatIsTooMuchWorkIsGivenUpOnce) {
  for (int session = 1; session < kSessionsTooMany; ++session) recorder_->OpenSession({41, 0, 0, 0, 0});
  MakeMuchWork(recorder_->box_path());
  const BoxPlace place = {folder_, "app-1", "7"};
  const FoundSessions first = FindSessions(place, 41, Leftovers::kRead);
  EXPECT_GT(first.sessions.size(), 0u) << "until then";
  EXPECT_GT(first.unreadable, 0u);
  const FoundSessions second = FindSessions(place, 41, Leftovers::kRead);
  EXPECT_EQ(second.sessions.size(), 0u) << "it is not opened again";
  EXPECT_EQ(second.unreadable, 1u);
  const std::vector<RefusedBoxes::Named> given_up = place.given_up->All();
  ASSERT_EQ(given_up.size(), 1u);
  EXPECT_EQ(given_up[0].path, recorder_->box_path());
  EXPECT_THAT(given_up[0].why, HasSubstr("given up after"));
}

TEST_F(PythonSessionsTest, LinksAreRefusedByNameAndOfManyTheFirst) {
  for (int i = 0; i < 20; ++i) {
    const std::string link = std::string(recorder_->box_path()) + std::to_string(i) + ".box";
    ASSERT_EQ(symlink("/etc/passwd", link.c_str()), 0) << link;
  }
  const FoundSessions found = FindSessions({folder_, "app-1", "7"}, 41, Leftovers::kRead);
  EXPECT_EQ(found.unreadable, 20u);
  EXPECT_EQ(found.refused.named.size(), RefusedBoxes::kMostNamed);
  EXPECT_THAT(found.refused.named[0].why, HasSubstr("symbolic link"));
  EXPECT_EQ(found.sessions.size(), 1u) << "the job's own is read all the same";
}

TEST_F(PythonSessionsTest, ASessionThatWasLeftOpenEndsWithItsProcess) {
  const BoxPlace place = {folder_, "app-1", "7"};
  const auto end = [&](int64_t task) {
    const FoundSessions found = FindSessions(place, task, Leftovers::kLeave);
    EXPECT_EQ(found.sessions.size(), 1u);
    return found.sessions.at(0).ended_ms;
  };
  recorder_->OpenSession({42, 0, 0, 0, 0});
  const int64_t opened_ms = EpochMs();
  const std::string box = recorder_->box_path();
  const auto looked = [&](int64_t alive_ms, int64_t gone_ms) { place.last_seen->Replace({{box, {alive_ms, gone_ms}}}); };
  looked(opened_ms + 5, 0);
  EXPECT_EQ(end(42), std::nullopt) << "it lives";
  Recorder::AbandonInChild(recorder_);
  recorder_ = nullptr;
  EXPECT_EQ(end(42), opened_ms + 5);
  EXPECT_EQ(end(41), std::nullopt) << "it was closed, and has a time of its own";
  looked(opened_ms + 5, opened_ms + 500);
  EXPECT_EQ(end(42), opened_ms + 5);
  looked(opened_ms - 100, opened_ms + 500);
  EXPECT_EQ(end(42), opened_ms + 500) << "the session began after the last look";
  looked(opened_ms - 100, 0);
  EXPECT_GE(end(42), opened_ms) << "it is found gone now";
}

// Of every task one block of an odd size outlives it; the task itself frees another.
TEST_F(PythonSessionsTest, LeftoversAreThoseOfAllTasksSoFar) {
  const FrameId frames[] = {recorder_->InternPythonFrame({"keep", 4}, {"job.py", 6}, 3, 1)};
  const BoxStackId stack = recorder_->InternStack(frames, 1, 2'000'003);
  uintptr_t address = 0x1000;
  const auto serve = [&](int64_t task) {
    recorder_->OpenSession({task, 0, 0, 0, 0});
    recorder_->Allocated({Origin::kPython, address += 0x1000000, 2'000'003, 2'000'003, 1, stack});
    recorder_->Allocated({Origin::kPython, address += 0x1000000, 3'000'017, 3'000'017, 1, stack});
    recorder_->Freeing(address);
    recorder_->CloseSession();
  };
  const auto leftovers_of = [&](int64_t task, Leftovers leftovers) {
    const FoundSessions found = FindSessions({folder_, "app-1", "7"}, task, leftovers);
    EXPECT_EQ(found.sessions.size(), 1u);
    return found.sessions[0].leftovers;
  };
  serve(51);
  const auto first = leftovers_of(51, Leftovers::kRead);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->process.live_bytes, 2'000'003u);
  serve(52);
  serve(53);
  const auto late = leftovers_of(52, Leftovers::kRead);
  ASSERT_TRUE(late);
  EXPECT_EQ(late->process.live_bytes, 3 * 2'000'003u);
  EXPECT_EQ(late->through, first->through + 2) << "53 is in it, though it is 52 that was asked for";
  recorder_->OpenSession({});  // waits for a task
  EXPECT_EQ(leftovers_of(53, Leftovers::kRead)->through, late->through);
  EXPECT_FALSE(leftovers_of(53, Leftovers::kLeave));
  recorder_->SetTask({54, 0, 0, 0, 0});
  recorder_->Allocated({Origin::kPython, address += 0x1000000, 5'000'011, 5'000'011, 1, stack});
  const auto beside = leftovers_of(54, Leftovers::kRead);
  ASSERT_TRUE(beside) << "of a task whose worker has not closed its session";
  EXPECT_EQ(beside->process.live_bytes, 3 * 2'000'003u) << "nothing of that task's own";
  EXPECT_EQ(beside->through, late->through);
  const FoundSessions open = FindSessions({folder_, "app-1", "7"}, 54, Leftovers::kLeave);
  const Result<BoxReader> box = BoxReader::Open(recorder_->box_path());
  ASSERT_TRUE(box.ok());
  ASSERT_EQ(open.sessions.size(), 1u);
  recorder_->CloseSession();
  EXPECT_FALSE(LeftoversBeside(*box, open.sessions[0].session)) << "closed meanwhile: what it left would count twice";
}

}  // namespace
}  // namespace memprof
