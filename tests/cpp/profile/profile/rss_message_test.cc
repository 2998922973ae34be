#include "profile/rss_message.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

RssRows Rows() {
  RssRows rows;
  rows.rss_bytes = 100'000'007;
  rows.rows = {{"mapped files", 20'000'003}, {"Python objects", 70'000'001}};
  return rows;
}

TEST(ProcessRss, LargestFirstAndTheyAddUpToThePeak) {
  proto::Process process;
  process.set_peak_rss_bytes(103'000'009);
  AddRssRows(Rows(), &process);
  ASSERT_EQ(process.peak_rows_size(), 2);
  EXPECT_EQ(process.peak_rows(0).name(), "Python objects");
  EXPECT_EQ(process.rows_rss_bytes(), 100'000'007u);
  EXPECT_EQ(process.peak_rss_bytes(), 103'000'009u);
  EXPECT_EQ(process.unattributed_bytes(), 103'000'009 - 90'000'004);
}

TEST(ProcessRss, ThePeakIsNeverBelowWhatTheProcessItselfHasSeen) {
  proto::Process process;
  process.set_peak_rss_bytes(99);
  AddRssRows(Rows(), &process);
  EXPECT_EQ(process.peak_rss_bytes(), 100'000'007u);
  EXPECT_EQ(process.unattributed_bytes(), 100'000'007 - 90'000'004);
}

}  // namespace
}  // namespace memprof
