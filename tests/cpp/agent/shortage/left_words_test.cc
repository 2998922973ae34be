#include "shortage/left_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "temporary_directory.h"

namespace memprof {
namespace {

using ::testing::ElementsAre;

static_assert(LeftWords::Clock::is_steady, "a clock that is set back would keep others' words for as long");

LeftWords::Clock::time_point At(int64_t ms) { return LeftWords::Clock::time_point(std::chrono::milliseconds(ms)); }

bool AtOnce(std::chrono::milliseconds, std::function<void()> work) {
  work();
  return true;
}

class LeftWordsTest : public ::testing::Test {
 protected:
  // What a reader finds in the file.
  std::vector<std::string> Left() const {
    const Result<Words> words = ReadWords(WordsPath(place_.directory, place_.pid));
    EXPECT_TRUE(!words.ok() || words->application_id == "app-1");
    return words.ok() ? words->envelopes : std::vector<std::string>();
  }

  const TemporaryDirectory folder_;
  const WordsPlace place_ = {folder_.path(), "app-1", 4711};
  LeftWords left_{AtOnce};
};

TEST_F(LeftWordsTest, TheNewestErrorComesFirstAndTasksLast) {
  left_.Leave(place_, {1000, 7, "a draft"});
  left_.Leave(place_, {1001, -1, "other"});
  EXPECT_THAT(Left(), ElementsAre("other", "a draft"));
  left_.Leave(place_, {1000, 7, "whole"});
  left_.LeaveTasks(place_, {"task 7"});
  EXPECT_THAT(Left(), ElementsAre("other", "whole", "task 7"));
  left_.Leave(place_, {1002, 8, "third"});
  EXPECT_THAT(Left(), ElementsAre("third", "other", "whole", "task 7"));
}

TEST_F(LeftWordsTest, OfManyErrorsTheNewest) {
  for (int64_t i = 0; i < 20; ++i) left_.Leave(place_, {i, i, std::to_string(i)});
  EXPECT_THAT(Left(), ElementsAre("19", "18", "17", "16", "15", "14", "13", "12"));
}

TEST_F(LeftWordsTest, ALookAtANearlyFullHeapMakesRoomForErrors) {
  left_.Leave(place_, {500, -1, "look", true});
  EXPECT_THAT(Left(), ElementsAre("look"));
  left_.Leave(place_, {1000, 7, "error"});
  left_.Leave(place_, {2000, -1, "later look", true});
  EXPECT_THAT(Left(), ElementsAre("error", "later look", "look"));
  for (int64_t i = 0; i < 7; ++i) left_.Leave(place_, {3000 + i, i, std::to_string(i)});
  EXPECT_THAT(Left(), ElementsAre("6", "5", "4", "3", "2", "1", "0", "error"));
}

TEST_F(LeftWordsTest, TheEndComesFirstAndNothingFollowsIt) {
  left_.Leave(place_, {1000, 7, "error"});
  left_.LeaveTasks(place_, {"task 7"});
  left_.LeaveLast(place_, {"the end"});
  left_.Leave(place_, {1001, 8, "late"});
  left_.Forget(place_, At(1'000'000));
  EXPECT_THAT(Left(), ElementsAre("the end", "error", "task 7"));
}

TEST_F(LeftWordsTest, AJvmThatLivesOnLeavesNothing) {
  EXPECT_FALSE(left_.MayEnd(At(1000)));
  left_.Met(At(1000));
  left_.Leave(place_, {1000, 7, "error"});
  EXPECT_TRUE(left_.MayEnd(At(1000) + LeftWords::kMayEnd - At(1).time_since_epoch()));
  left_.Forget(place_, At(1000) + LeftWords::kMayEnd);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(LeftWordsTest, AnErrorJustBeforeTheStopMayHaveCausedIt) {
  left_.Leave(place_, {1000, 7, "error"});
  left_.Met(At(1500));  // one more, which was only counted
  left_.Forget(place_, At(1500) + LeftWords::kMayEnd - At(1).time_since_epoch());
  EXPECT_THAT(Left(), ElementsAre("error"));
}

TEST_F(LeftWordsTest, TheNextApplicationBeginsWithoutErrors) {
  left_.Leave(place_, {1000, 7, "error"});
  left_.LeaveTasks(place_, {"task 7"});
  left_.Forget(place_, At(1000) + LeftWords::kMayEnd);
  left_.Leave(place_, {90'000, 1, "another"});
  EXPECT_THAT(Left(), ElementsAre("another"));
}

int writes = 0;
std::chrono::milliseconds allowed{0};

bool Counts(std::chrono::milliseconds most, std::function<void()>) {
  ++writes;
  allowed = most;
  return false;
}

TEST_F(LeftWordsTest, WithoutADirectoryThereIsNoFile) {
  writes = 0;
  LeftWords left(Counts);
  left.Leave({"", "app-1", 4711}, {1000, 7, "error"});
  left.LeaveLast({"", "app-1", 4711}, {"the end"});
  EXPECT_EQ(writes, 0);
}

TEST_F(LeftWordsTest, AFileSystemThatHangsIsTriedOnce) {
  writes = 0;
  LeftWords left(Counts);
  for (int64_t i = 0; i < 3; ++i) left.Leave(place_, {1000 + i, 7, "error"});
  EXPECT_EQ(writes, 1);
}

TEST_F(LeftWordsTest, OnABusyMachineAFileSystemHasMoreTime) {
  LeftWords left(Counts);
  left.Leave({folder_.path(), "app-1", 4711, 9}, {1000, 7, "error"});
  EXPECT_EQ(allowed, 9 * LeftWords::kMostWriting);
}

}  // namespace
}  // namespace memprof
