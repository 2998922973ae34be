#include "shortage/left_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "temporary_directory.h"

namespace memprof {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

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
  LeftWords left_;
};

TEST_F(LeftWordsTest, TheNewestErrorComesFirstAndTasksLast) {
  left_.Leave(place_, {1000, 7, "a draft"}, {});
  left_.Leave(place_, {1001, -1, "other"}, {});
  EXPECT_THAT(Left(), ElementsAre("other", "a draft"));
  left_.Leave(place_, {1000, 7, "whole"}, {"task 7"});
  EXPECT_THAT(Left(), ElementsAre("other", "whole", "task 7"));
  left_.Leave(place_, {1002, 8, "third"}, {});
  EXPECT_THAT(Left(), ElementsAre("third", "other", "whole", "task 7"));
}

TEST_F(LeftWordsTest, OfManyErrorsTheNewest) {
  for (int64_t i = 0; i < 20; ++i) left_.Leave(place_, {i, i, std::to_string(i)}, {});
  EXPECT_THAT(Left(), ElementsAre("19", "18", "17", "16", "15", "14", "13", "12"));
}

TEST_F(LeftWordsTest, TheEndReplacesAllAndNothingReplacesTheEnd) {
  left_.Leave(place_, {1000, 7, "error"}, {"task 7"});
  left_.LeaveLast(place_, {"the end"});
  left_.Leave(place_, {1001, 8, "late"}, {});
  left_.Forget(place_, 1'000'000);
  EXPECT_THAT(Left(), ElementsAre("the end"));
}

TEST_F(LeftWordsTest, AJvmThatLivesOnLeavesNothing) {
  left_.Leave(place_, {1000, 7, "error"}, {});
  left_.Forget(place_, 1000 + LeftWords::kMayEndMs);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(LeftWordsTest, AnErrorJustBeforeTheStopMayHaveCausedIt) {
  left_.Leave(place_, {1000, 7, "error"}, {});
  left_.Forget(place_, 1000 + LeftWords::kMayEndMs - 1);
  EXPECT_THAT(Left(), ElementsAre("error"));
}

TEST_F(LeftWordsTest, TheNextApplicationBeginsWithoutErrors) {
  left_.Leave(place_, {1000, 7, "error"}, {"task 7"});
  left_.Forget(place_, 1000 + LeftWords::kMayEndMs);
  left_.Leave(place_, {90'000, 1, "another"}, {});
  EXPECT_THAT(Left(), ElementsAre("another"));
}

TEST_F(LeftWordsTest, WithoutADirectoryThereIsNoFile) {
  left_.Leave({"", "app-1", 4711}, {1000, 7, "error"}, {});
  left_.LeaveLast({"", "app-1", 4711}, {"the end"});
  left_.Forget({"", "app-1", 4711}, 1'000'000);
  EXPECT_THAT(Left(), IsEmpty());
  EXPECT_FALSE(std::filesystem::exists("/4711.words"));
}

}  // namespace
}  // namespace memprof
