#include "watch/native_now.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

WatchedProcess Measured(uint64_t rss_then, uint64_t rss_now) {
  WatchedProcess process;
  process.rss_bytes = rss_now;
  process.rows = RssRows{rss_then,
                         1,
                         {{"native: numpy/_multiarray_umath", 70'001},
                          {"Python objects", 500'009},
                          {"pool: pyarrow/libarrow.so.2600", 9'001},
                          {"native: other libraries", 11},
                          {"interpreter", 3}}};
  return process;
}

TEST(NativeNow, IsTheSumOfLibrariesAndTheirPools) {
  EXPECT_EQ(NativeNow(Measured(1'000'000, 1'000'000)), 70'001u + 9'001 + 11);
  EXPECT_EQ(NativeNow(Measured(1'000'000, 3'000'000)), 70'001u + 9'001 + 11) << "it has grown since: no less";
}

TEST(NativeNow, IsNotKnownOnceTheMemoryHasFallen) {
  EXPECT_TRUE(NativeNow(Measured(1'000'000, 900'000)));
  EXPECT_EQ(NativeNow(Measured(1'000'000, 899'999)), std::nullopt);
}

TEST(NativeNow, OfAProcessThatIsNotProfiledNothingIsKnown) {
  WatchedProcess process;
  process.rss_bytes = 1'000'000;
  EXPECT_EQ(NativeNow(process), std::nullopt);
}

}  // namespace
}  // namespace memprof
