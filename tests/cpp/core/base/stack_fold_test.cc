#include "base/stack_fold.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace memprof {
namespace {

using Frames = std::vector<uint32_t>;

Frames Fold(const Frames& frames) {
  Frames folded(kOutermostKept + kInnermostKept);
  folded.resize(FoldStack(frames.data(), static_cast<uint32_t>(frames.size()), folded.data()));
  return folded;
}

TEST(FoldStack, StacksWithoutRecursionStayAsTheyAre) {
  EXPECT_EQ(Fold({}), Frames{});
  EXPECT_EQ(Fold({9}), Frames{9});
  EXPECT_EQ(Fold({1, 2, 3, 1, 4, 2}), (Frames{1, 2, 3, 1, 4, 2}));
}

TEST(FoldStack, RecursionBecomesOneRound) {
  EXPECT_EQ(Fold({1, 7, 7, 7, 7, 2}), (Frames{1, 7, 2}));
  EXPECT_EQ(Fold({1, 7, 8, 7, 8, 7, 8, 2}), (Frames{1, 7, 8, 2}));
  EXPECT_EQ(Fold({1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8, 9}), (Frames{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  // A visitor that recurses through two functions of its own: (3 (4 5)*)*.
  EXPECT_EQ(Fold({1, 3, 4, 5, 4, 5, 3, 4, 5, 9}), (Frames{1, 3, 4, 5, 9}));
}

TEST(FoldStack, AThousandRoundsDoNotHideTheOutside) {
  Frames frames = {100, 101};
  for (int i = 0; i < 1000; ++i) frames.insert(frames.end(), {7, 8, 9});
  frames.insert(frames.end(), {200, 201});
  Frames folded = Fold(frames);
  ASSERT_GE(folded.size(), 7u);
  EXPECT_EQ(Frames(folded.begin(), folded.begin() + 5), (Frames{100, 101, 7, 8, 9}));
  EXPECT_EQ(Frames(folded.end() - 2, folded.end()), (Frames{200, 201}));
  EXPECT_LE(folded.size(), 12u);
}

TEST(FoldStack, DeepStacksKeepBothEnds) {
  for (uint32_t depth : {129u, 400u, 512u, 513u, 5000u}) {
    Frames frames(depth);
    std::iota(frames.begin(), frames.end(), 1u);
    Frames folded = Fold(frames);
    ASSERT_EQ(folded.size(), 128u) << depth;
    EXPECT_EQ(folded[0], 1u);
    EXPECT_EQ(folded[31], 32u);
    EXPECT_EQ(folded[32], depth - 95) << depth;
    EXPECT_EQ(folded[127], depth);
  }
  Frames frames(128);
  std::iota(frames.begin(), frames.end(), 1u);
  EXPECT_EQ(Fold(frames), frames);
}

}  // namespace
}  // namespace memprof
