#include "sites/bounded_stack.h"

#include <gtest/gtest.h>

#include <vector>

namespace memprof {
namespace {

template <typename Stack>
std::vector<int> Frames(const Stack& stack) {
  std::vector<int> frames;
  for (size_t i = 0; i < stack.size(); ++i) frames.push_back(stack[i]);
  return frames;
}

TEST(BoundedStack, AShortStackIsKeptWhole) {
  BoundedStack<int, 4, 2> stack;
  EXPECT_EQ(stack.size(), 0u);
  for (int frame : {9, 8, 7, 6}) stack.Push(frame);
  EXPECT_EQ(Frames(stack), (std::vector<int>{9, 8, 7, 6}));
}

TEST(BoundedStack, OfADeepStackBothEndsAreKept) {
  BoundedStack<int, 4, 3> stack;
  for (int frame = 1; frame <= 100; ++frame) {
    stack.Push(frame);
    EXPECT_LE(stack.size(), 7u);
  }
  EXPECT_EQ(Frames(stack), (std::vector<int>{1, 2, 3, 4, 98, 99, 100}));
}

TEST(BoundedStack, AnyDepthOfRecursionIsOneRound) {
  BoundedStack<int, 6, 4> stack;
  stack.Push(1);
  for (int i = 0; i < 500; ++i) {
    stack.Push(2);
    stack.Push(3);
  }
  stack.Push(4);
  stack.Push(5);
  EXPECT_EQ(Frames(stack), (std::vector<int>{1, 2, 3, 4, 5}));
}

TEST(BoundedStack, RecursionBeyondTheInnermostPartFoldsToo) {
  BoundedStack<int, 2, 4> stack;
  stack.Push(1);
  stack.Push(2);
  for (int i = 0; i < 500; ++i) stack.Push(3);
  stack.Push(4);
  EXPECT_EQ(Frames(stack), (std::vector<int>{1, 2, 3, 4}));
}

}  // namespace
}  // namespace memprof
