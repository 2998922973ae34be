#include "rss/jvm_rss_meter.h"

#include <gtest/gtest.h>

#include <optional>
#include <string_view>

#include "guarded_heap.h"

namespace memprof {
namespace {

uint64_t RowOf(const RssRows& rows, std::string_view name) {
  for (const RssRows::Row& row : rows.rows) {
    if (row.name == name) return row.bytes;
  }
  return 0;
}

// HotSpot may reserve something below a heap of malloc's and use all of it but a page or four, which then look like a stack's guard.
TEST(JvmRssMeter, AHeapOfMallocsAboveAnInaccessiblePlaceIsNoStack) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's runtime has a malloc of its own";
#endif
  const GuardedHeap heap;
  ASSERT_TRUE(heap.has_guard());
  const std::optional<RssRows> rows = JvmRssMeter().Measure({});
  ASSERT_TRUE(rows);
  EXPECT_GE(RowOf(*rows, "malloc"), heap.touched_bytes());
  EXPECT_LT(RowOf(*rows, "thread stacks"), GuardedHeap::kTouchedBytes / 2);
}

}  // namespace
}  // namespace memprof
