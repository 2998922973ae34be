#include "boxes/box_keeper.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "sites/recorder.h"
#include "temporary_directory.h"

namespace memprof {
namespace {

using std::chrono::milliseconds;

constexpr int64_t kTask = 41;

class BoxKeeperTest : public ::testing::Test {
 protected:
  void TearDown() override {
    keeper_.Stop();
    if (recorder_ != nullptr) Recorder::AbandonInChild(recorder_);
  }

  // A worker with a session of a task (-1: of none).
  void MakeBox(int64_t task, bool closed) {
    const Result<Recorder*> made = Recorder::Create({folder_.c_str(), "app-1", "7", 65536, "3.11.7", 4u << 20, regions_.get()});
    ASSERT_TRUE(made.ok()) << made.status().message();
    recorder_ = *made;
    path_ = recorder_->box_path();
    recorder_->OpenSession({task, 0, 0, 0, 0});
    if (closed) recorder_->CloseSession();
  }

  // What is left of a process that was killed: its box, without the lock.
  void Kill() {
    Recorder::AbandonInChild(recorder_);
    recorder_ = nullptr;
  }

  void Start(milliseconds grace) {
    BoxKeeperOptions options;
    options.boxes = {folder_, "app-1", "7", given_up_, last_seen_};
    options.running_tasks = [this] {
      ++rounds_;
      const std::lock_guard lock(mutex_);
      return std::vector<int64_t>(running_.begin(), running_.end());
    };
    options.rss = [this](const ProcessRss& rss) {
      const std::lock_guard lock(mutex_);
      rss_.push_back(rss);
    };
    options.last_task = [this](const ProcessName& process, int64_t task) {
      const std::lock_guard lock(mutex_);
      last_tasks_.insert({process.pid, task});
    };
    options.ended = [this](const EndedProcess& process) {
      const std::lock_guard lock(mutex_);
      ended_.push_back(process.name);
    };
    options.refusal = [this](const std::string& why) {
      const std::lock_guard lock(mutex_);
      refusals_.push_back(why);
    };
    options.grace = grace;
    ASSERT_TRUE(keeper_.Start(std::move(options)).ok());
  }

  void SetRunning(std::set<int64_t> tasks) {
    const std::lock_guard lock(mutex_);
    running_ = std::move(tasks);
  }

  // Waits until it has looked through the boxes once more from the beginning.
  void WaitForARound() {
    const int target = rounds_ + 2;
    while (rounds_ < target) std::this_thread::sleep_for(milliseconds(5));
  }

  std::vector<ProcessName> Ended() {
    const std::lock_guard lock(mutex_);
    return ended_;
  }

  bool BoxIsThere() const { return std::filesystem::exists(path_); }
  bool Acknowledged(int64_t task) const {
    Result<BoxReader> box = BoxReader::Open(path_);
    if (!box.ok()) return false;
    for (const BoxReader::SessionKey& key : box->Sessions()) {
      if (key.task_attempt_id == task && key.closed) return key.acknowledged;
    }
    return false;
  }
  void AcknowledgeAll() const {
    Result<BoxReader> box = BoxReader::Open(path_);
    ASSERT_TRUE(box.ok());
    for (const BoxReader::SessionKey& key : box->Sessions()) {
      if (key.closed) {
        ASSERT_TRUE(box->Acknowledge(key.number).ok());
      }
    }
  }

