#include "store/live_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "report/sample_store.h"

namespace memprof {
namespace {

std::atomic<int64_t> now_ns = 0;
std::atomic<int64_t> passes_ns = 0;  // whenever somebody looks at the clock

class Live : public ::testing::Test {
 protected:
  Live() : pages_(store_, [] { return now_ns += passes_ns; }) {
    now_ns = 5'000'000'007;
    passes_ns = 0;
  }

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

size_t StagesOf(const PageAnswer& answer) { return nlohmann::json::parse(*answer.body)["stages"].size(); }

TEST_F(Live, WhoAsksForAFreshOneGetsIt) {
  EXPECT_EQ(StagesOf(pages_.Answer("api/v1/report", "")), 0u);
  testing::FillSample(store_);
  EXPECT_EQ(StagesOf(pages_.Answer("api/v1/report", "fresh=false")), 0u);
  EXPECT_EQ(StagesOf(pages_.Answer("api/v1/report", "x=1&fresh=true")), 3u);
}

// The clock says that it takes 40 ms or more to make.
TEST_F(Live, ALargeOneIsMadeInTheBackground) {
  passes_ns = 40'000'000;
  EXPECT_EQ(StagesOf(pages_.Answer("api/v1/report", "")), 0u);
  testing::FillSample(store_);
  now_ns += 1'000'000'000;
  EXPECT_EQ(StagesOf(pages_.Answer("api/v1/report", "")), 0u) << "a twentieth of the time";
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(StagesOf(pages_.Answer("api/v1/report", "")), 0u);
  now_ns += 2'000'000'000;
  EXPECT_EQ(StagesOf(pages_.Answer("api/v1/report", "")), 0u) << "the last one, while another is made";
  size_t stages = 0;
  for (int tries = 0; stages == 0 && tries < 1000; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    passes_ns = 0;
    stages = StagesOf(pages_.Answer("api/v1/report", ""));
  }
  EXPECT_EQ(stages, 3u);
}

TEST_F(Live, ALargeOneOfLongAgoIsNotShown) {
  passes_ns = 40'000'000;
  EXPECT_EQ(StagesOf(pages_.Answer("api/v1/report", "")), 0u);
  testing::FillSample(store_);
  now_ns += 60'000'000'000;
  EXPECT_EQ(StagesOf(pages_.Answer("api/v1/report", "")), 3u);
}

}  // namespace
}  // namespace memprof
