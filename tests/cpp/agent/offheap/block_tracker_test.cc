#include "offheap/block_tracker.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <thread>

#include "tasks/thread_task.h"

namespace memprof {
namespace {

class BlockTrackerTest : public testing::Test {
 protected:
  BlockTrackerTest() {
    tracker_.SetOutside(&outside_);
    SetCurrentTask(tasks_.Begin({41, 3, 0, 0, 0}, stacks_.Current(), 0));
  }
  ~BlockTrackerTest() override { SetCurrentTask({0, 0}); }

  // Exactly counted, by a thread of a library's own.
  void Allocate(uint64_t address, uint64_t bytes) {
    tracker_.Allocated({nullptr, nullptr, java_, BlockTracker::Thread::kNative, &native_}, address, bytes, {bytes, 1});
  }
  double Peak() {
    double peak = -1;
    tasks_.WithTask(CurrentTask(), [&](TaskFigures& task) { peak = task.native.peak_bytes(); });
    return peak;
  }
  double Live() {
    double live = -1;
    tasks_.WithTask(CurrentTask(), [&](TaskFigures& task) { live = task.native.live_bytes(); });
    return live;
  }

  TaskTable tasks_;
  ThreadBuckets buckets_;
  StackGenerations stacks_;
  CapturedStack java_;
  NativeCalls native_ = {};
  BlockTracker tracker_{&TaskFigures::native, ThreadBuckets::Kind::kNative, &tasks_, &buckets_, &stacks_};
  OutsideSites outside_{&tracker_.blocks()};
};

TEST_F(BlockTrackerTest, ABlockThatWasFreedUnseenIsNoPartOfThePeak) {
  Allocate(0x1000, 5'000'003);
  Allocate(0x1000, 3'000'001);
  EXPECT_EQ(Live(), 3'000'001);
  EXPECT_EQ(Peak(), 5'000'003);
}

TEST_F(BlockTrackerTest, ABlockThatCouldNotBeResizedIsStillThere) {
  Allocate(0x1000, 5'000'003);
  const std::optional<OffHeapBlock> block = tracker_.Detach(0x1000);
  ASSERT_TRUE(block.has_value());
  tracker_.Reattach(0x1000, *block);
  EXPECT_EQ(Live(), 5'000'003);
  tracker_.Freeing(0x1000);
  EXPECT_EQ(Live(), 0);
}

TEST_F(BlockTrackerTest, BlocksOfEndedTasksMakeRoom) {
  for (uint64_t i = 1; i <= OffHeapBlocks::kMaxBlocks; ++i) Allocate(i * 64, 3);
  Allocate(7, 3);
  EXPECT_EQ(tracker_.dropped_blocks(), 1u) << "all are of a task that runs";
  tasks_.End(41);
  SetCurrentTask(tasks_.Begin({42, 3, 0, 1, 0}, stacks_.Current(), 0));
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // it looks for room once a second
  Allocate(7, 3);
  EXPECT_EQ(tracker_.dropped_blocks(), 1u + OffHeapBlocks::kMaxBlocks) << "of those that are left, nobody is known any more";
  EXPECT_TRUE(tracker_.MayFollow(7));
  EXPECT_EQ(tracker_.live_bytes(), 3u);
}

TEST_F(BlockTrackerTest, BlocksOfNoTaskAreFollowedUnderTheirThread) {
  SetCurrentTask({0, 0});
  Allocate(0x1000, 5'000'003);
  const auto left = [&] { return outside_.Sites(stacks_.Current(), [&](uint32_t bucket) { return buckets_.NameOf(bucket); }); };
  ASSERT_EQ(left().size(), 1u);
  EXPECT_EQ(left()[0].live.bytes, 5'000'003);
  EXPECT_EQ(left()[0].thread, buckets_.NameOf(buckets_.OfThisNativeThread()));
  tracker_.Freeing(0x1000);
  EXPECT_TRUE(left().empty());
  ASSERT_EQ(buckets_.Largest(ThreadBuckets::Kind::kNative, 9).size(), 1u);
  EXPECT_EQ(buckets_.Largest(ThreadBuckets::Kind::kNative, 9)[0].second, 5'000'003);
}

}  // namespace
}  // namespace memprof
