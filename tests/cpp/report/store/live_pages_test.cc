#include "store/live_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/sample_store.h"

namespace memprof {
namespace {

int64_t now_ns = 0;

class Live : public ::testing::Test {
 protected:
  Live() : pages_(store_, [] { return now_ns; }) { now_ns = 5'000'000'007; }

  std::string Report() { return *pages_.Answer("api/v1/report", "").body; }

  ProfileStore store_;
  LivePages pages_;
};

TEST_F(Live, AReportIsGoodForASecond) {
  EXPECT_TRUE(nlohmann::json::parse(Report())["stages"].empty());
  testing::FillSample(store_);
  now_ns += 999'999'999;
  EXPECT_TRUE(nlohmann::json::parse(Report())["stages"].empty());
  now_ns += 1;
  EXPECT_EQ(nlohmann::json::parse(Report())["stages"].size(), 3u);
}

TEST_F(Live, IsUnfinishedAndElseTheStoresOwnReport) {
  testing::FillSample(store_);
  EXPECT_EQ(Report(), store_.ReportJson(true));
}

TEST_F(Live, ForgetsWhatIsTooOldToBeShown) {
  PageAnswer answer = pages_.Answer("api/v1/report", "");
  pages_.ForgetStale();
  EXPECT_GT(answer.body.use_count(), 1) << "still fresh";
  now_ns += 1'000'000'000;
  pages_.ForgetStale();
  EXPECT_EQ(answer.body.use_count(), 1) << "the answer alone holds it";
  EXPECT_FALSE(answer.body->empty());
}

}  // namespace
}  // namespace memprof
