#include "program/driver_end.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "report/json.h"

namespace memprof {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;

constexpr int64_t kEnd = 1'700'000'000'000;
constexpr uint64_t kHost = 16'000'000'000;

// Its JVM is killed, `age_ms` after its largest use.
DriverEnd KilledJvm(uint64_t used, int64_t age_ms) {
  Report report;
  report.application.id = "app-1";
  ReportExecutor& driver = report.executors.emplace_back();
  driver.id = "driver";
  driver.at_peak.emplace();
  driver.at_peak->used_bytes = used;
  driver.at_peak->time_ms = kEnd - age_ms;
  DriverEnd end;
  end.report_json = WriteReportJson(report);
  end.python.ended_ms = kEnd;
  end.exit_status = 128 + SIGKILL;
  end.jvm_killed = true;
  end.host_memory_bytes = kHost;
  return end;
}

Json TheDeath(const DriverEnd& end) {
  const Result<DriverReport> report = ReportOfDriver(end);
  EXPECT_TRUE(report.ok()) << report.status().message();
  const Json deaths = Json::parse(report->json)["postMortems"];
  EXPECT_EQ(deaths.size(), 1u);
  return deaths[0];
}

TEST(DriverEnd, WithoutEvidenceItIsNotKnown) {
  for (const DriverEnd& end : {KilledJvm(kHost / 3, 100), KilledJvm(kHost / 100 * 97, 3'600'000)}) {
    const Json death = TheDeath(end);
    EXPECT_EQ(death["outOfMemory"], false);
    EXPECT_EQ(death["unknown"], true);
    EXPECT_THAT(death["headline"].get<std::string>(), HasSubstr("The driver's JVM died; why is not known (exit code 137"));
    EXPECT_EQ(death["advice"].size(), 0u);
  }
}

TEST(DriverEnd, AContainerThatWasFarFromFullWasKilledByHand) {
  DriverEnd end = KilledJvm(kHost / 9, 100);
  end.limit_bytes = kHost / 3;
  const Json death = TheDeath(end);
  EXPECT_EQ(death["unknown"], false);
  EXPECT_THAT(death["headline"].get<std::string>(), HasSubstr("died, not of memory"));
}

TEST(DriverEnd, TheKernelsCountDecides) {
  DriverEnd end = KilledJvm(kHost / 3, 100);
  end.limit_bytes = kHost / 2;
  end.kernel_kills = 1;
  EXPECT_EQ(TheDeath(end)["outOfMemory"], true);
  end.kernel_kills = 0;
  EXPECT_EQ(TheDeath(end)["outOfMemory"], false);
  EXPECT_EQ(TheDeath(end)["unknown"], false);
}

}  // namespace
}  // namespace memprof
