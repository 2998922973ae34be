#include "gc/nearly_full.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

constexpr int64_t kBegin = 1'000'000'007;

Collection Left(uint64_t after, const char* collector = "PS MarkSweep") {
  return {collector, "end of GC", "a cause", 0, 1, 990, after, 1000};
}

TEST(NearlyFull, ThreeCollectionsInARowThatLeaveNineTenths) {
  NearlyFull heap;
  EXPECT_FALSE(heap.Ended(Left(950), kBegin));
  EXPECT_FALSE(heap.Ended(Left(950), kBegin));
  EXPECT_FALSE(heap.Ended(Left(890), kBegin)) << "begins anew";
  EXPECT_FALSE(heap.Ended(Left(950), kBegin));
  EXPECT_FALSE(heap.Ended(Left(950), kBegin));
  EXPECT_TRUE(heap.Ended(Left(901), kBegin));
  EXPECT_FALSE(heap.Ended(Left(990), kBegin)) << "once";
}

TEST(NearlyFull, AgainOnlyAfterARestAndAWhile) {
  NearlyFull heap;
  const auto fill = [&](int64_t at) {
    int told = 0;
    for (int i = 0; i < NearlyFull::kCollections; ++i) told += heap.Ended(Left(950), at) ? 1 : 0;
    return told;
  };
  EXPECT_EQ(fill(kBegin), 1);
  EXPECT_EQ(fill(kBegin + NearlyFull::kBetweenNs), 0) << "it never fell below four fifths";
  EXPECT_FALSE(heap.Ended(Left(799), kBegin));
  EXPECT_EQ(fill(kBegin + NearlyFull::kBetweenNs - 1), 0) << "too soon";
  EXPECT_TRUE(heap.Ended(Left(950), kBegin + NearlyFull::kBetweenNs));
  heap.Reset();
  EXPECT_EQ(fill(kBegin), 1);
}

TEST(NearlyFull, CollectionsOfAPartSayNothing) {
  NearlyFull heap;
  for (int i = 0; i < 9; ++i) EXPECT_FALSE(heap.Ended(Left(990, "PS Scavenge"), kBegin));
  for (int i = 0; i < 9; ++i) EXPECT_FALSE(heap.Ended(Left(990, "somebody's"), kBegin));
  Collection unknown = Left(990);
  unknown.max_bytes = 0;
  for (int i = 0; i < 9; ++i) EXPECT_FALSE(heap.Ended(unknown, kBegin));
  EXPECT_FALSE(heap.Ended(Left(990, "G1 Young Generation"), kBegin));
  EXPECT_FALSE(heap.Ended(Left(990, "G1 Old Generation"), kBegin));
  EXPECT_TRUE(heap.Ended(Left(990, "G1 Young Generation"), kBegin));
}

}  // namespace
}  // namespace memprof
