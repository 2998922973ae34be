#include "report/units.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

TEST(Units, BytesChangeUnitBeforeFourDigits) {
  EXPECT_EQ(FormatBytes(0), "0 B");
  EXPECT_EQ(FormatBytes(1023), "1023 B");
  EXPECT_EQ(FormatBytes(1024), "1.0 KiB");
  EXPECT_EQ(FormatBytes(1'048'575), "1.0 MiB") << "never 1024.0 KiB";
  EXPECT_EQ(FormatBytes(399'999'971), "381.5 MiB");
  EXPECT_EQ(FormatBytes(uint64_t{5} << 30), "5.0 GiB");
  EXPECT_EQ(FormatBytes(UINT64_MAX), "16.0 EiB");
}

TEST(Units, SignedBytes) {
  EXPECT_EQ(FormatSignedBytes(-1'572'864), "-1.5 MiB");
  EXPECT_EQ(FormatSignedBytes(INT64_MIN), "-8.0 EiB");
  EXPECT_EQ(FormatSignedBytes(7), "7 B");
}

TEST(Units, NotMeasuredIsADash) {
  EXPECT_EQ(FormatBytesOr(std::nullopt), "–");
  EXPECT_EQ(FormatBytesOr(0), "0 B");
}

TEST(Units, Counts) {
  EXPECT_EQ(FormatCount(0), "0");
  EXPECT_EQ(FormatCount(999), "999");
  EXPECT_EQ(FormatCount(1'000), "1,000");
  EXPECT_EQ(FormatCount(12'345'678), "12,345,678");
}

TEST(Units, Percent) {
  EXPECT_EQ(FormatPercent(87, 100), "87 %");
  EXPECT_EQ(FormatPercent(1, 1000), "<1 %");
  EXPECT_EQ(FormatPercent(0, 1000), "0 %");
  EXPECT_EQ(FormatPercent(5, 4), "125 %");
  EXPECT_EQ(FormatPercent(5, 0), "–");
}

TEST(Units, TimesAndDurations) {
  EXPECT_EQ(FormatTime(1'700'000'000'123), "2023-11-14 22:13:20 UTC");
  EXPECT_EQ(FormatDuration(850), "850 ms");
  EXPECT_EQ(FormatDuration(12'340), "12.3 s");
  EXPECT_EQ(FormatDuration(245'000), "4 min 05 s");
  EXPECT_EQ(FormatDuration(7'800'000), "2 h 10 min");
  EXPECT_EQ(FormatDuration(-1), "–");
}

}  // namespace
}  // namespace memprof
