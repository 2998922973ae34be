#include "jni/driver_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <thread>

namespace memprof {
namespace {

// What a report says that is made while `event` is still on its way into the store; `made` is called then.
Report ReportBeside(int patience, StoreFeed::Event event, const std::function<void()>& made) {
  ProfileStore* store = OpenDriverStore(64u << 20, patience);
  Report report;
  {
    StoreFeed feed(store);
    EXPECT_TRUE(feed.Start().ok());
    FeedsDriverStore(store, &feed);
    feed.Add(0, std::move(event));
    WithDriverStore([&](ProfileStore& of, const FinalReport*) { report = of.Model(false, false); });
    made();
    FeedsNoMore(&feed);
    feed.Close();
  }
  CloseDriverStore(store);
  return report;
}

TEST(DriverStore, OnABusyMachineAReportWaitsLongerForWhatIsOnItsWay) {
  constexpr int kAMinute = 200;
  const auto slow = [](ProfileStore& store) {
    std::this_thread::sleep_for(std::chrono::milliseconds(800));  // longer than a store waits whose patience is 1
    store.ApplicationStarted("app-6", "six", "4.1.0", "", "yarn", 900);
  };
  const Report report = ReportBeside(kAMinute, slow, [] {});
  EXPECT_EQ(report.application.id, "app-6");
  EXPECT_TRUE(report.not_available.empty());
}

TEST(DriverStore, AReportDoesNotWaitForever) {
  std::promise<void> release;
  const Report report = ReportBeside(
      1, [&](ProfileStore&) { release.get_future().wait(); }, [&] { release.set_value(); });
  const auto& lines = report.not_available;
  EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), [](const auto& line) { return line.what == "the last messages and events"; }));
}

}  // namespace
}  // namespace memprof
