#include "watch/in_turn.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

using Ids = std::vector<int64_t>;

TEST(InTurn, EachComesBeforeAnyComesAgain) {
  const Ids ids = {30, 10, 50, 20, 40};
  EXPECT_EQ(InTurn(ids, -1, 2), (Ids{10, 20}));
  EXPECT_EQ(InTurn(ids, 20, 2), (Ids{30, 40}));
  EXPECT_EQ(InTurn(ids, 40, 2), (Ids{50, 10}));
  EXPECT_EQ(InTurn(ids, 25, 9), (Ids{30, 40, 50, 10, 20})) << "25 has ended meanwhile";
  EXPECT_EQ(InTurn({}, 3, 2), Ids{});
}

}  // namespace
}  // namespace memprof
