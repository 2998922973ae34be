#include "boxes/orphaned_boxes.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

#include "agent/boxes/much_work.h"
#include "sites/recorder.h"
#include "temporary_directory.h"

namespace memprof {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

constexpr int64_t kTask = 41;
constexpr const char* kUuid = "0b4e7c1e-8a52-4c8e-9d0a-3d5b9d2f6a11";

class OrphanedBoxesTest : public ::testing::Test {
 protected:
  void TearDown() override {
    if (executor_ > 0) EndExecutor();
    if (recorder_ != nullptr) Recorder::AbandonInChild(recorder_);
  }

  // A worker of executor 7 with an open session.
  void MakeBox() {
    const Result<Recorder*> made = Recorder::Create({folder_.c_str(), "app-1", "7", 65536, "3.11.7", 4u << 20, regions_.get()});
    ASSERT_TRUE(made.ok()) << made.status().message();
    recorder_ = *made;
    path_ = recorder_->box_path();
    recorder_->OpenSession({kTask, 3, 0, 2, 0});
  }

  void KillWorker() {
    Recorder::AbandonInChild(recorder_);
    recorder_ = nullptr;
  }

  // A process that holds the claim of executor 7, as the JVM does.
  void StartExecutor() {
    const std::string mark = folder_ + "/executor-7-" + kUuid + ".mark";
    int ready[2];
    ASSERT_EQ(pipe(ready), 0);
    executor_ = fork();
    ASSERT_GE(executor_, 0);
    if (executor_ == 0) {
      const int file = open(mark.c_str(), O_CREAT | O_WRONLY, 0600);
      struct flock lock = {};
      lock.l_type = F_WRLCK;
      lock.l_whence = SEEK_SET;
      const char said = fcntl(file, F_SETLK, &lock) == 0 ? 'y' : 'n';
      if (write(ready[1], &said, 1) != 1) _exit(1);
      for (;;) pause();
    }
    char said = 0;
    ASSERT_EQ(read(ready[0], &said, 1), 1);
    ASSERT_EQ(said, 'y');
    close(ready[0]);
    close(ready[1]);
  }

  void EndExecutor() {
    kill(executor_, SIGKILL);
    waitpid(executor_, nullptr, 0);
    executor_ = -1;
  }

  static void MakeOld(const std::string& path) {
    const timespec times[2] = {{time(nullptr) - 25 * 60 * 60, 0}, {time(nullptr) - 25 * 60 * 60, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW), 0);
  }

  Orphans Find(const char* executor = "8") const { return FindOrphans({folder_, "app-1", executor}); }

  TemporaryDirectory directory_;
  const std::string folder_ = directory_.path();
  std::unique_ptr<RegionTable> regions_ = std::make_unique<RegionTable>();
  Recorder* recorder_ = nullptr;
  std::string path_;
  pid_t executor_ = -1;
};

TEST_F(OrphanedBoxesTest, AreThoseOfADeadExecutorsDeadWorkers) {
  StartExecutor();
  MakeBox();
  EXPECT_TRUE(Find().boxes.empty()) << "both live";
  KillWorker();
  EXPECT_TRUE(Find().boxes.empty()) << "its executor will look after it";
  EndExecutor();
  const Orphans orphans = Find();
  ASSERT_EQ(orphans.boxes.size(), 1u);
  EXPECT_EQ(orphans.boxes[0], path_);
  ASSERT_EQ(orphans.tasks.size(), 1u);
  EXPECT_EQ(orphans.tasks[0].executor_id, "7");
  ASSERT_EQ(orphans.tasks[0].sessions.size(), 1u);
  EXPECT_EQ(orphans.tasks[0].sessions[0].session.task_attempt_id, kTask);
  EXPECT_EQ(orphans.tasks[0].sessions[0].session.stage_id, 3);
}

TEST_F(OrphanedBoxesTest, SayWhatEarlierTasksHadLeftThere) {
  constexpr uint64_t kCached = 300'000'007, kOwn = 2'000'003;
  MakeBox();
  recorder_->Allocated({Origin::kPython, 0x10000000, kCached, kCached, 1, kNoStack});
  recorder_->OpenSession({kTask + 1, 3, 0, 3, 0});  // closes the one before
  recorder_->Allocated({Origin::kPython, 0x50000000, kOwn, kOwn, 1, kNoStack});
  KillWorker();
  const Orphans orphans = Find();
  ASSERT_EQ(orphans.tasks.size(), 2u);
  for (const OrphanedTask& task : orphans.tasks) {
    ASSERT_EQ(task.sessions.size(), 1u);
    const PythonSession& python = task.sessions[0];
    EXPECT_EQ(python.leftovers.has_value(), !python.session.closed) << "what a closed one left is its own";
    if (!python.leftovers) continue;
    EXPECT_EQ(python.session.live_bytes, kOwn);
    EXPECT_EQ(python.leftovers->process.live_bytes, kCached);
  }
}

TEST_F(OrphanedBoxesTest, AreNotThoseOfAWorkerThatStillRuns) {
  MakeBox();
  EXPECT_TRUE(Find().boxes.empty());
}

TEST_F(OrphanedBoxesTest, AreNeverOnesOwn) {
  MakeBox();
  KillWorker();
  EXPECT_TRUE(Find("7").boxes.empty());
  EXPECT_EQ(Find("8").boxes.size(), 1u) << "an executor without a claim has left";
}

TEST_F(OrphanedBoxesTest, OtherApplicationsAndDamagedOnesStay) {
  MakeBox();
  KillWorker();
  EXPECT_TRUE(FindOrphans({folder_, "app-2", "8"}).boxes.empty());
  std::filesystem::resize_file(path_, 100);
  EXPECT_TRUE(Find().boxes.empty());
  EXPECT_TRUE(FindOrphans({"", "app-1", "8"}).boxes.empty());
}

TEST_F(OrphanedBoxesTest, DamagedOnesStayForADay) {
  MakeBox();
  std::filesystem::resize_file(path_, 100);
  const std::string pipe = folder_ + "/" + "memprof+app-1+7+x+1+1+00.box";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  MakeOld(path_);
  MakeOld(pipe);
  EXPECT_THAT(Find().boxes, ElementsAre(pipe)) << "a living process holds the other";
  KillWorker();
  MakeOld(path_);
  EXPECT_THAT(Find().boxes, UnorderedElementsAre(pipe, path_));
  std::filesystem::last_write_time(path_, std::filesystem::file_time_type::clock::now());
  EXPECT_THAT(Find().boxes, ElementsAre(pipe));
}

TEST_F(OrphanedBoxesTest, OneThatIsTooMuchWorkIsGivenUpAndStaysForADay) {
  MakeBox();
  for (int task = 1; task < kSessionsTooMany; ++task) recorder_->OpenSession({kTask + task, 3, 0, 2, 0});
  KillWorker();
  MakeMuchWork(path_);
  const BoxPlace place = {folder_, "app-1", "8"};
  const Orphans orphans = FindOrphans(place);
  EXPECT_TRUE(orphans.tasks.empty());
  EXPECT_TRUE(orphans.boxes.empty());
  const std::vector<RefusedBoxes::Named> given_up = place.given_up->All();
  ASSERT_EQ(given_up.size(), 1u);
  EXPECT_EQ(given_up[0].path, path_);
  EXPECT_THAT(given_up[0].why, HasSubstr("given up after"));
  MakeOld(path_);
  EXPECT_THAT(FindOrphans(place).boxes, ElementsAre(path_));
}

}  // namespace
}  // namespace memprof