  std::shared_ptr<GivenUpBoxes> given_up_ = std::make_shared<GivenUpBoxes>();
  std::shared_ptr<LastSeen> last_seen_ = std::make_shared<LastSeen>();
  TemporaryDirectory directory_;
  const std::string folder_ = directory_.path();
  std::string path_;
  Recorder* recorder_ = nullptr;
  BoxKeeper keeper_;
  std::atomic<int> rounds_{0};
  std::mutex mutex_;
  std::set<int64_t> running_;  // guarded by mutex_, as the next
  std::set<std::pair<int32_t, int64_t>> last_tasks_;
  std::vector<ProcessRss> rss_;
  std::vector<ProcessName> ended_;
  std::vector<std::string> refusals_;
  std::unique_ptr<RegionTable> regions_ = std::make_unique<RegionTable>();
};

constexpr milliseconds kNever = std::chrono::hours(1);

TEST_F(BoxKeeperTest, ADeadProcesssBoxGoesWhenItsSessionsWereRead) {
  MakeBox(kTask, true);
  Kill();
  SetRunning({kTask});
  Start(kNever);
  WaitForARound();
  EXPECT_TRUE(BoxIsThere());  // the task runs and has not read it yet
  AcknowledgeAll();
  WaitForARound();
  EXPECT_FALSE(BoxIsThere());
}

TEST_F(BoxKeeperTest, ADeadProcesssOpenSessionIsKeptForItsTaskAndTheGraceAfterIt) {
  MakeBox(kTask, false);
  Kill();
  SetRunning({kTask});
  Start(milliseconds(0));
  WaitForARound();
  EXPECT_TRUE(BoxIsThere());
  SetRunning({});
  WaitForARound();
  EXPECT_FALSE(BoxIsThere());
}

TEST_F(BoxKeeperTest, AProcessThatEndedInATaskIsReportedOnce) {
  MakeBox(kTask, false);
  SetRunning({kTask});
  Start(kNever);
  WaitForARound();
  EXPECT_TRUE(Ended().empty()) << "it lives";
  Kill();
  WaitForARound();
  WaitForARound();
  ASSERT_EQ(Ended().size(), 1u);
  EXPECT_EQ(Ended()[0].pid, getpid());
  EXPECT_NE(Ended()[0].start_ticks, 0u);
}

TEST_F(BoxKeeperTest, AProcessIsLastSeenBeforeItsEnd) {
  MakeBox(kTask, false);
  const int64_t begin_ms = EpochMs();
  SetRunning({kTask});
  Start(kNever);
  WaitForARound();
  Kill();
  const int64_t killed_ms = EpochMs();
  WaitForARound();
  WaitForARound();
  const LastSeen::Looks looks = last_seen_->Of(path_);
  EXPECT_GE(looks.alive_ms, begin_ms);
  EXPECT_LE(looks.alive_ms, killed_ms);
  EXPECT_GT(looks.gone_ms, looks.alive_ms);
  SetRunning({});
  keeper_.Stop();
  Start(milliseconds(0));  // removes the box
  WaitForARound();
  WaitForARound();
  EXPECT_EQ(last_seen_->Of(path_).alive_ms, 0);
}

TEST_F(BoxKeeperTest, AProcessIsFirstFoundGone) {
  MakeBox(kTask, false);
  Kill();
  SetRunning({kTask});
  const int64_t begin_ms = EpochMs();
  Start(kNever);
  WaitForARound();
  const LastSeen::Looks found = last_seen_->Of(path_);
  EXPECT_EQ(found.alive_ms, 0);
  EXPECT_GE(found.gone_ms, begin_ms);
  WaitForARound();
  EXPECT_EQ(last_seen_->Of(path_).gone_ms, found.gone_ms) << "the first";
}

TEST_F(BoxKeeperTest, AProcessThatEndedBetweenTasksIsNotReported) {
  MakeBox(kTask, true);
  Kill();
  SetRunning({kTask});
  Start(kNever);
  WaitForARound();
  EXPECT_TRUE(Ended().empty());
}

TEST_F(BoxKeeperTest, WithinTheGraceATaskThatJustEndedCanStillReadIt) {
  MakeBox(kTask, true);
  Kill();
  Start(kNever);
  WaitForARound();
  EXPECT_TRUE(BoxIsThere());
}

TEST_F(BoxKeeperTest, ALivingProcesssBoxStays) {
  MakeBox(kTask, true);
  Start(milliseconds(0));
  AcknowledgeAll();
  WaitForARound();
  EXPECT_TRUE(BoxIsThere());
}

TEST_F(BoxKeeperTest, SessionsThatNoTaskAsksForAreGivenBack) {
  MakeBox(kTask, true);
  recorder_->OpenSession({-1, -1, -1, -1, -1});
  recorder_->CloseSession();
  SetRunning({kTask});
  Start(kNever);
  WaitForARound();
  EXPECT_TRUE(Acknowledged(-1));
  EXPECT_FALSE(Acknowledged(kTask));
}

TEST_F(BoxKeeperTest, ASessionThatItsTaskMissedIsGivenBackAfterTheGrace) {
  MakeBox(kTask, true);
  Start(milliseconds(0));
  WaitForARound();
  EXPECT_TRUE(Acknowledged(kTask));
}

TEST_F(BoxKeeperTest, TellsTheTaskThatAProcessServedLast) {
  MakeBox(kTask, true);
  recorder_->OpenSession({kTask + 1, 0, 0, 0, 0});
  recorder_->CloseSession();
  recorder_->OpenSession({-1, -1, -1, -1, -1});
  Start(kNever);
  WaitForARound();
  const std::lock_guard lock(mutex_);
  EXPECT_EQ(last_tasks_, (std::set<std::pair<int32_t, int64_t>>{{getpid(), kTask + 1}}));
}

TEST_F(BoxKeeperTest, TellsWhatAProcesssMemoryWasMadeOf) {
  MakeBox(kTask, false);
  const std::vector<char> unseen(16 << 20, 'x');  // so that the resident set has room for it
  recorder_->MeasureRssAtEnd(7'654'321);
  Start(kNever);
  WaitForARound();
  const std::lock_guard lock(mutex_);
  ASSERT_FALSE(rss_.empty());
  EXPECT_EQ(rss_[0].process.pid, getpid());
  EXPECT_GT(rss_[0].process.start_ticks, 0u);
  uint64_t retention = 0;
  for (const RssRows::Row& row : rss_[0].rows.rows) {
    if (row.name == "allocator retention") retention = row.bytes;
  }
  EXPECT_EQ(retention, 7'654'321u);
}

TEST_F(BoxKeeperTest, TellsOnceWhyPythonIsNotProfiled) {
  const std::string left = folder_ + "/workers-7.refusal", of_another = folder_ + "/workers-8.refusal";
  std::ofstream(left) << "";  // it is being written
  std::ofstream(of_another) << "of another executor";
  Start(kNever);
  WaitForARound();
  EXPECT_TRUE(std::filesystem::exists(left));
  std::ofstream(folder_ + "/draft") << "not supported:\n\x7f\xff pypy";
  std::filesystem::rename(folder_ + "/draft", left);
  WaitForARound();
  WaitForARound();
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_TRUE(std::filesystem::exists(of_another));
  const std::lock_guard lock(mutex_);
  EXPECT_EQ(refusals_, std::vector<std::string>{"not supported:  \uFFFD pypy"});
}

TEST_F(BoxKeeperTest, ADeadExecutorsBoxIsToldOfAndRemoved) {
  MakeBox(kTask, false);
  Kill();
  std::vector<OrphanedTask> orphans;
  BoxKeeperOptions options;
  options.boxes = {folder_, "app-1", "8"};
  options.running_tasks = [this] {
    ++rounds_;
    return std::vector<int64_t>();
  };
  options.orphan = [this, &orphans](const OrphanedTask& task) {
    const std::lock_guard lock(mutex_);
    orphans.push_back(task);
  };
  ASSERT_TRUE(keeper_.Start(std::move(options)).ok());
  WaitForARound();
  keeper_.Stop();
  EXPECT_FALSE(BoxIsThere());
  ASSERT_EQ(orphans.size(), 1u);
  EXPECT_EQ(orphans[0].executor_id, "7");
  ASSERT_EQ(orphans[0].sessions.size(), 1u);
  EXPECT_EQ(orphans[0].sessions[0].session.task_attempt_id, kTask);
}

TEST_F(BoxKeeperTest, WhatWasGivenUpGoesWithItsExecutor) {
  MakeBox(kTask, false);
  Kill();
  given_up_->Add(path_, "too much work");
  Start(milliseconds(0));
  WaitForARound();
  EXPECT_TRUE(std::filesystem::exists(path_)) << "nobody has opened it";
  keeper_.Stop();
  EXPECT_FALSE(std::filesystem::exists(path_));
}

}  // namespace
}  // namespace memprof
